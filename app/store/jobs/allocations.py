"""Return which jobs hold which nodes, and what of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Engine, Select, func, select

from app.store.database import reading
from app.store.jobs.job import JobNode
from app.store.jobs.job_list import JOB, PART


@dataclass(frozen=True)
class Allocation:
    """A job's part on a node in [start, end) [ms].

    `name`: display name of the job. `number`: its scheduler id. `within`: scheduler id of the job in which it runs.
    """

    job: str
    name: str
    part: JobNode
    start_ms: int
    end_ms: int
    number: str | None = None
    within: str | None = None


def held_nodes(
    engine: Engine, nodes: Sequence[str], start_ms: int, end_ms: int, now_ms: int
) -> dict[str, list[Allocation]]:
    """Return the allocations of each node in [start, end), by start; a running job holds its nodes until now."""
    begin, end = _span(max(now_ms, end_ms))
    query = _allocations(begin, end).where(PART.c.node.in_(nodes), begin < end_ms, end > start_ms)
    return _read(engine, query)


def held_around(
    engine: Engine, nodes: Sequence[str], start_ms: int, end_ms: int, now_ms: int
) -> dict[str, list[Allocation]]:
    """Return what `held_nodes` returns, and what else jobs held of each node from the begin of the first of these
    allocations to the end of the last.
    """
    begin, end = _span(max(now_ms, end_ms))
    hull = (
        select(PART.c.node, func.min(begin).label("first_ms"), func.max(end).label("last_ms"))
        .join(JOB, JOB.c.id == PART.c.job)
        .where(PART.c.node.in_(nodes), begin < end_ms, end > start_ms)
        .group_by(PART.c.node)
        .cte("hull")
    )
    query = _allocations(begin, end).join(hull, hull.c.node == PART.c.node)
    return _read(engine, query.where(begin < hull.c.last_ms, end > hull.c.first_ms))


def _span(running_until_ms: int) -> tuple[ColumnElement[int], ColumnElement[int]]:
    begin = func.coalesce(PART.c.start_ms, JOB.c.start_ms)
    return begin, func.coalesce(PART.c.end_ms, JOB.c.end_ms, running_until_ms)


def _allocations(begin: ColumnElement[int], end: ColumnElement[int]) -> Select[Any]:
    name = func.coalesce(func.nullif(JOB.c.name, ""), JOB.c.job_id, JOB.c.id)
    columns = (PART, JOB.c.job_id, JOB.c.within, name.label("name"), begin.label("begin"), end.label("until"))
    return select(*columns).join(JOB, JOB.c.id == PART.c.job).order_by(begin, PART.c.id)


def _read(engine: Engine, query: Select[Any]) -> dict[str, list[Allocation]]:
    found: dict[str, list[Allocation]] = defaultdict(list)
    with reading(engine) as connection:
        for row in connection.execute(query):
            part = JobNode(row.node, None if row.gpus is None else tuple(row.gpus), row.cores, row.exclusive)
            found[row.node].append(Allocation(row.job, row.name, part, row.begin, row.until, row.job_id, row.within))
    return dict(found)
