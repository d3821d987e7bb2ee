"""Jobs: registered, changed, and told with their figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.errors import Conflict, Invalid, Mistake, NotFound
from app.services.context import Context
from app.services.job_power import held, job_power
from app.services.job_summary import summarize
from app.services.moments import rfc3339
from app.store.job import DuplicateJob, Job, JobFilter, Summary
from app.store.jobs import BadCursor
from app.store.retention import retired_before

SUMMARIZED = ("power", "energy", "activity")
"""Classes of quantities that figures of jobs are made of."""
FRESH_LIST_MS = 60_000
"""In a list the figures of a running job may be so old."""
FRESH_ONE_MS = 5_000
_TOLD = ("end_ms", "name", "user", "project", "partition", "state", "tags", "nodes")
_FOR_EVER = 1 << 62


def register(context: Context, job: Job) -> tuple[Job, bool]:
    """Register a job, and whether it is new.

    The same (cluster, job_id, submit) with the same start is the same job: what is told anew replaces what was.

    Raises
    ------
    Invalid
        It ends before it starts, overlaps itself, or names an unknown node.
    Conflict
        The identity belongs to a job with another start.
    """
    _check(context, job)
    try:
        return with_summary(context, one(context, context.jobs.create(job))), True
    except DuplicateJob as duplicate:
        known = one(context, duplicate.id)
    if known.start_ms != job.start_ms:
        raise Conflict(
            f"job {job.job_id} of {job.cluster or 'no cluster'} stands as one that began {rfc3339(known.start_ms)}",
            f"give its own `submit`, or PATCH /api/v1/jobs/{known.id}",
            code="job_exists",
        )
    told = {name: getattr(job, name) for name in _TOLD if getattr(job, name) not in (None, "", (), {})}
    changed = {name: value for name, value in told.items() if value != getattr(known, name)}
    return (change(context, known.id, **changed) if changed else with_summary(context, known)), False


def change(context: Context, id_: str, **changes: object) -> Job:
    """Change fields of a job by their names in `Job`.

    Raises
    ------
    NotFound, Invalid, Conflict
        As `register`; the changed job must make sense as a whole.
    """
    known = one(context, id_)
    changed = replace(known, **changes)  # type: ignore[arg-type]
    _check(context, changed)
    try:
        context.jobs.patch(id_, **changes)
    except DuplicateJob as duplicate:
        raise Conflict(str(duplicate), f"see /api/v1/jobs/{duplicate.id}", code="job_exists") from None
    context.running.pop(id_, None)
    if {"start_ms", "end_ms", "nodes"} & set(changes):
        nodes = sorted({node.node for node in (*known.nodes, *changed.nodes)})
        context.jobs.expire(nodes, changed.start_ms, changed.end_ms or context.now_ms(), context.now_ms())
    return with_summary(context, one(context, id_))


def one(context: Context, id_: str) -> Job:
    """A job as it is stored.

    Raises
    ------
    NotFound
    """
    job = context.jobs.get(id_)
    if job is None:
        raise NotFound(f"there is no job {id_}", "ids are ours: look in GET /api/v1/jobs?cluster=&job_id=")
    return job


def listing(
    context: Context, which: JobFilter, sort: str, limit: int, cursor: str | None
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
        page, following = context.jobs.list(which, sort, limit, cursor)
    except BadCursor as bad:
        raise Invalid(str(bad), "leave the cursor away to begin anew", code="bad_sort_or_cursor") from None
    if not page:
        return [], following
    corrections = context.facility.corrections(min(_computed(job) for job in page))
    return [with_summary(context, job, FRESH_LIST_MS, corrections) for job in page], following


def with_summary(
    context: Context,
    job: Job,
    fresh_ms: int = FRESH_ONE_MS,
    corrections: Sequence[tuple[int, int]] | None = None,
) -> Job:
    """A job with its figures: stored once it has ended, computed anew when readings or corrections came since."""
    if job.end_ms is None:
        return replace(job, summary=_running(context, job, fresh_ms))
    if corrections is None:
        corrections = context.facility.corrections(_computed(job))
    if job.summary is None or _outdated(job, job.summary, corrections):
        return replace(job, summary=_recompute(context, job))
    return job


def shared_nodes(context: Context, job: Job) -> frozenset[str]:
    """Nodes of a job that other jobs hold at the same time, and that it does not call its own."""
    end_ms = context.now_ms() if job.end_ms is None else job.end_ms
    asked = [node for node in job.nodes if node.exclusive is None]
    return frozenset(
        node.node
        for node in asked
        if context.jobs.overlapping(node.node, *held(node, job.start_ms, end_ms), exclude=[job.id])
    )


def refresh(context: Context, limit: int) -> int:
    """Compute figures that are missing or out of date, newest jobs first; returns how many."""
    ids = context.jobs.outdated(limit)
    for id_ in ids:
        job = context.jobs.get(id_)
        if job is not None and not context.stopping.is_set():
            _recompute(context, job)
    return len(ids)


def readings_came(context: Context, devices: Iterable[str], first_ms: int, last_ms: int) -> int:
    """Mark the figures of jobs that readings of `devices` in [first, last] may change; returns how many.

    The caller widens the span by the longest gap that a reading may bridge.
    """
    now_ms = context.now_ms()
    told = set(devices)
    nodes = {
        node
        for facility in (context.facility.at(first_ms), context.facility.at(last_ms))
        for node in (
            *(n for n, feeds in facility.feeds.items() if any(feed.device in told for feed in feeds)),
            *(d.node for d in facility.devices.values() if d.key in told and d.node),
        )
    }
    return context.jobs.expire(sorted(nodes), first_ms, last_ms, now_ms) if nodes else 0


def _computed(job: Job) -> int:
    return job.summary.computed_at_ms if job.summary else 0


def _outdated(job: Job, summary: Summary, corrections: Sequence[tuple[int, int]]) -> bool:
    end_ms = job.end_ms or job.start_ms
    return summary.outdated or any(
        made_ms >= summary.computed_at_ms and effective_ms < end_ms for made_ms, effective_ms in corrections
    )


def _recompute(context: Context, job: Job) -> Summary:
    now_ms = context.now_ms()  # before reading: what arrives meanwhile is later
    if job.summary is not None and job.start_ms < retired_before(context.engine, SUMMARIZED):
        summary = replace(job.summary, computed_at_ms=now_ms)  # what it was made of is gone: it stays
    else:
        summary = summarize(job_power(context, job), now_ms)
    revise = job.summary is None or job.summary.content != summary.content
    return replace(summary, revision=context.jobs.save_summary(job.id, summary, revise=revise))


def _running(context: Context, job: Job, fresh_ms: int) -> Summary:
    now_ms = context.now_ms()
    known = context.running.get(job.id)
    if known is None or now_ms - known.computed_at_ms > fresh_ms:
        known = summarize(job_power(context, job), now_ms)
        context.running[job.id] = known
    return known


def _check(context: Context, job: Job) -> None:
    """Raise everything that is wrong with a job at once."""
    mistakes = [*_time_mistakes(job), *_node_mistakes(context, job), *_overlaps(job)]
    if mistakes:
        first = mistakes[0]
        raise Invalid(f"{first.where}: {first.detail}", first.hint, code="invalid_job", errors=mistakes)


def _time_mistakes(job: Job) -> list[Mistake]:
    hint = "times are RFC 3339 with an offset, or integer milliseconds; leave `end` away while it runs"
    if job.end_ms is not None and job.end_ms <= job.start_ms:
        when = "before it starts" if job.end_ms < job.start_ms else "in the moment it starts"
        return [Mistake("end", f"the job ends ({rfc3339(job.end_ms)}) {when}", hint)]
    found = []
    for i, node in enumerate(job.nodes):
        begin, end = held(node, job.start_ms, job.end_ms if job.end_ms is not None else _FOR_EVER)
        if begin >= end:
            found.append(Mistake(f"nodes.{i}", f"{node.node} is held for no time inside the job", hint))
    return found


def _node_mistakes(context: Context, job: Job) -> list[Mistake]:
    if not job.nodes:
        return [Mistake("nodes", "a job needs at least one node", 'list them as [{"node": "hgx-01"}]')]
    known = set(context.facility.at(job.start_ms).nodes) | set(context.facility.at(context.now_ms()).nodes)
    hint = "GET /api/v1/nodes lists the nodes; a new one is made by `wattline apply` or POST /api/v1/nodes"
    return [
        Mistake(f"nodes.{i}.node", f"there is no node {node.node!r}", hint)
        for i, node in enumerate(job.nodes)
        if node.node not in known
    ]


def _overlaps(job: Job) -> list[Mistake]:
    hint = "list a node once, or give its parts `start` and `end` that do not overlap"
    last = job.end_ms if job.end_ms is not None else _FOR_EVER
    spans: dict[str, list[tuple[int, int]]] = {}
    found = []
    for i, node in enumerate(job.nodes):
        begin, end = held(node, job.start_ms, last)
        others = spans.setdefault(node.node, [])
        if any(begin < other_end and other_begin < end for other_begin, other_end in others):
            found.append(Mistake(f"nodes.{i}", f"the job overlaps itself on {node.node}", hint))
        others.append((begin, end))
    return found
