"""What the runs of a month say about it: its uncertainty, and what their GPUs took while they did nothing."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from app.domain.energy import K, UncertaintyParts, added
from app.store.jobs import Job


def uncertainty_pct(jobs: Sequence[Job], start_ms: int, end_ms: int, now_ms: int) -> float | None:
    """Return the expanded uncertainty of the energy of runs in a window [%]; None where a meter states no accuracy.

    A run counts with the share of its time inside the window, and without what another job includes too.
    Source: docs/semantics.md, "Uncertainty".
    """
    each, joules = [], []
    for job in jobs:
        if job.summary is None or not job.summary.energy_j:
            continue
        weight = _inside(job, start_ms, end_ms, now_ms) * _own(job)
        each.append((weight, _parts(job)))
        joules.append(weight * job.summary.energy_j)
    total_j = abs(math.fsum(joules))
    found = 100 * K * added(each).total_j / total_j if total_j else math.nan
    return found if math.isfinite(found) else None


def idle_by_day(jobs: Sequence[Job], first: date, end: date) -> dict[date, float]:
    """Return the energy [J] of allocated GPUs that did nothing, by day from `first` until before `end`."""
    days: dict[date, float] = defaultdict(float)
    for job in jobs:
        for day, joules in _idle_days(job):
            if first <= day < end:
                days[day] += joules
    return dict(sorted(days.items()))


def _content(job: Job) -> Mapping[str, Any]:
    return job.summary.content if job.summary else {}


def _idle_days(job: Job) -> Iterator[tuple[date, float]]:
    idle = (_content(job).get("gpu") or {}).get("idle") or {}
    for day, joules in idle.get("by_day", {}).items():
        yield date.fromisoformat(day), joules


def _inside(job: Job, start_ms: int, end_ms: int, now_ms: int) -> float:
    job_end_ms = now_ms if job.end_ms is None else job.end_ms
    inside_ms = min(end_ms, job_end_ms) - max(start_ms, job.start_ms)
    return max(0.0, inside_ms / (job_end_ms - job.start_ms)) if job_end_ms > job.start_ms else 0.0


def _own(job: Job) -> float:
    summary = job.summary
    if summary is None or not summary.energy_j:
        return 0.0
    return 1.0 - (_content(job).get("inside_j") or 0.0) / summary.energy_j


def _parts(job: Job) -> UncertaintyParts:
    found = _content(job).get("uncertainty")
    if found is None:
        return UncertaintyParts({}, math.nan)
    by_meter = {meter: math.nan if own_j is None else own_j for meter, own_j in found["by_meter"].items()}
    return UncertaintyParts(by_meter, math.nan if found["other_j"] is None else found["other_j"])
