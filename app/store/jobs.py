"""Jobs, what they held, and their summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Engine

Json = Mapping[str, object]


@dataclass(frozen=True)
class JobNode:
    """A node's part in a job; start and end only where they differ from the job's."""

    node: str
    gpus: tuple[str | int, ...] | None = None
    cores: int | None = None
    exclusive: bool | None = None
    start_ms: int | None = None
    end_ms: int | None = None


@dataclass(frozen=True)
class Summary:
    """The stored figures of a job. `content` is the whole answer; the rest is what lists show and sort by."""

    content: Json
    computed_at_ms: int
    energy_j: float | None = None
    mean_w: float | None = None
    median_w: float | None = None
    max_w: float | None = None
    duration_s: float | None = None
    coverage: float | None = None
    source: str | None = None
    sparkline: tuple[float | None, ...] | None = None
    revision: int = 0


@dataclass(frozen=True, kw_only=True)
class Job:
    """One run. `id` is ours and empty until it is created; `end_ms` None while it runs."""

    start_ms: int
    end_ms: int | None = None
    id: str = ""
    name: str = ""
    cluster: str | None = None
    job_id: str | None = None
    submit_ms: int | None = None
    user: str | None = None
    project: str | None = None
    partition: str | None = None
    state: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    origin: str | None = None
    nodes: tuple[JobNode, ...] = ()
    summary: Summary | None = None


@dataclass(frozen=True, kw_only=True)
class JobFilter:
    """Which jobs; every field narrows. `from_ms`/`to_ms`: jobs that overlap the window. `tags`: all of them."""

    cluster: str | None = None
    job_id: str | None = None
    user: str | None = None
    project: str | None = None
    node: str | None = None
    state: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    from_ms: int | None = None
    to_ms: int | None = None
    q: str | None = None


SORT_KEYS = ("start", "energy_j", "duration_s", "mean_w", "median_w", "max_w", "name")


class DuplicateJob(ValueError):
    """A job of this (cluster, job_id, submit) exists; `id` is ours."""

    def __init__(self, id_: str) -> None:
        super().__init__(f"this job is already registered as {id_}")
        self.id = id_


class BadCursor(ValueError):
    """A cursor that this list did not hand out, or a sort key it does not know."""


class JobStore:
    """All jobs. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def create(self, job: Job) -> str:
        """Register a job and return its id. Raises DuplicateJob."""
        raise NotImplementedError

    def patch(self, id_: str, **changes: object) -> Job | None:
        """Change fields of a job by their names in `Job` (`nodes` replaces all of them); None when unknown."""
        raise NotImplementedError

    def get(self, id_: str) -> Job | None:
        """A job with its nodes and summary."""
        raise NotImplementedError

    def find(self, cluster: str | None, job_id: str, submit_ms: int | None) -> Job | None:
        """A job by its scheduler's identity."""
        raise NotImplementedError

    def overlapping(self, node: str, start_ms: int, end_ms: int | None, exclude: Sequence[str] = ()) -> list[Job]:
        """Jobs that hold a node for some of [start, end); end None is for ever."""
        raise NotImplementedError

    def save_summary(self, id_: str, summary: Summary) -> int:
        """Store a job's figures; returns their revision, counted from 1."""
        raise NotImplementedError

    def list(
        self, which: JobFilter | None = None, sort: str = "-start", limit: int = 100, cursor: str | None = None
    ) -> tuple[list[Job], str | None]:
        """A page of jobs and the cursor of the next one. `sort` is one of SORT_KEYS, falling with a leading '-';
        jobs without the figure come last. Raises BadCursor.
        """
        raise NotImplementedError
