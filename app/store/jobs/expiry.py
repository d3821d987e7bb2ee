"""Which ended jobs are affected by a change on their nodes, and their summaries as outdated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Select, case, func, select, update

from app.store.accounts import touch
from app.store.jobs.job_list import JOB, PART


def ended_on(nodes: Sequence[str], start_ms: int, end_ms: int) -> Select[Any]:
    """Return the ended jobs that held any of `nodes` in some part of [start, end)."""
    begin = func.coalesce(PART.c.start_ms, JOB.c.start_ms)
    end = func.coalesce(PART.c.end_ms, JOB.c.end_ms)
    held = select(JOB.c.id).join(PART, PART.c.job == JOB.c.id)
    return held.where(PART.c.node.in_(nodes), JOB.c.end_ms.is_not(None), begin < end_ms, end > start_ms)


def expire(
    connection: Connection, nodes: Sequence[str], start_ms: int, end_ms: int, now_ms: int, but: str = ""
) -> None:
    """Record that readings or jobs of `nodes` in [start, end) changed; ended jobs but `but` are outdated.

    A summary that was computed by a clock ahead of now is made as old as now.
    """
    others = JOB.c.id.in_(ended_on(nodes, start_ms, end_ms)), JOB.c.id != but
    summarised = case((JOB.c.summarised_at_ms > now_ms, now_ms), else_=JOB.c.summarised_at_ms)
    connection.execute(update(JOB).where(*others).values(touched_ms=now_ms, summarised_at_ms=summarised))
    touch(connection, nodes, start_ms, end_ms, now_ms)
