"""Fetch the stored bytes of many streams in few statements: one each for frames, chunks and chunk columns."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Column,
    Connection,
    Integer,
    Select,
    any_,
    bindparam,
    cast,
    func,
    select,
)

from app.models import FrameRow, table
from app.store.database import GivenRows, is_spread, raw_in_parts
from app.store.timeseries.chunk_reader import CHUNK, COLUMN, SealedWindow
from app.store.timeseries.codec import LONGEST_WINDOW_MS
from app.store.timeseries.layouts import KnownLayout

FRAME = table(FrameRow)
AT_ONCE = 1000
"""Streams in one statement."""
_RANGE = ("stream_id", "layout_id", "from_ms", "to_ms", "first_byte", "n_bytes")
_COLUMN = ("stream_id", "start_ms", "layout_id", "col")


@dataclass(frozen=True)
class WantedSeries:
    """A layout and which of its columns are asked for, by series key."""

    known: KnownLayout
    columns: Mapping[str, int]


@dataclass(frozen=True)
class WantedStream:
    """The wanted series of one stream, the window, and what is read of it.

    The range read extends `max_gap` beyond the window, to the neighbours that shape the curve at its edges.
    """

    layouts: Mapping[int, WantedSeries]
    start_ms: int
    end_ms: int
    margin_ms: int
    lowest: int
    highest: int

    @classmethod
    def of(cls, wanted: Sequence[WantedSeries], start_ms: int, end_ms: int) -> WantedStream:
        """Return what to read of a stream for some of its series."""
        columns = [column for w in wanted for column in w.columns.values()]
        margin = max(w.known.layout.max_gap_ms for w in wanted)
        return cls({w.known.id: w for w in wanted}, start_ms, end_ms, margin, min(columns), max(columns))

    @property
    def from_ms(self) -> int:
        """Start of what is read."""
        return self.start_ms - self.margin_ms

    @property
    def to_ms(self) -> int:
        """End of what is read, included."""
        return self.end_ms + self.margin_ms

    @property
    def ranges(self) -> list[tuple[int, ...]]:
        """Rows of `_RANGE`; only the wanted columns travel: a wide frame costs no more than its narrow part."""
        part = (1 + 8 * self.lowest, 8 * (self.highest - self.lowest + 1))
        return [(w.known.stream_id, id_, self.from_ms, self.to_ms, *part) for id_, w in self.layouts.items()]


@dataclass
class StoredFrames:
    """Unsealed frames of one layout: their times [ms], and the packed values of all, one after another."""

    t_ms: array[int] = field(default_factory=lambda: array("q"))
    payload: bytearray = field(default_factory=bytearray)

    def append(self, t_ms: int, payload: bytes) -> None:
        """Add one frame."""
        self.t_ms.append(t_ms)
        self.payload += payload


@dataclass
class StoredStream:
    """What is stored of a stream, by layout: unsealed frames, chunks, and chunk values by start and column."""

    frames: dict[int, StoredFrames] = field(default_factory=lambda: defaultdict(StoredFrames))
    windows: list[SealedWindow] = field(default_factory=list)
    values: dict[tuple[int, int, int], bytes] = field(default_factory=dict)


def fetch_streams(connection: Connection, wanted: Sequence[WantedStream]) -> list[StoredStream]:
    """Return what is stored of each stream, all from one snapshot."""
    found = [StoredStream() for _ in wanted]
    pairs = list(zip(wanted, found, strict=True))
    for begin in range(0, len(pairs), AT_ONCE):
        some = pairs[begin : begin + AT_ONCE]
        stored = {layout: one for stream, one in some for layout in stream.layouts}
        ranges = [row for stream, _ in some for row in stream.ranges]
        for layout_id, t_ms, payload in _rows(connection, _frames, _RANGE, ranges):
            stored[layout_id].frames[layout_id].append(t_ms, payload)
        for layout_id, start_ms, times in sorted(_rows(connection, _windows, _RANGE, ranges), key=_by_start):
            stored[layout_id].windows.append(SealedWindow(start_ms, layout_id, times))
        for layout_id, start_ms, column, payload in _rows(connection, _values, _COLUMN, _columns(some)):
            stored[layout_id].values[layout_id, start_ms, column] = payload
    return found


def _columns(some: Iterable[tuple[WantedStream, StoredStream]]) -> list[tuple[int, ...]]:
    return [
        (series.known.stream_id, window.start_ms, window.layout_id, column)
        for stream, stored in some
        for window in stored.windows
        for series in [stream.layouts[window.layout_id]]
        for column in series.columns.values()
    ]


def _by_start(row: tuple[Any, ...]) -> tuple[int, int]:
    return row[1], row[0]


def _rows(
    connection: Connection,
    build: Callable[[str, bool], Select[Any]],
    columns: tuple[str, ...],
    given: Sequence[tuple[int, ...]],
) -> Iterator[tuple[Any, ...]]:
    """Where streams are on several machines the statement names them, so that no other machine is asked."""
    if given:
        rows = GivenRows(connection.dialect.name, "wanted", columns)
        parameters = dict(rows.parameters(given))
        spread = is_spread(connection)
        if spread:
            parameters["streams"] = sorted({row[0] for row in given})
        yield from raw_in_parts(connection, build(connection.dialect.name, spread), parameters)


def _of_streams(query: Select[Any], column: Column[Any], spread: bool) -> Select[Any]:
    return query.where(column == any_(bindparam("streams", type_=ARRAY(BigInteger)))) if spread else query


@lru_cache(maxsize=4)
def _frames(dialect: str, spread: bool) -> Select[Any]:
    """Built once: for a short read of many streams building it took longer than the database."""
    wanted = GivenRows(dialect, "wanted", _RANGE).table()
    payload = func.substr(FRAME.c.payload, cast(wanted.c.first_byte, Integer), cast(wanted.c.n_bytes, Integer))
    query = select(FRAME.c.layout_id, FRAME.c.t_ms, payload).select_from(wanted).join(
        FRAME,
        (FRAME.c.stream_id == wanted.c.stream_id)
        & FRAME.c.t_ms.between(wanted.c.from_ms, wanted.c.to_ms)
        & (FRAME.c.layout_id == wanted.c.layout_id),
    )  # fmt: skip
    return _of_streams(query, FRAME.c.stream_id, spread)


@lru_cache(maxsize=4)
def _windows(dialect: str, spread: bool) -> Select[Any]:
    wanted = GivenRows(dialect, "wanted", _RANGE).table()
    query = select(CHUNK.c.layout_id, CHUNK.c.start_ms, CHUNK.c.times).select_from(wanted).join(
        CHUNK,
        (CHUNK.c.stream_id == wanted.c.stream_id)
        & (CHUNK.c.start_ms > wanted.c.from_ms - LONGEST_WINDOW_MS)
        & (CHUNK.c.start_ms <= wanted.c.to_ms)
        & (CHUNK.c.layout_id == wanted.c.layout_id)
        & (CHUNK.c.first_ms <= wanted.c.to_ms)
        & (CHUNK.c.last_ms >= wanted.c.from_ms),
    )  # fmt: skip
    return _of_streams(query, CHUNK.c.stream_id, spread)


@lru_cache(maxsize=4)
def _values(dialect: str, spread: bool) -> Select[Any]:
    wanted = GivenRows(dialect, "wanted", _COLUMN).table()
    chosen = select(COLUMN.c.layout_id, COLUMN.c.start_ms, COLUMN.c.column_index, COLUMN.c.payload)
    query = chosen.select_from(wanted).join(
        COLUMN,
        (COLUMN.c.stream_id == wanted.c.stream_id)
        & (COLUMN.c.start_ms == wanted.c.start_ms)
        & (COLUMN.c.layout_id == wanted.c.layout_id)
        & (COLUMN.c.column_index == wanted.c.col),
    )  # fmt: skip
    return _of_streams(query, COLUMN.c.stream_id, spread)
