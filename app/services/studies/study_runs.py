"""The runs of a study: ended jobs with figures by one method, and which jobs are left out and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.errors import Invalid, NotFound
from app.services.jobs import with_summary
from app.services.studies.stores import StudyStores
from app.store.jobs import Job, JobFilter, Summary

Method = Literal["integral", "counter"]
MOST_RUNS = 5000
UNFINISHED = (
    "failed",
    "cancelled",
    "canceled",
    "timeout",
    "out_of_memory",
    "node_fail",
    "preempted",
    "boot_fail",
    "deadline",
)
"""States whose runs did not do their work; Slurm says `CANCELLED by 1000`."""
_PAGE = 500


@dataclass(frozen=True)
class StudyRun:
    """One ended job as a study takes it: energy and mean power by the study's method.

    Attributes
    ----------
    mean_w, median_w, max_w: power of its nodes together [W]; by the counter the mean is its energy over its time.
    per: J per unit of work, by unit.
    coverage: of the energy. uncertainty_pct: expanded (k = 2), as its summary states it.
    """

    job: Job
    method: Method
    energy_j: float
    duration_s: float
    mean_w: float | None
    median_w: float | None
    max_w: float | None
    per: Mapping[str, float]
    coverage: float
    source: str | None
    caliber: str
    uncertainty_pct: float | None
    revision: int
    computed_at_ms: int


@dataclass(frozen=True)
class LeftOut:
    """A job that matches but does not count."""

    id: str
    name: str
    reason: Literal["running", "no_coverage", "low_coverage", "unfinished", "no_tag"]
    detail: str


@dataclass(frozen=True)
class StudyRuns:
    """The runs of a study and what is left out; `method` is one for all of them, and `method_why` says why."""

    runs: Sequence[StudyRun]
    left_out: Sequence[LeftOut]
    method: Method
    method_why: str


def study_runs(stores: StudyStores, which: JobFilter, by: Sequence[str] = (), min_coverage: float = 0.0) -> StudyRuns:
    """The jobs of a filter as runs.

    Parameters
    ----------
    by: what they are going to be grouped by; a job that lacks it is left out.
    min_coverage: a run covered for a smaller share of its time is left out.

    Raises
    ------
    NotFound, Invalid
        An id is not known, the window ends before it starts, or more than 5000 jobs match.
    """
    asked, left_out = [], []
    for job in _jobs(stores, which):
        refused = _refused(job, by, asked_state=which.state is not None)
        if refused is None:
            asked.append(job)
        else:
            left_out.append(refused)
    corrections = stores.facility.corrections(min(map(_computed, asked), default=0)) if asked else []
    kept = []
    for job in (with_summary(stores, job, corrections=corrections) for job in asked):
        refused = _uncovered(job, min_coverage)
        if refused is None:
            kept.append(job)
        else:
            left_out.append(refused)
    method, why = _one_method(kept)
    return StudyRuns([_run(job, method) for job in kept], left_out, method, why)


def value_of(job: Job, name: str) -> str | None:
    """A tag of a job; without such a tag one of its own: name, user, project, partition, cluster, id, node."""
    if name in job.tags:
        return job.tags[name]
    if name == "node":
        return ", ".join(dict.fromkeys(part.node for part in job.nodes)) or None
    if name in ("name", "user", "project", "partition", "cluster", "id"):
        return getattr(job, name) or None
    return None


def _jobs(stores: StudyStores, which: JobFilter) -> Iterator[Job]:
    if which.from_ms is not None and which.to_ms is not None and which.to_ms <= which.from_ms:
        raise Invalid("the window ends before it starts", "give from < to", code="bad_window")
    seen: set[str] = set()
    cursor = None
    while True:
        page, cursor = stores.jobs.list(which, "start", _PAGE, cursor)
        seen |= {job.id for job in page}
        if len(seen) > MOST_RUNS:
            raise Invalid(
                f"more than {MOST_RUNS} jobs match", "narrow them by tag, user, from and to", code="too_many_jobs"
            )
        yield from page
        if cursor is None:
            break
    known = seen | stores.jobs.many(set(which.ids) - seen).keys()
    for id_ in which.ids:
        if id_ not in known:
            raise NotFound(f"there is no job {id_}", "ids are ours: look in GET /api/v1/jobs?cluster=&job_id=")


def _refused(job: Job, by: Sequence[str], *, asked_state: bool) -> LeftOut | None:
    """Why a job cannot be a run, from what is known without its figures."""
    if job.end_ms is None:
        return _left_out(job, "running", "it still runs")
    state = (job.state or "").lower()
    if not asked_state and state.startswith(UNFINISHED):
        return _left_out(job, "unfinished", f"it did not finish: {job.state}; ask for state={job.state} to have it")
    missing = [name for name in by if value_of(job, name) is None]
    return _left_out(job, "no_tag", f"it has no tag {', '.join(missing)}") if missing else None


def _uncovered(job: Job, min_coverage: float) -> LeftOut | None:
    summary = job.summary or Summary({}, 0)
    coverage = summary.coverage or 0.0
    if summary.energy_j is None or not coverage:
        return _left_out(job, "no_coverage", "nothing was measured while it ran")
    if coverage < min_coverage:
        detail = f"{100 * coverage:.2f} % of its time was measured, {100 * min_coverage:g} % are asked for"
        return _left_out(job, "low_coverage", detail)
    return None


def _left_out(job: Job, reason: Any, detail: str) -> LeftOut:  # noqa: ANN401 (one of LeftOut's reasons)
    return LeftOut(job.id, job.name or job.job_id or job.id, reason, detail)


def _computed(job: Job) -> int:
    return job.summary.computed_at_ms if job.summary else 0


def _one_method(jobs: Sequence[Job]) -> tuple[Method, str]:
    """Return one method for all runs: the counter only where it gives each run's headline.

    Source: docs/semantics.md, "Counter energy".
    """
    without = [job for job in jobs if _content(job).get("method") != "counter"]
    if jobs and not without:
        return "counter", f"the energy registers of the meters carry each of the {len(jobs)} runs"
    if len(without) < len(jobs):
        return "integral", f"{len(without)} of the {len(jobs)} runs have no energy register to rely on, so none uses it"
    return "integral", "no run has energy registers to rely on"


def _run(job: Job, method: Method) -> StudyRun:
    content, summary = _content(job), job.summary or Summary({}, 0)
    by = content.get("energy_by") or {}
    told = content.get("method", "integral")
    joules = by.get(method) if by.get(method) is not None else summary.energy_j
    coverage = summary.coverage if told == method else by.get(f"{method}_coverage", summary.coverage)
    duration_s = summary.duration_s or 0.0
    mean_w = summary.mean_w
    if method == "counter" and joules is not None and coverage and duration_s:
        mean_w = joules / (coverage * duration_s)
    return StudyRun(
        job=job,
        method=method,
        energy_j=float(joules or 0.0),
        duration_s=duration_s,
        mean_w=mean_w,
        median_w=summary.median_w,
        max_w=summary.max_w,
        per={unit: float(joules or 0.0) / count for unit, count in _counts(content).items()},
        coverage=float(coverage or 0.0),
        source=summary.source,
        caliber=str(content.get("caliber", "unknown")),
        uncertainty_pct=content.get("uncertainty_pct"),
        revision=summary.revision,
        computed_at_ms=abs(summary.computed_at_ms),
    )


def _content(job: Job) -> Mapping[str, Any]:
    return job.summary.content if job.summary else {}


def _counts(content: Mapping[str, Any]) -> dict[str, float]:
    """How many units of work a job did, by unit."""
    return {unit: float(told["count"]) for unit, told in (content.get("per") or {}).items()}
