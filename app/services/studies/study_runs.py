"""The runs of a study: ended jobs with figures by one method, and the excluded jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from app.errors import Invalid, NotFound
from app.models import Method
from app.services.jobs import with_summary
from app.services.studies.stores import StudyStores
from app.store.jobs import Job, JobFilter, Summary

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
"""States of runs that did not complete; Slurm reports `CANCELLED by 1000`."""
_PAGE = 500
_WITHOUT: Mapping[Method, str] = {
    "integral": "its meters report energy registers and no power",
    "counter": "not every meter of it has a usable energy register",
    "mixed": "its energy is by one method only",
}


@dataclass(frozen=True)
class StudyRun:
    """One ended job with energy and mean power by the method of the study.

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
    power_basis: str
    uncertainty_pct: float | None
    revision: int
    computed_at_ms: int


@dataclass(frozen=True)
class ExcludedJob:
    """A job that matches but is excluded."""

    id: str
    name: str
    reason: Literal["running", "no_coverage", "low_coverage", "unfinished", "no_tag", "other_method"]
    detail: str


@dataclass(frozen=True)
class StudyRuns:
    """The runs of a study and the excluded jobs. `method` is the same for all runs; `method_why` says why."""

    runs: Sequence[StudyRun]
    excluded: Sequence[ExcludedJob]
    method: Method
    method_why: str


def study_runs(stores: StudyStores, which: JobFilter, by: Sequence[str] = (), min_coverage: float = 0.0) -> StudyRuns:
    """Return the jobs of a filter as runs.

    Parameters
    ----------
    by: tags to group by; jobs without them are excluded.
    min_coverage: runs covered for a smaller share of their time are excluded.

    Raises
    ------
    NotFound, Invalid
        An id is not known, the window ends before it starts, or more than 5000 jobs match.
    """
    candidates, excluded = [], []
    for job in _jobs(stores, which):
        exclusion = _unsuitable(job, by, has_state=which.state is not None)
        if exclusion is None:
            candidates.append(job)
        else:
            excluded.append(exclusion)
    corrections = stores.facility.corrections(min(map(_computed, candidates), default=0)) if candidates else []
    kept = []
    for job in (with_summary(stores, job, corrections=corrections) for job in candidates):
        exclusion = _uncovered(job, min_coverage)
        if exclusion is None:
            kept.append(job)
        else:
            excluded.append(exclusion)
    method, why = _one_method(kept)
    excluded += [_exclude(job, "other_method", _WITHOUT[method]) for job in kept if not _has(job, method)]
    return StudyRuns([_run(job, method) for job in kept if _has(job, method)], excluded, method, why)


def value_of(job: Job, name: str) -> str | None:
    """Return a tag of a job, else its field of that name: name, user, project, partition, cluster, id, node."""
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
        page, cursor = stores.jobs.list(replace(which, in_full=True), "start", _PAGE, cursor)
        seen |= {job.id for job in page}
        if len(seen) > MOST_RUNS:
            raise Invalid(f"more than {MOST_RUNS} jobs match", "filter by tag, user, from and to", code="too_many_jobs")
        yield from page
        if cursor is None:
            break
    known = seen | stores.jobs.many(set(which.ids) - seen).keys()
    for id_ in which.ids:
        if id_ not in known:
            raise NotFound(
                f"there is no job {id_}", "GET /api/v1/jobs?cluster=&job_id= finds the id of a scheduler's job"
            )


def _unsuitable(job: Job, by: Sequence[str], *, has_state: bool) -> ExcludedJob | None:
    """Return why a job cannot be a run, as far as it is known without its figures."""
    if job.end_ms is None:
        return _exclude(job, "running", "it is still running")
    state = (job.state or "").lower()
    if not has_state and state.startswith(UNFINISHED):
        return _exclude(job, "unfinished", f"it did not finish: {job.state}; use state={job.state} to include it")
    missing = [name for name in by if value_of(job, name) is None]
    return _exclude(job, "no_tag", f"it has no tag {', '.join(missing)}") if missing else None


def _uncovered(job: Job, min_coverage: float) -> ExcludedJob | None:
    summary = job.summary or Summary({}, 0)
    coverage = summary.coverage or 0.0
    if summary.energy_j is None or not coverage:
        return _exclude(job, "no_coverage", "nothing was measured while it ran")
    if coverage < min_coverage:
        detail = f"{100 * coverage:.2f} % of its time was measured, {100 * min_coverage:g} % are required"
        return _exclude(job, "low_coverage", detail)
    return None


def _exclude(job: Job, reason: Any, detail: str) -> ExcludedJob:  # noqa: ANN401 (one of ExcludedJob's reasons)
    return ExcludedJob(job.id, job.name or job.job_id or job.id, reason, detail)


def _computed(job: Job) -> int:
    return job.summary.computed_at_ms if job.summary else 0


def _one_method(jobs: Sequence[Job]) -> tuple[Method, str]:
    """Return one method for all runs: that of all headlines, else the integral, else what most runs have.

    Source: docs/semantics.md, "Which energy is the headline".
    """
    methods = [_content(job).get("method", "integral") for job in jobs]
    n, counted = len(jobs), sum(_has(job, "counter") for job in jobs)
    if jobs and methods.count("counter") == n:
        return "counter", f"all {n} runs are covered by energy registers of the meters"
    if all(_has(job, "integral") for job in jobs):
        without = n - methods.count("counter")
        if without < n:
            return (
                "integral",
                f"{without} of the {n} runs have no energy register with a smaller bound, so none uses them",
            )
        if counted:
            return "integral", "no run has an energy register with a smaller bound"
        return "integral", "no run has a usable energy register"
    if methods.count("mixed") == n:
        return "mixed", f"in all {n} runs some nodes have energy registers only and others power only"
    if counted >= n - counted:
        return "counter", f"{counted} of the {n} runs have energy registers, some of them no power"
    return "integral", f"{n - counted} of the {n} runs have no energy register"


def _has(job: Job, method: Method) -> bool:
    """Return whether the energy of a run is known by a method."""
    content = _content(job)
    if content.get("method", "integral") == method:
        return True
    return (content.get("energy_by") or {}).get(method) is not None


def _run(job: Job, method: Method) -> StudyRun:
    content, summary = _content(job), job.summary or Summary({}, 0)
    by = content.get("energy_by") or {}
    headline = content.get("method", "integral")
    joules = summary.energy_j if headline == method else by.get(method)
    coverage = summary.coverage if headline == method else by.get(f"{method}_coverage", summary.coverage)
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
        power_basis=str(content.get("power_basis", "measured")),
        uncertainty_pct=content.get("uncertainty_pct") if headline == method else by.get(f"{method}_uncertainty_pct"),
        revision=summary.revision,
        computed_at_ms=abs(summary.computed_at_ms),
    )


def _content(job: Job) -> Mapping[str, Any]:
    return job.summary.content if job.summary else {}


def _counts(content: Mapping[str, Any]) -> dict[str, float]:
    """Return the units of work of a job, by unit."""
    return {unit: float(work["count"]) for unit, work in (content.get("per") or {}).items()}
