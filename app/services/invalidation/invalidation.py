"""Mark figures as out of date when readings or jobs of a node change."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from app.services.attribution import sharing_allocations
from app.services.invalidation.stores import InvalidationStores
from app.store.facility import History
from collectors.contract import DAY_MS

IDLE_DAYS_MS = 30 * DAY_MS
"""Idle power is measured over the 30 days before a UTC day."""
REACH_MS = IDLE_DAYS_MS + DAY_MS
"""What happens on a node may count in the idle power of jobs that end so much later."""


def readings_changed(
    stores: InvalidationStores, history: History, devices: Iterable[str], first_ms: int, last_ms: int
) -> int:
    """Mark the figures of jobs that readings of `devices` in [first, last] may change; return how many.

    The caller widens the span by the longest gap that a reading may bridge.
    """
    changed = set(devices)
    first, last = history.at(first_ms), history.at(last_ms)
    nodes = last.nodes_metered_by(changed)
    if first is not last:
        nodes |= first.nodes_metered_by(changed)
    return node_changed(stores, nodes, first_ms, last_ms)


def node_changed(stores: InvalidationStores, nodes: Collection[str], start_ms: int, end_ms: int) -> int:
    """Mark the figures of ended jobs on `nodes` in [start, end), and of jobs whose idle power was measured there.

    Return how many.
    """
    if not nodes:
        return 0
    now_ms = stores.now_ms()
    stores.baselines.invalidate(nodes, start_ms)
    return stores.jobs.expire(sorted(nodes), start_ms, end_ms + REACH_MS, now_ms)


def jobs_changed(stores: InvalidationStores, nodes: Collection[str], start_ms: int, end_ms: int) -> int:
    """Do as `node_changed`, and forget the figures of running jobs that share a node now."""
    allocations = sharing_allocations(stores, list(nodes), start_ms, end_ms)
    stores.running.invalidate({one.job for held in allocations.values() for one in held})
    return node_changed(stores, nodes, start_ms, end_ms)
