"""What a node draws when no job holds it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from app.domain.curve import window
from app.domain.statistics import IDLE_MINIMUM_MS, idle_baseline_w
from app.services.context import Context
from app.services.job_power import held
from app.services.node_power import node_power

DAYS_MS = 30 * 86_400_000


@dataclass(frozen=True)
class Baseline:
    """The idle power of a node [W]; `idle_ms`: measured over so much idle time, None where its model declares it."""

    w: float
    idle_ms: int | None


def idle_baseline(context: Context, node: str, end_ms: int, *, declared_only: bool = False) -> Baseline | None:
    """The median power over the idle time of the 30 days before `end_ms`, or what the model declares; None below
    half an hour of idle time. Measuring reads a month of the node: `declared_only` leaves it.
    """
    facility = context.facility.at(end_ms)
    known = facility.nodes.get(node)
    model = facility.model_of(known) if known else None
    if model and model.idle_w is not None:
        return Baseline(model.idle_w, None)
    if declared_only:
        return None
    start_ms = max(0, end_ms - DAYS_MS)
    jobs = context.jobs.overlapping(node, start_ms, end_ms)
    busy = [held(part, job.start_ms, job.end_ms or end_ms) for job in jobs for part in job.nodes if part.node == node]
    idle = free_stretches(busy, start_ms, end_ms)
    if sum(b - a for a, b in idle) < IDLE_MINIMUM_MS:
        return None
    curve = node_power(context, node, start_ms, end_ms).total
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
