"""A job as a value, and which jobs a list is to hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    """The stored figures of a job. `content` is the whole answer; the rest is what lists show and sort by.

    `inside_j`: of `energy_j`, what another job shows too.
    `outdated` is told by the store: readings of the job came or changed since `computed_at_ms`.
    """

    content: Json
    computed_at_ms: int
    energy_j: float | None = None
    inside_j: float | None = None
    mean_w: float | None = None
    median_w: float | None = None
    max_w: float | None = None
    duration_s: float | None = None
    coverage: float | None = None
    source: str | None = None
    sparkline: tuple[float | None, ...] | None = None
    revision: int = 0
    outdated: bool = False


@dataclass(frozen=True, kw_only=True)
class Job:
    """One run. `id` is ours and empty until it is created; `end_ms` None while it runs.

    `within`: the scheduler's number of the job in which it runs, as a command inside an allocation.
    """

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
    within: str | None = None
    state: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    origin: str | None = None
    nodes: tuple[JobNode, ...] = ()
    summary: Summary | None = None


@dataclass(frozen=True, kw_only=True)
class JobFilter:
    """Which jobs; every field narrows.

    Attributes
    ----------
    tags: all of them must match.
    from_ms, to_ms: jobs that overlap [from, to).
    q: words; each is found in the name, the user, an id, a node or a tag, in any case.
    complete: only jobs whose power is covered all the time, or is not.
    ended, summarised: only jobs that have, or have not.
    ids: only these; empty for all.
    """

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
    complete: bool | None = None
    ended: bool | None = None
    summarised: bool | None = None
    ids: tuple[str, ...] = ()


class DuplicateJob(ValueError):
    """A job of this (cluster, job_id, submit) exists; `id` is ours."""

    def __init__(self, id_: str) -> None:
        super().__init__(f"this job is already registered as {id_}")
        self.id = id_


class BadCursor(ValueError):
    """A cursor that this list did not hand out, or a sort key it does not know; `hint` says the way out."""

    def __init__(self, detail: str, hint: str = "leave the cursor away to begin anew") -> None:
        super().__init__(detail)
        self.hint = hint
