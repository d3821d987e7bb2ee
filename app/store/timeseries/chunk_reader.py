"""Read sealed chunks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select

from app.models import ChunkColumnRow, ChunkRow, table
from app.store.database import among
from app.store.timeseries.codec import LONGEST_WINDOW_MS

CHUNK = table(ChunkRow)
COLUMN = table(ChunkColumnRow)
_WINDOWS = (
    select(CHUNK.c.start_ms, CHUNK.c.layout_id, CHUNK.c.times)
    .where(
        CHUNK.c.stream_id == bindparam("stream_id"),
        CHUNK.c.start_ms > bindparam("earliest_ms"),
        CHUNK.c.start_ms <= bindparam("end_ms"),
        CHUNK.c.first_ms <= bindparam("end_ms"),
        CHUNK.c.last_ms >= bindparam("start_ms"),
    )
    .order_by(CHUNK.c.start_ms, CHUNK.c.layout_id)
)
_WINDOWS_OF = _WINDOWS.where(CHUNK.c.layout_id.in_(bindparam("layout_ids", expanding=True)))


class SealedWindow(NamedTuple):
    """A chunk without its values; `times` is compressed."""

    start_ms: int
    layout_id: int
    times: bytes


def sealed_windows(
    connection: Connection, stream_id: int, start_ms: int, end_ms: int, layout_ids: Sequence[int] | None = None
) -> list[SealedWindow]:
    """Return the chunks of a stream that overlap start … end, both included, by start."""
    given = {
        "stream_id": stream_id,
        "earliest_ms": start_ms - LONGEST_WINDOW_MS,
        "start_ms": start_ms,
        "end_ms": end_ms,
    }
    if layout_ids is None:
        return [SealedWindow(*row) for row in connection.execute(_WINDOWS, given)]
    return [SealedWindow(*row) for row in connection.execute(_WINDOWS_OF, given | {"layout_ids": list(layout_ids)})]


def sealed_columns(
    connection: Connection, stream_id: int, layout_id: int, starts: Sequence[int], columns: Sequence[int] | None
) -> dict[int, dict[int, bytes]]:
    """Return the compressed values of the chunks of one layout, by window start and column."""
    query = select(COLUMN.c.start_ms, COLUMN.c.column_index, COLUMN.c.payload).where(
        COLUMN.c.stream_id == stream_id,
        COLUMN.c.layout_id == layout_id,
        among(connection, COLUMN.c.start_ms, starts),
    )
    if columns is not None:
        query = query.where(COLUMN.c.column_index.in_(columns))
    found: dict[int, dict[int, bytes]] = defaultdict(dict)
    for row in connection.execute(query):
        found[row.start_ms][row.column_index] = row.payload
    return found
