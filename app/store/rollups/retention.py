"""Delete data that is older than its retention."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import ColumnElement, Connection, Engine, Table, delete, exists, func, select

from app.models import ChunkColumnRow, ChunkRow, LayoutRow, RetentionWatermarkRow, RollupDaySeriesRow, table
from app.store.database import among, reading, upsert, writing
from app.store.rollups.day_revisions import renew_days
from app.store.rollups.day_sums import SUM
from app.store.rollups.days import DAY
from app.store.rollups.minutes import decode_day, in_hours, save
from app.store.timeseries import KnownLayout, LayoutCatalog, lock_streams
from collectors.contract import DAY_MS, HOUR_MS, Quantity

CHUNK = table(ChunkRow)
COLUMN = table(ChunkColumnRow)
LAYOUT = table(LayoutRow)
MINUTE = table(RollupDaySeriesRow)
RETIRED = table(RetentionWatermarkRow)
_AT_ONCE = 500


def retired_before(engine: Engine, kinds: Sequence[str]) -> int:
    """Return the time before which samples of these classes may have been deleted; 0 if none were."""
    with reading(engine) as connection:
        return connection.scalar(select(func.max(RETIRED.c.before_ms)).where(RETIRED.c.kind.in_(kinds))) or 0


def retention_borders(engine: Engine) -> dict[str, int]:
    """Return, by class of quantities, the time before which samples may have been deleted [ms]."""
    with reading(engine) as connection:
        rows = connection.execute(select(RETIRED.c.kind, RETIRED.c.before_ms))
        return {row.kind: row.before_ms for row in rows}


def announce(connection: Connection, kind: str, before_ms: int) -> None:
    """Record that samples of a class will be deleted; results from them are not computed again from now on."""
    known = connection.scalar(select(RETIRED.c.before_ms).where(RETIRED.c.kind == kind)) or 0
    upsert(connection, RETIRED, {"kind": [kind], "before_ms": [max(known, before_ms)]})


def retire_samples(engine: Engine, quantities: frozenset[Quantity], before_ms: int) -> int:
    """Delete the sealed values of some quantities in windows that ended before a time; return how many series of
    chunks. One transaction per layout; frames that are not sealed yet stay until they are.
    """
    catalog = LayoutCatalog(engine)
    with reading(engine) as connection:
        layouts = [catalog.by_id(connection, id_) for id_ in connection.scalars(select(LAYOUT.c.id))]
    removed = 0
    for known in layouts:
        columns = [i for i, series in enumerate(known.layout.series) if series.quantity in quantities]
        while columns and (starts := _old_windows(engine, known, columns, before_ms)):
            removed += _remove(engine, known, columns, starts)
    return removed


def _old_windows(engine: Engine, known: KnownLayout, columns: Sequence[int], before_ms: int) -> list[int]:
    """Return the expired windows that still hold values of these columns."""
    query = (
        select(CHUNK.c.start_ms)
        .where(CHUNK.c.stream_id == known.stream_id, CHUNK.c.layout_id == known.id, CHUNK.c.last_ms < before_ms)
        .where(exists().where(*_same_chunk(), COLUMN.c.column_index.in_(columns)))
        .limit(_AT_ONCE)
    )
    with reading(engine) as connection:
        return list(connection.scalars(query))


def _remove(engine: Engine, known: KnownLayout, columns: Sequence[int], starts: Sequence[int]) -> int:
    with writing(engine) as connection:
        lock_streams(connection, [known.stream_id])
        values = delete(COLUMN).where(
            COLUMN.c.stream_id == known.stream_id,
            COLUMN.c.layout_id == known.id,
            among(connection, COLUMN.c.start_ms, starts),
            COLUMN.c.column_index.in_(columns),
        )
        removed = connection.execute(values).rowcount
        empty = delete(CHUNK).where(
            CHUNK.c.stream_id == known.stream_id,
            CHUNK.c.layout_id == known.id,
            among(connection, CHUNK.c.start_ms, starts),
            ~exists().where(*_same_chunk()),
        )
        connection.execute(empty)
    return removed


def _same_chunk() -> list[ColumnElement[bool]]:
    return [
        COLUMN.c.stream_id == CHUNK.c.stream_id,
        COLUMN.c.start_ms == CHUNK.c.start_ms,
        COLUMN.c.layout_id == CHUNK.c.layout_id,
    ]


def minutes_to_hours(connection: Connection, quantity: Quantity, before_ms: int) -> int:
    """Convert some days that ended before a time from minutes to hours; return how many, 0 when done."""
    query = select(MINUTE).where(*_days_of(MINUTE, quantity, before_ms), MINUTE.c.step_ms < HOUR_MS).limit(_AT_ONCE)
    rows = connection.execute(query).mappings().all()
    for row in rows:
        save(connection, row["day_ms"], {row["subject"]: in_hours(decode_day(row), HOUR_MS)})
    return len(rows)


def drop_days(connection: Connection, quantity: Quantity, before_ms: int) -> int:
    """Delete the days that ended before a time; return how many."""
    days = connection.scalars(select(DAY.c.day_ms).where(*_days_of(DAY, quantity, before_ms)).distinct())
    renew_days(connection, list(days))
    for rows in (SUM, MINUTE):
        connection.execute(delete(rows).where(*_days_of(rows, quantity, before_ms)))
    return connection.execute(delete(DAY).where(*_days_of(DAY, quantity, before_ms))).rowcount


def _days_of(rows: Table, quantity: Quantity, before_ms: int) -> list[ColumnElement[bool]]:
    return [rows.c.day_ms <= before_ms - DAY_MS, rows.c.subject.endswith(f":{quantity}", autoescape=True)]


def until_done(engine: Engine, step: Callable[[Connection], int]) -> int:
    """Repeat a step, each time in its own transaction, until it has nothing to do; return how much it did."""
    done = 0
    while True:
        with writing(engine) as connection:
            now = step(connection)
        done += now
        if not now:
            return done
