"""Which jobs changed, in the order of the transactions that changed them, so that a copy in memory stays current."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select

from app.models import JobChangeRow, table
from app.store.database import take_turns

CHANGE = table(JobChangeRow)
KEPT = 20_000
_PRUNE_EVERY = 1000
_LOCK = 0x4A6F6273


@dataclass(frozen=True)
class JobChanges:
    """Jobs that changed since a position, None if that is not known any more. `position`: of the last change."""

    position: int
    jobs: frozenset[str] | None


def record_changes(connection: Connection, jobs: Iterable[str]) -> None:
    """Record that jobs were created, changed or deleted; call it last in a transaction.

    Others wait until the transaction ends, so that numbers become visible in their order.
    """
    rows = [{"job": job} for job in dict.fromkeys(jobs)]
    if not rows:
        return
    take_turns(connection, _LOCK)
    connection.execute(insert(CHANGE), rows)
    newest = int(connection.execute(select(func.max(CHANGE.c.id))).scalar_one())
    if newest % _PRUNE_EVERY < len(rows):
        connection.execute(delete(CHANGE).where(CHANGE.c.id <= newest - KEPT))


def changes_since(connection: Connection, position: int) -> JobChanges:
    """Return what changed after a position."""
    first, last = connection.execute(select(func.min(CHANGE.c.id), func.max(CHANGE.c.id))).one()
    newest = last or 0
    if newest == position:
        return JobChanges(position, frozenset())
    if newest < position or first > position + 1:
        return JobChanges(newest, None)
    query = select(CHANGE.c.job).where(CHANGE.c.id > position).distinct()
    return JobChanges(newest, frozenset(connection.scalars(query)))
