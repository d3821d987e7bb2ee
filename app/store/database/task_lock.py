"""Locks for tasks that only one process at a time may run on a database."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, delete, or_, select

from app.models import TaskLockRow, table
from app.store.database.bulk import insertion

TASK_LOCK = table(TaskLockRow)


def acquire_task_lock(connection: Connection, task: str, holder: str, now_ms: int, for_ms: int) -> bool:
    """Acquire or renew the lock of a task for `for_ms` from now; return False while another holder has it.

    A lock that ends later than anyone would make it now is left from a clock that was ahead, and is not in force.

    Called again in the transaction that stores the result, it ensures that no other process took over meanwhile.
    """
    row = insertion(connection, TASK_LOCK).values(task=task, holder=holder, until_ms=now_ms + for_ms)
    mine = row.on_conflict_do_update(
        index_elements=["task"],
        set_={"holder": row.excluded.holder, "until_ms": row.excluded.until_ms},
        where=or_(
            TASK_LOCK.c.holder == row.excluded.holder,
            TASK_LOCK.c.until_ms <= now_ms,
            TASK_LOCK.c.until_ms > now_ms + 2 * for_ms,
        ),
    )
    return connection.scalar(mine.returning(TASK_LOCK.c.holder)) is not None


def task_lock_holders(connection: Connection) -> set[str]:
    """Return the holders of all task locks."""
    return set(connection.scalars(select(TASK_LOCK.c.holder)))


def release_task_locks(connection: Connection, holders: Collection[str]) -> None:
    """Release the locks of some holders."""
    connection.execute(delete(TASK_LOCK).where(TASK_LOCK.c.holder.in_(holders)))
