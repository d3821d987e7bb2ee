"""Reading series: frames and chunks of one snapshot become samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from sqlalchemy import Connection, Integer, bindparam, func, select

from app.models import FrameRow, table
from app.store.database import raw
from app.store.timeseries.chunk_reader import SealedWindow, sealed_columns, sealed_windows
from app.store.timeseries.codec import decode_times, decode_values, unpack
from app.store.timeseries.layouts import KnownLayout
from app.store.timeseries.readings import Moments, Samples, Times, Values
from collectors.contract import Layout

FRAME = table(FrameRow)
_FRAMES = select(
    FRAME.c.layout_id,
    FRAME.c.t_ms,
    func.substr(FRAME.c.vals, bindparam("first_byte", type_=Integer), bindparam("n_bytes", type_=Integer)),
).where(
    FRAME.c.stream_id == bindparam("stream_id"),
    FRAME.c.t_ms.between(bindparam("from_ms"), bindparam("to_ms")),
    FRAME.c.layout_id.in_(bindparam("layout_ids", expanding=True)),
)
"""Built once: for a short read of many streams building it anew took longer than the database."""


@dataclass(frozen=True)
class WantedSeries:
    """A layout and which of its columns are asked for, by series key."""

    known: KnownLayout
    columns: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class _Block:
    """Frames of one layout: t int64[n], and what makes float64[n] of each series it may have values of."""

    layout: Layout
    t_ms: Times
    columns: Mapping[str, Callable[[], Values]]

    def values(self, key: str) -> Values:
        """float64[n] of a series, NaN where it is missing."""
        return self.columns[key]() if key in self.columns else np.full(len(self.t_ms), np.nan)


class StreamReader:
    """The stored bytes of one stream around a window, fetched in one snapshot and decoded afterwards.

    What is read reaches `max_gap` beyond the window, where the neighbours lie that shape the curve at its edges.
    """

    def __init__(self, connection: Connection, wanted: Sequence[WantedSeries], start_ms: int, end_ms: int) -> None:
        margin = max(w.known.layout.max_gap_ms for w in wanted)
        self._wanted = {w.known.id: w for w in wanted}
        self._stream_id = wanted[0].known.stream_id
        self._start_ms, self._end_ms = start_ms, end_ms
        self._from_ms, self._to_ms = start_ms - margin, end_ms + margin
        columns = [column for w in wanted for column in w.columns.values()]
        self._lowest, self._highest = min(columns), max(columns)
        self._frames = self._fetch_frames(connection)
        self._windows = sealed_windows(connection, self._stream_id, self._from_ms, self._to_ms, list(self._wanted))
        self._values = self._fetch_values(connection)

    def samples(self) -> Iterator[tuple[str, Samples]]:
        """The samples of every wanted series, with one neighbour on either side of the window."""
        blocks = [self._hot(self._wanted[layout_id], rows) for layout_id, rows in self._frames.items()]
        blocks += [self._sealed(self._wanted[window.layout_id], window) for window in self._windows]
        if not blocks:
            return
        together = _moments(blocks)
        order = np.argsort(together.t_ms, kind="stable") if _falls(together.t_ms) else None
        together = together if order is None else together[order]
        shared = _inside(together.t_ms, self._start_ms, self._end_ms)
        shared_moments = together[shared]
        keys = list({key: None for block in blocks for key in block.columns})
        for key, row in zip(keys, np.empty((len(keys), len(together))), strict=True):  # large arrays take huge pages
            np.concatenate([block.values(key) for block in blocks], out=row)
            v = row if order is None else row[order]
            there = ~np.isnan(v)
            if there.all():
                yield key, Samples(shared_moments, v[shared])
            else:
                moments, v = together[there], v[there]
                rows = _inside(moments.t_ms, self._start_ms, self._end_ms)
                yield key, Samples(moments[rows], v[rows])

    def _fetch_frames(self, connection: Connection) -> dict[int, list[tuple[int, bytes]]]:
        given = {
            "stream_id": self._stream_id,
            "from_ms": self._from_ms,
            "to_ms": self._to_ms,
            "layout_ids": list(self._wanted),
            # only the wanted columns travel: a wide frame costs no more than its narrow part
            "first_byte": 1 + 8 * self._lowest,
            "n_bytes": 8 * (self._highest - self._lowest + 1),
        }
        found: dict[int, list[tuple[int, bytes]]] = defaultdict(list)
        for layout_id, t_ms, vals in raw(connection, _FRAMES, given):
            found[layout_id].append((t_ms, vals))
        return found

    def _fetch_values(self, connection: Connection) -> dict[int, dict[int, dict[int, bytes]]]:
        starts: dict[int, list[int]] = defaultdict(list)
        for window in self._windows:
            starts[window.layout_id].append(window.start_ms)
        return {
            layout_id: sealed_columns(
                connection, self._stream_id, layout_id, begins, list(self._wanted[layout_id].columns.values())
            )
            for layout_id, begins in starts.items()
        }

    def _hot(self, wanted: WantedSeries, rows: list[tuple[int, bytes]]) -> _Block:
        t = np.array([t_ms for t_ms, _ in rows], np.int64)
        values = unpack([vals for _, vals in rows])
        columns = {
            key: partial(values.__getitem__, (..., column - self._lowest)) for key, column in wanted.columns.items()
        }
        return _Block(wanted.known.layout, t, columns)

    def _sealed(self, wanted: WantedSeries, window: SealedWindow) -> _Block:
        t = decode_times(window.times)
        inside = slice(*np.searchsorted(t, (self._from_ms, self._to_ms + 1)))
        packed = self._values[window.layout_id][window.start_ms]
        columns = {
            key: partial(decode_values, packed[column], inside)
            for key, column in wanted.columns.items()
            if column in packed
        }
        return _Block(wanted.known.layout, t[inside], columns)


def joined(parts: Sequence[Samples], start_ms: int, end_ms: int) -> Samples:
    """One series that was told in several streams."""
    if len(parts) < 2:
        return parts[0] if parts else Samples.empty()
    names = ("t_ms", "tau_ms", "max_gap_ms")
    moments = Moments(*(np.concatenate([getattr(part.moments, name) for part in parts]) for name in names))
    order = np.argsort(moments.t_ms, kind="stable")
    rows = order[_inside(moments.t_ms[order], start_ms, end_ms)]
    return Samples(moments[rows], np.concatenate([part.v for part in parts])[rows])


def _falls(t_ms: Times) -> bool:
    return not (t_ms[1:] > t_ms[:-1]).all()


def _inside(t_ms: Times, start_ms: int, end_ms: int) -> slice:
    """The rows in a window, and one neighbour on either side of it."""
    first, last = np.searchsorted(t_ms, (start_ms, end_ms))
    return slice(max(0, int(first) - 1), int(last) + 1)


def _moments(blocks: Sequence[_Block]) -> Moments:
    """When there are frames, in the order of the blocks."""
    tau, gap = (_along(blocks, name) for name in ("interval_ms", "max_gap_ms"))
    return Moments(np.concatenate([block.t_ms for block in blocks]), tau, gap)


def _along(blocks: Sequence[_Block], name: str) -> Times:
    """What the layout of each frame says; one number seen many times where all say the same."""
    said = [getattr(block.layout, name) for block in blocks]
    lengths = [len(block.t_ms) for block in blocks]
    if len(set(said)) == 1:
        return np.broadcast_to(np.int64(said[0]), sum(lengths))
    return np.repeat(np.array(said, np.int64), lengths)
