"""Store the energy of each node and day, from which accounts are computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, bindparam, case, delete, or_, select, update

from app.models import NodeDayRow, table
from app.store.accounts.site_days import outdate
from app.store.database import among_texts, insertion, reading, writing

DAY = table(NodeDayRow)
_NEVER_MS = 0
_COMPUTED = DAY.c.computed_at_ms > _NEVER_MS


@dataclass(frozen=True)
class NodeDay:
    """The energy of a node in [start, end), a past day, divided among jobs."""

    node: str
    start_ms: int
    end_ms: int
    basis: str
    computed_at_ms: int
    content: Mapping[str, Any]


class NodeDayStore:
    """The node days computed last. Safe to share between threads.

    A day is computed in three steps: `expect`, read its readings and jobs, `save`. What changes after `expect` marks
    the day, also one that was never computed, and `save` keeps that mark.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def fresh(self, nodes: Sequence[str], start_ms: int, end_ms: int) -> dict[tuple[str, int], NodeDay]:
        """Return, by (node, start), the days inside [start, end) that no reading and no job has changed since."""
        is_fresh = or_(DAY.c.touched_ms.is_(None), DAY.c.touched_ms < DAY.c.computed_at_ms) & _COMPUTED
        return {(day.node, day.start_ms): day for day in self._inside(nodes, start_ms, end_ms, is_fresh)}

    def kept(self, nodes: Sequence[str], start_ms: int, end_ms: int) -> list[NodeDay]:
        """Return all days inside [start, end), whatever has changed since."""
        return self._inside(nodes, start_ms, end_ms, _COMPUTED)

    def _inside(self, nodes: Sequence[str], start_ms: int, end_ms: int, *more: ColumnElement[bool]) -> list[NodeDay]:
        query = select(*(column for column in DAY.c if column.name != "touched_ms")).where(
            DAY.c.start_ms >= start_ms, DAY.c.end_ms <= end_ms, *more
        )
        with reading(self._engine) as connection:
            found = connection.execute(query.where(among_texts(connection, DAY.c.node, nodes))).mappings()
            return [NodeDay(**row) for row in found]

    def expect(self, days: Sequence[tuple[str, int, int]]) -> None:
        """Note days as (node, start, end) that are about to be computed: from now on their changes are recorded."""
        if not days:
            return
        blank = {"basis": "", "computed_at_ms": _NEVER_MS, "content": {}}
        rows = [{"node": node, "start_ms": start, "end_ms": end, **blank} for node, start, end in days]
        with writing(self._engine) as connection:
            connection.execute(insertion(connection, DAY).on_conflict_do_nothing(), rows)

    def save(self, days: Sequence[NodeDay]) -> None:
        """Store days in place of what is stored of their time."""
        if not days:
            return
        other = (
            DAY.c.node == bindparam("of_node"),
            DAY.c.start_ms != bindparam("from_ms"),
            DAY.c.start_ms < bindparam("until_ms"),
            DAY.c.end_ms > bindparam("from_ms"),
        )
        times = [{"of_node": day.node, "from_ms": day.start_ms, "until_ms": day.end_ms} for day in days]
        with writing(self._engine) as connection:
            connection.execute(delete(DAY).where(*other), times)
            insert = insertion(connection, DAY)
            changes = {name: insert.excluded[name] for name in ("end_ms", "basis", "computed_at_ms", "content")}
            row = insert.on_conflict_do_update(index_elements=["node", "start_ms"], set_=changes)
            connection.execute(row, [vars(day) for day in days])


def any_day(connection: Connection, nodes: Sequence[str], start_ms: int, end_ms: int) -> bool:
    """Return whether a day of any of `nodes` in [start, end) is stored."""
    return connection.scalar(select(DAY.c.node).where(*_touching(nodes, start_ms, end_ms)).limit(1)) is not None


def touch(connection: Connection, nodes: Sequence[str], start_ms: int, end_ms: int, now_ms: int) -> None:
    """Record that readings or jobs of `nodes` in [start, end) changed: their days and those of their sites."""
    computed = case((DAY.c.computed_at_ms > now_ms, now_ms), else_=DAY.c.computed_at_ms)  # by a clock ahead
    touched = update(DAY).where(*_touching(nodes, start_ms, end_ms))
    connection.execute(touched.values(touched_ms=now_ms, computed_at_ms=computed))
    outdate(connection, nodes, start_ms, end_ms)


def _touching(nodes: Sequence[str], start_ms: int, end_ms: int) -> list[ColumnElement[bool]]:
    return [DAY.c.node.in_(nodes), DAY.c.start_ms < end_ms, DAY.c.end_ms > start_ms]
