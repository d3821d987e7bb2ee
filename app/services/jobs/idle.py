"""What a node draws when no job holds it."""

from __future__ import annotations

import math
from collections.abc import Iterable

from app.domain.energy import IDLE_MINIMUM_MS, Baseline, idle_baseline_w
from app.domain.timeseries import window
from app.services.energy import read_node_power
from app.services.invalidation import IDLE_DAYS_MS
from app.services.jobs.power import held
from app.services.jobs.stores import JobStores
from collectors.contract import DAY_MS


def idle_baseline(stores: JobStores, node: str, end_ms: int, *, declared_only: bool = False) -> Baseline | None:
    """What the model declares, or the median power over the node's idle time in the 30 days before the UTC day of
    `end_ms`; where that is less than half an hour, before `end_ms` itself; None where that is too.

    Measuring reads a month of the node: `declared_only` leaves it, and what was measured for a day is kept for the
    jobs of an hour to come.
    """
    facility = stores.facility.at(end_ms)
    known = facility.nodes.get(node)
    model = facility.model_of(known) if known else None
    if model and model.idle_w is not None:
        return Baseline(model.idle_w, None)
    if declared_only:
        return None
    return _before_the_day(stores, node, end_ms - end_ms % DAY_MS) or _measured(stores, node, end_ms)


def _before_the_day(stores: JobStores, node: str, day_ms: int) -> Baseline | None:
    now_ms = stores.now_ms()
    found = stores.baselines.get(node, day_ms, now_ms)
    if found is None:
        found = (_measured(stores, node, day_ms),)
        stores.baselines.put(node, day_ms, found[0], now_ms)
    return found[0]


def _measured(stores: JobStores, node: str, end_ms: int) -> Baseline | None:
    start_ms = max(0, end_ms - IDLE_DAYS_MS)
    jobs = stores.jobs.overlapping(node, start_ms, end_ms)
    busy = [held(part, job.start_ms, job.end_ms or end_ms) for job in jobs for part in job.nodes if part.node == node]
    idle = free_stretches(busy, start_ms, end_ms)
    if sum(b - a for a, b in idle) < IDLE_MINIMUM_MS:
        return None
    curve = read_node_power(stores, node, idle[0][0], idle[-1][1]).total
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
