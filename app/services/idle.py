"""What a node draws when no job holds it."""

from __future__ import annotations

import math
from collections.abc import Iterable

from app.domain.curve import window
from app.domain.statistics import IDLE_MINIMUM_MS, Baseline, idle_baseline_w
from app.services.context import Context
from app.services.job_power import held
from app.services.node_power import node_power

DAYS_MS = 30 * 86_400_000
_DAY_MS = 86_400_000
REACH_MS = DAYS_MS + _DAY_MS
"""What happens on a node may count in the idle power of jobs that end so much later."""
_KEPT_MS = 3_600_000
_MOST_KEPT = 10_000


def idle_baseline(context: Context, node: str, end_ms: int, *, declared_only: bool = False) -> Baseline | None:
    """What the model declares, or the median power over the node's idle time in the 30 days before the UTC day of
    `end_ms`; where that is less than half an hour, before `end_ms` itself; None where that is too.

    Measuring reads a month of the node: `declared_only` leaves it, and what was measured for a day is kept for the
    jobs of an hour to come.
    """
    facility = context.facility.at(end_ms)
    known = facility.nodes.get(node)
    model = facility.model_of(known) if known else None
    if model and model.idle_w is not None:
        return Baseline(model.idle_w, None)
    if declared_only:
        return None
    return _before_the_day(context, node, end_ms - end_ms % _DAY_MS) or _measured(context, node, end_ms)


def _before_the_day(context: Context, node: str, day_ms: int) -> Baseline | None:
    now_ms = context.now_ms()
    found = context.baselines.get((node, day_ms))
    if found is None or now_ms - found[0] > _KEPT_MS:
        if len(context.baselines) >= _MOST_KEPT:
            context.baselines.clear()
        found = now_ms, _measured(context, node, day_ms)
        context.baselines[node, day_ms] = found
    return found[1]


def _measured(context: Context, node: str, end_ms: int) -> Baseline | None:
    start_ms = max(0, end_ms - DAYS_MS)
    jobs = context.jobs.overlapping(node, start_ms, end_ms)
    busy = [held(part, job.start_ms, job.end_ms or end_ms) for job in jobs for part in job.nodes if part.node == node]
    idle = free_stretches(busy, start_ms, end_ms)
    if sum(b - a for a, b in idle) < IDLE_MINIMUM_MS:
        return None
    curve = node_power(context, node, idle[0][0], idle[-1][1]).total
    watts = idle_baseline_w(curve, idle)
    covered = sum(window(curve, a, b).covered_ms for a, b in idle)
    return None if math.isnan(watts) else Baseline(watts, covered)


def free_stretches(busy: Iterable[tuple[int, int]], start_ms: int, end_ms: int) -> list[tuple[int, int]]:
    """What of [start, end) none of `busy` holds."""
    free, at = [], start_ms
    for a, b in sorted(busy):
        if a > at:
            free.append((at, min(a, end_ms)))
        at = max(at, b)
    if at < end_ms:
        free.append((at, end_ms))
    return [(a, b) for a, b in free if a < b]
