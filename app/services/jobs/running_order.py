"""Lists sorted by a figure: running jobs take their place by the figure so far, which is not stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cmp_to_key

from app.services.jobs.stores import JobStores
from app.store.jobs import Job, JobFilter, JobOrder, Summary

MOST_RUNNING = 200
"""With more running jobs at once, those of a filter come last."""

SoFar = Callable[[Job], Summary]
_Place = tuple[float | None, str]


def ordered_jobs(
    stores: JobStores, which: JobFilter, sort: str, limit: int, cursor: str | None, so_far: SoFar
) -> tuple[list[Job], str | None]:
    """Return a page of jobs and the cursor of the next; `so_far` computes the figures of a running job.

    Raises
    ------
    BadCursor
        Sort and cursor do not go together.
    """
    order = JobOrder.parse(sort, stores.jobs.view)
    running = [] if order.always_there or which.ended else _running(stores, which)
    if not running:
        return stores.jobs.list(which, sort, limit, cursor)
    last: _Place | None = None
    if cursor is not None:
        value, id_ = order.position(cursor)
        last = (None if value is None else float(value), id_)
    known = [replace(job, summary=so_far(job)) for job in running if not job.is_foreign]
    known += [job for job in running if job.is_foreign]
    rest: list[Job] = []
    if which.ended is not False:
        rest, _ = stores.jobs.list(replace(which, ended=True), sort, limit + 1, cursor)
    placed = [(_place(order.name, job), job) for job in (*known, *rest)]
    placed = [one for one in placed if last is None or _is_behind(one[0], last, falling=order.falling)]

    def compare(a: tuple[_Place, Job], b: tuple[_Place, Job]) -> int:
        return 1 if _is_behind(a[0], b[0], falling=order.falling) else -1

    placed.sort(key=cmp_to_key(compare))
    page = placed[:limit]
    return [job for _, job in page], order.cursor(*page[-1][0]) if len(placed) > limit else None


def _running(stores: JobStores, which: JobFilter) -> Sequence[Job]:
    found, more = stores.jobs.list(replace(which, ended=False), "start", MOST_RUNNING)
    return [] if more else found


def _place(name: str, job: Job) -> _Place:
    return (None if job.summary is None else _value(name, job.summary)), job.id


def _value(name: str, summary: Summary) -> float | None:
    if name == "median_of_max":
        return summary.median_w / summary.max_w if summary.median_w is not None and summary.max_w else None
    if name == "utilization":
        gpu = summary.content.get("gpu")
        found = gpu.get("utilization_mean_pct") if isinstance(gpu, dict) else None
        return float(found) if isinstance(found, (int, float)) else None
    found_value: float | None = getattr(summary, name)
    return found_value


def _is_behind(one: _Place, other: _Place, *, falling: bool) -> bool:
    """Return whether a job comes after another; jobs without the figure come last, equal ones are sorted by id."""
    (value, id_), (value_2, id_2) = one, other
    if value is None or value_2 is None:
        if (value is None) != (value_2 is None):
            return value is None
    elif value != value_2:
        return value < value_2 if falling else value > value_2
    return id_ < id_2 if falling else id_ > id_2
