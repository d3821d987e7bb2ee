"""Reading series: frames and chunks of one snapshot become samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from app.models import FrameRow, table
from app.store.bulk import raw
from app.store.codec import decode_times, decode_values, unpack
from app.store.layouts import KnownLayout
from app.store.readings import Samples, Times, Values
from app.store.sealed import Window, sealed_columns, sealed_windows
from collectors.frame import Layout

FRAME = table(FrameRow)


@dataclass(frozen=True)
class Wanted:
    """A layout and which of its columns are asked for, by series key."""

    known: KnownLayout
    columns: Mapping[str, int]


@dataclass(frozen=True)
class Piece:
    """Samples of one series that came with one layout; may hold missing ones."""

    layout: Layout
    t_ms: Times
    v: Values


class StreamReader:
    """The stored bytes of one stream around a window, fetched in one snapshot and decoded afterwards.

    What is read reaches `max_gap` beyond the window, where the neighbours lie that shape the curve at its edges.
    """

    def __init__(self, connection: Connection, wanted: Sequence[Wanted], start_ms: int, end_ms: int) -> None:
        margin = max(w.known.layout.max_gap_ms for w in wanted)
        self._wanted = {w.known.id: w for w in wanted}
        self._stream_id = wanted[0].known.stream_id
        self._from_ms, self._to_ms = start_ms - margin, end_ms + margin
        columns = [column for w in wanted for column in w.columns.values()]
        self._lowest, self._highest = min(columns), max(columns)
        self._frames = self._fetch_frames(connection)
        self._windows = sealed_windows(connection, self._stream_id, self._from_ms, self._to_ms, list(self._wanted))
        self._values = self._fetch_values(connection)

    def pieces(self) -> Iterable[tuple[str, Piece]]:
        """The pieces of every wanted series."""
        for layout_id, rows in self._frames.items():
            yield from self._hot(self._wanted[layout_id], rows)
        for window in self._windows:
            yield from self._sealed(self._wanted[window.layout_id], window)

    def _fetch_frames(self, connection: Connection) -> dict[int, list[tuple[int, bytes]]]:
        # only the wanted columns travel: a wide frame costs no more than its narrow part
        part = func.substr(FRAME.c.vals, 1 + 8 * self._lowest, 8 * (self._highest - self._lowest + 1))
        query = select(FRAME.c.layout_id, FRAME.c.t_ms, part).where(
            FRAME.c.stream_id == self._stream_id,
            FRAME.c.t_ms.between(self._from_ms, self._to_ms),
            FRAME.c.layout_id.in_(list(self._wanted)),
        )
        found: dict[int, list[tuple[int, bytes]]] = defaultdict(list)
        for layout_id, t_ms, vals in raw(connection, query):
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

    def _hot(self, wanted: Wanted, rows: list[tuple[int, bytes]]) -> Iterable[tuple[str, Piece]]:
        t = np.array([t_ms for t_ms, _ in rows], np.int64)
        values = unpack([vals for _, vals in rows])
        for key, column in wanted.columns.items():
            yield key, Piece(wanted.known.layout, t, values[:, column - self._lowest])

    def _sealed(self, wanted: Wanted, window: Window) -> Iterable[tuple[str, Piece]]:
        t = decode_times(window.times)
        inside = slice(*np.searchsorted(t, (self._from_ms, self._to_ms + 1)))
        packed = self._values[window.layout_id][window.start_ms]
        for key, column in wanted.columns.items():
            if column in packed:
                yield key, Piece(wanted.known.layout, t[inside], decode_values(packed[column])[inside])


def assemble(pieces: Sequence[Piece], start_ms: int, end_ms: int) -> Samples:
    """One series of its pieces: sorted, without missing ones, with one neighbour on either side of the window."""
    if not pieces:
        return Samples.empty()
    tau, gap = (_along(pieces, name) for name in ("interval_ms", "max_gap_ms"))
    columns = (np.concatenate([p.t_ms for p in pieces]), np.concatenate([p.v for p in pieces]), tau, gap)
    if np.isnan(columns[1]).any():
        columns = _picked(columns, ~np.isnan(columns[1]))
    if not (columns[0][1:] > columns[0][:-1]).all():
        columns = _picked(columns, np.argsort(columns[0], kind="stable"))
    first, last = np.searchsorted(columns[0], (start_ms, end_ms))
    return Samples(*_picked(columns, slice(max(0, int(first) - 1), int(last) + 1)))


def _along(pieces: Sequence[Piece], name: str) -> Times:
    """What the layout of each sample says; one number seen many times where all say the same."""
    said = [getattr(piece.layout, name) for piece in pieces]
    lengths = [len(piece.t_ms) for piece in pieces]
    if len(set(said)) == 1:
        return np.broadcast_to(np.int64(said[0]), sum(lengths))
    return np.repeat(np.array(said, np.int64), lengths)


_Columns = tuple[Times, Values, Times, Times]


def _picked(columns: _Columns, rows: slice | NDArray[np.intp] | NDArray[np.bool_]) -> _Columns:
    t_ms, v, tau, gap = columns
    return t_ms[rows], v[rows], tau[rows], gap[rows]
