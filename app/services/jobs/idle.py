"""Idle power of nodes: what a node draws while no job holds it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from app.domain.energy import IDLE_MINIMUM_MS, Baseline, idle_baseline_w
from app.domain.timeseries import Curve, window
from app.services.attribution import read_allocations, read_nodes
from app.services.energy import read_node_power
from app.services.invalidation import IDLE_DAYS_MS
from app.services.jobs.power import JobPower, model_at
from app.services.jobs.stores import JobStores
from collectors.contract import DAY_MS

MOST_MEASURED = 8
"""The idle power of more nodes is not measured, only taken as declared: each would be a month of readings."""


def idle_baselines(stores: JobStores, power: JobPower) -> dict[str, Baseline | None]:
    """Return the idle power of each node of a job: what its model declares, or the median power over its idle time in
    the 30 days before the UTC day in which the job ends; where that is less than half an hour, before that end itself;
    None where that is too.

    Measuring reads a month of a node: of jobs on many nodes only what is declared counts, and what was measured for a
    day is kept for the jobs of the next hour.
    """
    facility, end_ms = power.inputs.facility, power.end_ms
    models = {node: model_at(facility, node, end_ms) for node in dict.fromkeys(p.power.node for p in power.parts)}
    declared = {node: Baseline(m.idle_w, None) for node, m in models.items() if m and m.idle_w is not None}
    if len(power.parts) > MOST_MEASURED:
        return {node: declared.get(node) for node in models}
    undeclared = [node for node in models if node not in declared]
    measured = _before_the_day(stores, undeclared, end_ms - end_ms % DAY_MS)
    measured |= _measured(stores, [node for node in undeclared if measured[node] is None], end_ms)
    return {node: declared.get(node) or measured[node] for node in models}


def _before_the_day(stores: JobStores, nodes: Sequence[str], day_ms: int) -> dict[str, Baseline | None]:
    now_ms = stores.now_ms()
    known = {node: stores.baselines.get(node, day_ms, now_ms) for node in nodes}
    measured = _measured(stores, [node for node, found in known.items() if found is None], day_ms)
    for node, baseline in measured.items():
        stores.baselines.put(node, day_ms, baseline, now_ms)
    return {node: measured[node] if found is None else found[0] for node, found in known.items()}


def _measured(stores: JobStores, nodes: Sequence[str], end_ms: int) -> dict[str, Baseline | None]:
    if not nodes:
        return {}
    start_ms = max(0, end_ms - IDLE_DAYS_MS)
    allocations = read_allocations(stores, nodes, start_ms, end_ms)
    idle = {
        node: free_stretches([(a.start_ms, a.end_ms) for a in allocations.on(node, start_ms, end_ms)], start_ms, end_ms)
        for node in nodes
    }
    idle = {node: free for node, free in idle.items() if sum(b - a for a, b in free) >= IDLE_MINIMUM_MS}
    spans = [(node, free[0][0], free[-1][1]) for node, free in idle.items()]
    inputs = read_nodes(stores, spans, allocations)
    found = {span[0]: _median(read_node_power(inputs, *span).total, idle[span[0]]) for span in spans}
    return {node: found.get(node) for node in nodes}


def _median(curve: Curve, idle: Sequence[tuple[int, int]]) -> Baseline | None:
    watts = idle_baseline_w(curve, idle)
    covered_ms = sum(window(curve, a, b).covered_ms for a, b in idle)
    return None if math.isnan(watts) else Baseline(watts, covered_ms)


def free_stretches(busy: Iterable[tuple[int, int]], start_ms: int, end_ms: int) -> list[tuple[int, int]]:
    """Return the parts of [start, end) that no span of `busy` covers."""
    free, at = [], start_ms
    for a, b in sorted(busy):
        if a > at:
            free.append((at, min(a, end_ms)))
        at = max(at, b)
    if at < end_ms:
        free.append((at, end_ms))
    return [(a, b) for a, b in free if a < b]
