"""Size and time range of each table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Column, Connection, Engine, Table, func, select, text

from app.models import (
    METADATA,
    ChunkColumnRow,
    ChunkRow,
    EventRow,
    FacilityChangeRow,
    FrameRow,
    JobRow,
    JobSummaryRow,
    LatestFrameRow,
    PollFailureRow,
    RollupDaySeriesRow,
    RollupDaySummaryRow,
    table,
)
from app.store.database.citus import has_citus
from app.store.database.engine import reading

FRAME = table(FrameRow)
CHUNK = table(ChunkRow)
COLUMN = table(ChunkColumnRow)


def _span(row: Table, first: str, last: str | None = None) -> tuple[Column[int], Column[int]]:
    return row.c[first], row.c[last or first]


_TIMES: Mapping[str, tuple[Column[int], Column[int]]] = {
    "frame": _span(FRAME, "t_ms"),
    "chunk": _span(CHUNK, "first_ms", "last_ms"),
    "chunk_column": _span(COLUMN, "first_t_ms", "last_t_ms"),
    "latest_frame": _span(table(LatestFrameRow), "t_ms"),
    "rollup_day_series": _span(table(RollupDaySeriesRow), "day_ms"),
    "rollup_day_summary": _span(table(RollupDaySummaryRow), "day_ms"),
    "poll_failure": _span(table(PollFailureRow), "t_ms"),
    "event": _span(table(EventRow), "t_ms"),
    "job": _span(table(JobRow), "start_ms"),
    "job_summary": _span(table(JobSummaryRow), "computed_at_ms"),
    "facility_change": _span(table(FacilityChangeRow), "made_ms"),
}


@dataclass(frozen=True)
class TableStats:
    """A table, its indexes included.

    Attributes
    ----------
    samples: values in a table of readings; 0 for `chunk`, whose bytes count with those of `chunk_column`.
    oldest_ms, newest_ms: range of the times in its rows; None for a table without times.
    """

    name: str
    rows: int
    bytes: int
    samples: int
    oldest_ms: int | None
    newest_ms: int | None

    @property
    def bytes_per_sample(self) -> float | None:
        """Bytes per sample; None for a table without samples."""
        return self.bytes / self.samples if self.samples else None


@dataclass(frozen=True)
class DatabaseStats:
    """All tables, the largest first."""

    tables: tuple[TableStats, ...]

    @property
    def bytes(self) -> int:
        """Bytes of all tables together."""
        return sum(one.bytes for one in self.tables)

    @property
    def sealed_bytes_per_sample(self) -> float | None:
        """Bytes of a sealed sample including its share of time stamps and indexes; None while nothing is sealed."""
        sealed = [one for one in self.tables if one.name in ("chunk", "chunk_column")]
        samples = sum(one.samples for one in sealed)
        return sum(one.bytes for one in sealed) / samples if samples else None


def stats(engine: Engine) -> DatabaseStats:
    """Return the size of every table. Reads all of them, which takes a while if they are large."""
    with reading(engine) as connection:
        sizes = _sizes(connection)
        found = [_table(connection, row, sizes.get(row.name, 0)) for row in METADATA.tables.values()]
    return DatabaseStats(tuple(sorted(found, key=lambda one: (-one.bytes, one.name))))


def _table(connection: Connection, row: Table, size: int) -> TableStats:
    rows = int(connection.execute(select(func.count()).select_from(row)).scalar_one())
    oldest, newest = None, None
    if row.name in _TIMES:
        first, last = _TIMES[row.name]
        oldest, newest = connection.execute(select(func.min(first), func.max(last))).one()
    return TableStats(row.name, rows, size, _samples(connection, row), oldest, newest)


def _samples(connection: Connection, row: Table) -> int:
    if row is COLUMN:
        return connection.scalar(select(func.sum(COLUMN.c.count))) or 0
    if row is FRAME:
        return (connection.scalar(select(func.sum(func.length(FRAME.c.payload)))) or 0) // 8
    return 0


def _sizes(connection: Connection) -> dict[str, int]:
    """Return the bytes of every table with its indexes."""
    if connection.dialect.name == "sqlite":
        query = (
            "SELECT m.tbl_name, sum(s.pgsize) FROM dbstat s JOIN sqlite_master m ON m.name = s.name "
            "WHERE s.aggregate = 1 GROUP BY m.tbl_name"
        )
        return {name: int(size) for name, size in connection.execute(text(query))}
    size = "pg_total_relation_size(c.oid)"
    if has_citus(connection):
        size = f"CASE WHEN p.logicalrelid IS NULL THEN {size} ELSE citus_total_relation_size(c.oid) END"
        join = "LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid"
    else:
        join = ""
    query = f"SELECT c.relname, {size} FROM pg_class c {join} WHERE c.oid = ANY(:oids)"  # noqa: S608 -- our own text
    oids = connection.scalars(
        text("SELECT oid FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace")
    )
    return {name: int(found) for name, found in connection.execute(text(query), {"oids": list(oids)})}
