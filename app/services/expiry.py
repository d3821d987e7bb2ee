"""Which figures are out of date when readings or jobs of a node change."""

from __future__ import annotations

from collections.abc import Collection

from app.services.context import Context
from app.services.holders import holders
from app.services.idle import REACH_MS


def node_changed(context: Context, nodes: Collection[str], start_ms: int, end_ms: int) -> int:
    """Readings of `nodes`, or who holds them, changed in [start, end): the figures of the ended jobs there, and of
    those that take their idle power from that time, are out of date. Returns how many.
    """
    if not nodes:
        return 0
    now_ms = context.now_ms()
    for known in [key for key in context.baselines if key[0] in nodes and key[1] > start_ms]:
        context.baselines.pop(known, None)
    return context.jobs.expire(sorted(nodes), start_ms, end_ms + REACH_MS, now_ms)


def jobs_changed(context: Context, nodes: Collection[str], start_ms: int, end_ms: int) -> int:
    """As `node_changed`, and the running jobs there share the node with others now."""
    for held in holders(context, list(nodes), start_ms, end_ms).values():
        for one in held:
            context.running.pop(one.job, None)
    return node_changed(context, nodes, start_ms, end_ms)
