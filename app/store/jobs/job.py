"""A job as a value, and the filter of a job list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

Json = Mapping[str, object]


@dataclass(frozen=True)
class JobNode:
    """A node of a job; start and end only if they differ from those of the job."""

    node: str
    gpus: tuple[str | int, ...] | None = None
    cores: int | None = None
    exclusive: bool | None = None
    start_ms: int | None = None
    end_ms: int | None = None


@dataclass(frozen=True)
class Summary:
    """The stored summary of a job. `content` is the whole answer; lists show and sort by the other fields.

    `inside_j`: the part of `energy_j` that another job includes too.
    `outdated`: set by the store if readings of the job arrived or changed since `computed_at_ms`.
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
    """A job. `id` is the id in Wattline, empty until it is created; `end_ms` is None while it runs.

    `within`: scheduler id of the job in which it runs, for a command inside an allocation.
    `is_foreign`: of another user, and masked.
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
    is_foreign: bool = False


@dataclass(frozen=True, kw_only=True)
class JobFilter:
    """Which jobs; all fields must match.

    Attributes
    ----------
    tags: all of them must match.
    from_ms, to_ms: jobs that overlap [from, to).
    q: words, each of which occurs in the name, the user, an id, a node or a tag, ignoring case.
    complete: only jobs whose power is fully covered, or is not.
    ended, summarised: only jobs that have ended or have a summary, or have not.
    ids: only these; empty for all.
    in_full: only jobs that are shown in full. with_others: also those that are hidden, without id and figures.
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
    in_full: bool = False
    with_others: bool = False


class DuplicateJob(ValueError):
    """A job with this (cluster, job_id, submit) exists; `id` is its id in Wattline."""

    def __init__(self, id_: str) -> None:
        super().__init__(f"this job is already registered as {id_}")
        self.id = id_


class BadCursor(ValueError):
    """A cursor of another list, or an unknown sort key; `hint` is the suggested fix."""

    def __init__(self, detail: str, hint: str = "omit the cursor to start over") -> None:
        super().__init__(detail)
        self.hint = hint


def summary_of(row: Mapping[str, Any]) -> Summary | None:
    """Return the summary in a row of a job, whose columns begin with `summary_`."""
    if row["summary_job"] is None:
        return None
    values = {f.name: row[f"summary_{f.name}"] for f in fields(Summary)}
    values["outdated"] = bool(values["outdated"])
    values["sparkline"] = None if values["sparkline"] is None else tuple(values["sparkline"])
    return Summary(**values)
