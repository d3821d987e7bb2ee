"""Register, update and query jobs with their computed figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.domain.timeseries import AHEAD_MS, rfc3339
from app.errors import Conflict, Invalid, NotFound
from app.services.invalidation import jobs_changed
from app.services.jobs.checks import mistakes
from app.services.jobs.energy_comparison import compared, per_unit
from app.services.jobs.masking import with_shown_names, with_stored_totals
from app.services.jobs.running_order import ordered_jobs
from app.services.jobs.stores import JobStores
from app.services.jobs.summary import read_summary_inputs, summarize
from app.store.database import acquire_task_lock, writing
from app.store.devices import DeviceEvent
from app.store.jobs import BadCursor, DuplicateJob, Job, JobFilter, Summary
from app.store.rollups import retired_before
from collectors.contract import MINUTE_MS

SUMMARIZED = ("power", "energy", "activity")
"""Classes of quantities that figures of jobs are made of."""
FRESH_LIST_MS = 60_000
"""In a list the figures of a running job may be so old."""
FRESH_ONE_MS = 5_000
TASK = "job summaries"
LOCK_MS = 2 * MINUTE_MS
"""Renewed before each job; another process takes over when this one stops in the middle."""
_LONGEST_DETAIL = 2000
_GIVEN = ("end_ms", "name", "user", "project", "partition", "within", "state", "tags", "nodes")


def register(stores: JobStores, job: Job) -> tuple[Job, bool]:
    """Register a job, and whether it is new.

    The same (cluster, job_id, submit) with the same start is the same job: given fields replace the stored ones.

    Raises
    ------
    Invalid
        It ends before it starts, overlaps itself, or names an unknown node.
    Conflict
        The identity belongs to a job with another start.
    """
    check(stores, job)
    try:
        created = one(stores, stores.jobs.create(job))
    except DuplicateJob as duplicate:
        known = one(stores, duplicate.id)
    else:
        jobs_changed(stores, {node.node for node in job.nodes}, job.start_ms, job.end_ms or stores.now_ms())
        return with_summary(stores, created), True
    if known.start_ms != job.start_ms:
        raise Conflict(
            f"job {job.job_id} of {job.cluster or 'no cluster'} is stored with start {rfc3339(known.start_ms)}",
            f"give its own `submit`, or PATCH /api/v1/jobs/{known.id}",
            code="job_exists",
        )
    given = {name: getattr(job, name) for name in _GIVEN if getattr(job, name) not in (None, "", (), {})}
    changed = {name: value for name, value in given.items() if value != getattr(known, name)}
    return (change(stores, known.id, **changed) if changed else with_summary(stores, known)), False


def change(stores: JobStores, id_: str, **changes: object) -> Job:
    """Change fields of a job by their names in `Job`.

    Raises
    ------
    NotFound, Invalid, Conflict
        As `register`; the changed job must make sense as a whole.
    """
    restate(stores, one(stores, id_), changes)
    return with_summary(stores, one(stores, id_))


def restate(stores: JobStores, known: Job, changes: Mapping[str, object]) -> None:
    """As `change`, without its figures."""
    changed = replace(known, **changes)  # type: ignore[arg-type]
    check(stores, changed)
    if why := cannot_be_recomputed(stores, known, changed):
        raise Conflict(why, "other fields can be changed", code="before_retention")
    id_ = known.id
    try:
        stores.jobs.patch(id_, **changes)
    except DuplicateJob as duplicate:
        raise Conflict(str(duplicate), f"see /api/v1/jobs/{duplicate.id}", code="job_exists") from None
    stores.running.invalidate([id_])
    if {"start_ms", "end_ms", "nodes", "within", "job_id"} & set(changes):
        nodes = {node.node for node in (*known.nodes, *changed.nodes)}
        now_ms = stores.now_ms()
        begin_ms, end_ms = min(known.start_ms, changed.start_ms), max(known.end_ms or now_ms, changed.end_ms or now_ms)
        jobs_changed(stores, nodes, begin_ms, end_ms)


def cannot_be_recomputed(stores: JobStores, known: Job, changed: Job) -> str | None:
    """Return why times or nodes of a job cannot change: its readings are deleted, and its figures would be lost."""
    is_same = (known.start_ms, known.end_ms, known.nodes) == (changed.start_ms, changed.end_ms, changed.nodes)
    if is_same or known.summary is None or known.end_ms is None:
        return None
    border_ms = retired_before(stores.engine, SUMMARIZED)
    if min(known.start_ms, changed.start_ms) >= border_ms:
        return None
    return (
        f"job {known.job_id or known.id} began before {rfc3339(border_ms)}, where readings are deleted: "
        "its energy cannot be computed for other times or nodes"
    )


def remove(stores: JobStores, id_: str) -> None:
    """Delete a job with its nodes, tags and figures, and record an event about it.

    The figures of jobs that shared a node with it become outdated: they get another share.

    Raises
    ------
    NotFound
    """
    job = one(stores, id_)
    stores.jobs.remove(id_)
    stores.running.invalidate([id_])
    now_ms = stores.now_ms()
    jobs_changed(stores, {node.node for node in job.nodes}, job.start_ms, job.end_ms or now_ms)
    name = " ".join(filter(None, (job.cluster, job.job_id, job.name)))
    until = "running" if job.end_ms is None else f"to {rfc3339(job.end_ms)}"
    nodes = ", ".join(sorted(node.node for node in job.nodes))
    detail = (
        f"job {name or id_} deleted: from {rfc3339(job.start_ms)} {until}, user {job.user or 'unknown'}, on {nodes}"
    )
    stores.health.record_events([DeviceEvent(now_ms, "job_deleted", subject=id_, detail=detail[:_LONGEST_DETAIL])])


def one(stores: JobStores, id_: str) -> Job:
    """A job as it is stored.

    Raises
    ------
    NotFound
    """
    job = stores.jobs.get(id_)
    if job is None:
        raise NotFound(f"there is no job {id_}", "ids are ours: look in GET /api/v1/jobs?cluster=&job_id=")
    return job


def listing(
    stores: JobStores, which: JobFilter, sort: str, limit: int, cursor: str | None
) -> tuple[list[Job], str | None]:
    """A page of jobs with their figures, and the cursor of the next.

    Raises
    ------
    Invalid
        The window ends before it starts, or sort and cursor do not go together.
    """
    if which.from_ms is not None and which.to_ms is not None and which.to_ms <= which.from_ms:
        raise Invalid("the window ends before it starts", "give from < to", code="bad_window")
    try:
        page, following = ordered_jobs(
            stores, which, sort, limit, cursor, lambda job: _running(stores, job, FRESH_LIST_MS)
        )
    except BadCursor as bad:
        raise Invalid(str(bad), bad.hint, code="bad_sort_or_cursor") from None
    if not page:
        return [], following
    corrections = stores.facility.corrections(min(_computed(job) for job in page))
    return [with_summary(stores, job, FRESH_LIST_MS, corrections) for job in page], following


def with_summary(
    stores: JobStores,
    job: Job,
    fresh_ms: int = FRESH_ONE_MS,
    corrections: Sequence[tuple[int, int]] | None = None,
) -> Job:
    """A job with its figures: stored once it has ended, computed again when readings or corrections came since."""
    if job.is_foreign:
        return with_stored_totals(job)
    return with_shown_names(stores, _with_own_summary(stores, job, fresh_ms, corrections))


def _with_own_summary(stores: JobStores, job: Job, fresh_ms: int, corrections: Sequence[tuple[int, int]] | None) -> Job:
    if job.end_ms is None:
        return _summarised(job, _running(stores, job, fresh_ms))
    if corrections is None:
        corrections = stores.facility.corrections(_computed(job))
    if job.summary is None or _outdated(job, job.summary, corrections, stores.now_ms()):
        return _summarised(job, _recompute(stores, job))
    return _summarised(job, job.summary)


def _summarised(job: Job, summary: Summary) -> Job:
    """With what follows from its tags, which may change after it was computed."""
    content = dict(summary.content)
    more = {"per": per_unit(job, summary.energy_j), "compared": compared(job, content)}
    content.pop("nameplates", None)
    return replace(job, summary=replace(summary, content=content | more))


def refresh(stores: JobStores, holder: str, limit: int) -> int:
    """Compute summaries that are missing or out of date, newest jobs first, and return how many.

    One process does it at a time: `holder` names this one.
    """
    if not stores.jobs.outdated(1) or not _acquire(stores, holder):  # the lock is a write: only if there is work
        return 0
    computed = 0
    for id_ in stores.jobs.outdated(limit):
        if stores.stopping.is_set() or not _acquire(stores, holder):
            break
        if (job := stores.jobs.get(id_)) is not None:
            _recompute(stores, job)
            computed += 1
    return computed


def _acquire(stores: JobStores, holder: str) -> bool:
    with writing(stores.engine) as connection:
        return acquire_task_lock(connection, TASK, holder, stores.now_ms(), LOCK_MS)


def _computed(job: Job) -> int:
    return job.summary.computed_at_ms if job.summary else 0


def _outdated(job: Job, summary: Summary, corrections: Sequence[tuple[int, int]], now_ms: int) -> bool:
    """Return whether a summary is out of date; so is one that a clock ahead of now computed."""
    end_ms = job.end_ms or job.start_ms
    return (
        summary.outdated
        or summary.computed_at_ms > now_ms + AHEAD_MS
        or any(made_ms >= summary.computed_at_ms and effective_ms < end_ms for made_ms, effective_ms in corrections)
    )


def _recompute(stores: JobStores, job: Job) -> Summary:
    now_ms = stores.now_ms()  # before reading: what arrives meanwhile is later
    is_retired = job.start_ms < retired_before(stores.engine, SUMMARIZED)
    if is_retired and job.summary is not None and _is_of(job.summary, job):
        summary = replace(job.summary, computed_at_ms=now_ms)  # what it was made of is gone: it stays
    else:
        summary = summarize(read_summary_inputs(stores, job, now_ms, has_readings=not is_retired))
    revise = job.summary is None or job.summary.content != summary.content
    return replace(summary, revision=stores.jobs.save_summary(job.id, summary, revise=revise))


def _is_of(summary: Summary, job: Job) -> bool:
    """Return whether figures are those of the job's present times and nodes."""
    parts: Any = summary.content["by_node"]
    nodes = {part["node"] for part in parts}
    is_same_time = summary.duration_s == ((job.end_ms or job.start_ms) - job.start_ms) / 1000
    return is_same_time and nodes == {node.node for node in job.nodes}


def _running(stores: JobStores, job: Job, fresh_ms: int) -> Summary:
    now_ms = stores.now_ms()
    known = stores.running.get(job.id)
    if known is None or not 0 <= now_ms - known.computed_at_ms <= fresh_ms:
        known = summarize(read_summary_inputs(stores, job, now_ms))
        stores.running.put(job.id, known)
    return known


def check(stores: JobStores, job: Job) -> None:
    """Raise everything that is wrong with a job at once.

    Raises
    ------
    Invalid
    """
    if found := mistakes(stores, job):
        first = found[0]
        raise Invalid(f"{first.where}: {first.detail}", first.hint, code="invalid_job", errors=found)
