"""Writing frames: compare with what stands, store what is new, keep the newest at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from app.models import FrameRow, LatestRow, table
from app.store.bulk import among, upsert
from app.store.codec import decode_times, decode_values, pack, unpack
from app.store.dirty import mark
from app.store.layouts import LAYOUT, STREAM, KnownLayout, LayoutCatalog
from app.store.merge import merge
from app.store.readings import FrameBatch, Times, Values, WriteResult
from app.store.sealed import sealed_columns, sealed_windows

FRAME = table(FrameRow)
LATEST = table(LatestRow)


@dataclass(frozen=True, eq=False)
class Standing:
    """What is stored of u moments, in the columns of one layout.

    Attributes
    ----------
    values: float64[u, m], wherever it is stored. exists: bool[u], whether any frame has this moment.
    own: float64[u, m], what the layout's own unsealed frames hold; the only rows a write may change.
    """

    values: Values
    exists: NDArray[np.bool_]
    own: Values

    @classmethod
    def nothing(cls, moments: int, columns: int) -> Standing:
        """No moment is known."""
        shape = (moments, columns)
        return cls(np.full(shape, np.nan), np.zeros(moments, np.bool_), np.full(shape, np.nan))

    def learn(self, slots: NDArray[np.intp], columns: NDArray[np.intp], values: Values) -> None:
        """Frames at `slots` hold `values` in these columns."""
        self.exists[slots] = True
        if len(columns):
            block = np.ix_(slots, columns)
            self.values[block] = np.where(np.isnan(values), self.values[block], values)


class Intake:
    """One transaction's writes to one stream, whose row it locks: writers and sealers of a stream take turns."""

    def __init__(self, connection: Connection, stream_id: int, catalog: LayoutCatalog) -> None:
        self._connection = connection
        self._stream_id = stream_id
        self._catalog = catalog
        lock_stream(connection, stream_id)

    def write(self, known: KnownLayout, batch: FrameBatch, stored_ms: int) -> WriteResult:
        """Store a batch of the stream; nothing that stands is replaced."""
        if not len(batch.t_ms):
            return WriteResult()
        arriving = np.where(np.isfinite(batch.values), batch.values, np.nan)
        t, slots = np.unique(batch.t_ms, return_inverse=True)
        standing = self._standing(known, t)
        merged, result = merge(slots, arriving, standing.values, standing.exists)
        new = np.where(np.isnan(standing.values), merged, np.nan)
        changed = ~np.isnan(new).all(axis=1) | ~standing.exists
        if changed.any():
            self._store(known, t[changed], np.where(np.isnan(new), standing.own, new)[changed])
            mark(self._connection, self._stream_id, t[changed], self._reach_ms())
        if changed[-1]:
            self._keep_latest(known, int(t[-1]), merged[-1:], stored_ms)
        return result

    def _standing(self, known: KnownLayout, t: Times) -> Standing:
        standing = Standing.nothing(len(t), len(known.layout.series))
        self._learn_frames(known, t, standing)
        self._learn_chunks(known, t, standing)
        return standing

    def _learn_frames(self, known: KnownLayout, t: Times, standing: Standing) -> None:
        rows = self._connection.execute(
            select(FRAME.c.layout_id, FRAME.c.t_ms, FRAME.c.vals).where(
                FRAME.c.stream_id == self._stream_id, among(self._connection, FRAME.c.t_ms, t.tolist())
            )
        ).all()
        for layout_id in {row.layout_id for row in rows}:
            mine = [row for row in rows if row.layout_id == layout_id]
            slots = np.searchsorted(t, [row.t_ms for row in mine])
            source, target = self._shared_columns(layout_id, known)
            values = unpack([row.vals for row in mine])
            standing.learn(slots, target, values[:, source])
            if layout_id == known.id:
                standing.own[slots] = values

    def _learn_chunks(self, known: KnownLayout, t: Times, standing: Standing) -> None:
        for window in sealed_windows(self._connection, self._stream_id, int(t[0]), int(t[-1])):
            _, rows, slots = np.intersect1d(decode_times(window.times), t, assume_unique=True, return_indices=True)
            if not len(slots):
                continue
            source, target = self._shared_columns(window.layout_id, known)
            starts = [window.start_ms]
            data = sealed_columns(self._connection, self._stream_id, window.layout_id, starts, source.tolist())
            standing.learn(slots, target[:0], np.empty((len(slots), 0)))
            for column, column_here in zip(source.tolist(), target, strict=True):
                if packed := data[window.start_ms].get(column):
                    standing.learn(slots, np.array([column_here]), decode_values(packed)[rows, None])

    def _shared_columns(self, layout_id: int, known: KnownLayout) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Columns of a stored layout and where the same series stand in `known`."""
        stored = self._catalog.by_id(self._connection, layout_id).layout.index
        pairs = [(stored[key], i) for key, i in known.layout.index.items() if key in stored]
        columns = np.array(pairs, np.intp).reshape(-1, 2)
        return columns[:, 0], columns[:, 1]

    def _reach_ms(self) -> int:
        """How far around it a reading may shape the curve: its neighbours may be of any layout."""
        longest = select(func.max(LAYOUT.c.max_gap_ms)).where(LAYOUT.c.stream_id == self._stream_id)
        return int(self._connection.execute(longest).scalar_one())

    def _store(self, known: KnownLayout, t: Times, values: Values) -> None:
        rows = len(t)
        columns: dict[str, Sequence[object]] = {
            "stream_id": [self._stream_id] * rows,
            "t_ms": t.tolist(),
            "layout_id": [known.id] * rows,
            "vals": pack(values),
        }
        upsert(self._connection, FRAME, columns)

    def _keep_latest(self, known: KnownLayout, t_ms: int, values: Values, stored_ms: int) -> None:
        newest = self._connection.scalar(select(LATEST.c.t_ms).where(LATEST.c.stream_id == self._stream_id))
        if newest is not None and newest > t_ms:
            return
        columns: dict[str, Sequence[object]] = {
            "stream_id": [self._stream_id],
            "layout_id": [known.id],
            "t_ms": [t_ms],
            "vals": pack(values),
            "stored_ms": [stored_ms],
        }
        upsert(self._connection, LATEST, columns)


def lock_stream(connection: Connection, stream_id: int) -> None:
    """Wait for whoever else changes a stream. On SQLite the transaction has the only write lock already."""
    connection.execute(select(STREAM.c.id).where(STREAM.c.id == stream_id).with_for_update(key_share=True))
