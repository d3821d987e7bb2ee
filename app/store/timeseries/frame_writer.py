"""Write frames: compare them with the stored values, store new ones, keep the newest frame per stream."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Select, bindparam, func, select

from app.models import FrameRow, LatestFrameRow, table
from app.store.database import among, among_given, given_list, raw, upsert
from app.store.timeseries.chunk_builder import RUN_FRAMES, save_runs
from app.store.timeseries.chunk_reader import sealed_columns, sealed_windows
from app.store.timeseries.codec import decode_times, decode_values, pack, unpack
from app.store.timeseries.layouts import LAYOUT, KnownLayout, LayoutCatalog, lock_streams
from app.store.timeseries.merge import merge
from app.store.timeseries.readings import FrameBatch, Times, Values, WriteResult
from app.store.timeseries.rollup_backlog import mark_stale

FRAME = table(FrameRow)
LATEST = table(LatestFrameRow)
_FRAME_COLUMNS = ("stream_id", "t_ms", "layout_id", "payload")
_LATEST_COLUMNS = ("stream_id", "layout_id", "t_ms", "payload", "stored_ms", "newest_ms")
_FRAME = select(FRAME.c.layout_id, FRAME.c.t_ms, FRAME.c.payload).where(
    FRAME.c.stream_id == bindparam("stream_id"), FRAME.c.t_ms == bindparam("t_ms")
)


@dataclass(frozen=True, eq=False)
class StoredValues:
    """The values stored at u times, in the columns of one layout.

    Attributes
    ----------
    values: float64[u, m], wherever they are stored. exists: bool[u], whether any frame has this time.
    own: float64[u, m], values in unsealed frames of the layout itself, the only rows a write may change.
    """

    values: Values
    exists: NDArray[np.bool_]
    own: Values

    @classmethod
    def nothing(cls, moments: int, columns: int) -> StoredValues:
        """Return values for times at which nothing is stored."""
        shape = (moments, columns)
        return cls(np.full(shape, np.nan), np.zeros(moments, np.bool_), np.full(shape, np.nan))

    def learn(self, slots: NDArray[np.intp], columns: NDArray[np.intp], values: Values) -> None:
        """Add frames at `slots` with `values` in these columns."""
        self.exists[slots] = True
        if len(columns):
            block = np.ix_(slots, columns)
            self.values[block] = np.where(np.isnan(values), self.values[block], values)


class FrameWriter:
    """Writes to streams in one transaction. It locks the rows of the streams, so writers and sealers take turns.

    Frames later than all stored ones are not compared and not stored at once: `flush` stores those of all streams
    together and must be called at the end. Long runs become chunks.
    """

    def __init__(self, connection: Connection, stream_ids: Sequence[int], catalog: LayoutCatalog) -> None:
        self._connection = connection
        self._catalog = catalog
        lock_streams(connection, stream_ids)
        known = _of_streams(connection, stream_ids, _latest)
        self._latest_ms: dict[int, int] = {id_: latest_ms for id_, latest_ms, _ in known}
        self._newest_ms: dict[int, int] = {id_: newest_ms for id_, _, newest_ms in known}
        self._reach_ms: dict[int, int] = dict(_of_streams(connection, stream_ids, _longest_gap))
        self._frames: dict[str, list[Any]] = {name: [] for name in _FRAME_COLUMNS}
        self._latest: dict[int, tuple[int, int, int, bytes, int, int]] = {}
        self._stored: dict[int, list[Times]] = defaultdict(list)

    def write(self, known: KnownLayout, batch: FrameBatch, stored_ms: int) -> WriteResult:
        """Store a batch of one of the streams; stored values are never replaced."""
        if not len(batch.t_ms):
            return WriteResult()
        arriving = np.where(np.isfinite(batch.values), batch.values, np.nan)
        if self._is_new(known.stream_id, batch.t_ms):
            self._store(known, *save_runs(self._connection, known, batch.t_ms, arriving))
            self._stored[known.stream_id].append(batch.t_ms)
            self._keep_latest(known, int(batch.t_ms[-1]), arriving[-1:], stored_ms)
            return WriteResult(accepted=len(batch.t_ms))
        self.flush()
        t, slots = np.unique(batch.t_ms, return_inverse=True)
        standing = self._standing(known, t)
        merged, result = merge(slots, arriving, standing.values, standing.exists)
        new = np.where(np.isnan(standing.values), merged, np.nan)
        changed = ~np.isnan(new).all(axis=1) | ~standing.exists
        if changed.any():
            self._store(known, t[changed], np.where(np.isnan(new), standing.own, new)[changed])
            self._stored[known.stream_id].append(t[changed])
        if changed[-1]:
            self._keep_latest(known, int(t[-1]), merged[-1:], stored_ms)
        return result

    def flush(self) -> None:
        """Store the buffered frames."""
        upsert(self._connection, FRAME, self._frames)
        upsert(self._connection, LATEST, _columns(_LATEST_COLUMNS, list(self._latest.values())))
        mark_stale(self._connection, {id_: (np.concatenate(t), self._reach_ms[id_]) for id_, t in self._stored.items()})
        self._frames = {name: [] for name in _FRAME_COLUMNS}
        self._latest.clear()
        self._stored.clear()

    def _is_new(self, stream_id: int, t_ms: Times) -> bool:
        """Return whether these times increase and nothing is stored from the first to the last of them.

        Short runs count as new only if they are later than everything in the stream.
        """
        if not (t_ms[1:] > t_ms[:-1]).all():
            return False
        first_ms, last_ms, newest_ms = int(t_ms[0]), int(t_ms[-1]), self._newest_ms.get(stream_id)
        if newest_ms is None or first_ms > newest_ms:
            return True
        if len(t_ms) < RUN_FRAMES:
            return False
        self.flush()
        between = (FRAME.c.stream_id == stream_id, FRAME.c.t_ms >= first_ms, FRAME.c.t_ms <= last_ms)
        if self._connection.scalar(select(FRAME.c.t_ms).where(*between).limit(1)) is not None:
            return False
        sealed = [decode_times(w.times) for w in sealed_windows(self._connection, stream_id, first_ms, last_ms)]
        return not any(((t >= first_ms) & (t <= last_ms)).any() for t in sealed)

    def _standing(self, known: KnownLayout, t: Times) -> StoredValues:
        standing = StoredValues.nothing(len(t), len(known.layout.series))
        self._learn_frames(known, t, standing)
        self._learn_chunks(known, t, standing)
        return standing

    def _learn_frames(self, known: KnownLayout, t: Times, standing: StoredValues) -> None:
        if len(t) == 1:
            rows = self._connection.execute(_FRAME, {"stream_id": known.stream_id, "t_ms": int(t[0])}).all()
        else:
            among_these = among(self._connection, FRAME.c.t_ms, t.tolist())
            query = select(FRAME.c.layout_id, FRAME.c.t_ms, FRAME.c.payload)
            rows = self._connection.execute(query.where(FRAME.c.stream_id == known.stream_id, among_these)).all()
        for layout_id in {row.layout_id for row in rows}:
            mine = [row for row in rows if row.layout_id == layout_id]
            slots = np.searchsorted(t, [row.t_ms for row in mine])
            source, target = self._shared_columns(layout_id, known)
            values = unpack(b"".join(row.payload for row in mine), len(mine))
            standing.learn(slots, target, values[:, source])
            if layout_id == known.id:
                standing.own[slots] = values

    def _learn_chunks(self, known: KnownLayout, t: Times, standing: StoredValues) -> None:
        for window in sealed_windows(self._connection, known.stream_id, int(t[0]), int(t[-1])):
            _, rows, slots = np.intersect1d(decode_times(window.times), t, assume_unique=True, return_indices=True)
            if not len(slots):
                continue
            source, target = self._shared_columns(window.layout_id, known)
            starts = [window.start_ms]
            data = sealed_columns(self._connection, known.stream_id, window.layout_id, starts, source.tolist())
            standing.learn(slots, target[:0], np.empty((len(slots), 0)))
            for column, column_here in zip(source.tolist(), target, strict=True):
                if packed := data[window.start_ms].get(column):
                    standing.learn(slots, np.array([column_here]), decode_values(packed)[rows, None])

    def _shared_columns(self, layout_id: int, known: KnownLayout) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return columns of a stored layout and the columns of the same series in `known`."""
        stored = self._catalog.by_id(self._connection, layout_id).layout.index
        pairs = [(stored[key], i) for key, i in known.layout.index.items() if key in stored]
        columns = np.array(pairs, np.intp).reshape(-1, 2)
        return columns[:, 0], columns[:, 1]

    def _store(self, known: KnownLayout, t: Times, values: Values) -> None:
        columns = ([known.stream_id] * len(t), t.tolist(), [known.id] * len(t), pack(values))
        for name, column in zip(_FRAME_COLUMNS, columns, strict=True):
            self._frames[name] += column

    def _keep_latest(self, known: KnownLayout, t_ms: int, values: Values, stored_ms: int) -> None:
        """Make a frame the latest of its stream, unless it is older; one nearer to now replaces one from the future."""
        id_ = known.stream_id
        ahead_ms = self._latest_ms.get(id_, t_ms) - stored_ms
        if t_ms - stored_ms >= ahead_ms or abs(t_ms - stored_ms) < ahead_ms:
            self._latest_ms[id_] = t_ms
            self._newest_ms[id_] = max(t_ms, self._newest_ms.get(id_, t_ms))
            self._latest[id_] = (id_, known.id, t_ms, pack(values)[0], stored_ms, self._newest_ms[id_])


def _columns(names: Sequence[str], rows: Sequence[tuple[object, ...]]) -> dict[str, Sequence[object]]:
    return dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {}


def _of_streams(
    connection: Connection, stream_ids: Sequence[int], build: Callable[[str, bool], Select[Any]]
) -> list[tuple[Any, ...]]:
    """Return rows of streams; a single stream is compared by equality, so one machine can answer."""
    dialect, is_one = connection.dialect.name, len(stream_ids) == 1
    return raw(
        connection, build(dialect, is_one), {"given": stream_ids[0]} if is_one else given_list(dialect, stream_ids)
    )


def _wanted(dialect: str, is_one: bool, stream_id: ColumnElement[int]) -> ColumnElement[bool]:
    return stream_id == bindparam("given") if is_one else among_given(dialect, stream_id)


@lru_cache(maxsize=4)
def _latest(dialect: str, is_one: bool) -> Select[Any]:
    """Return the query of (stream, time of its latest frame, newest time)."""
    newest = func.coalesce(LATEST.c.newest_ms, LATEST.c.t_ms)
    return select(LATEST.c.stream_id, LATEST.c.t_ms, newest).where(_wanted(dialect, is_one, LATEST.c.stream_id))


@lru_cache(maxsize=4)
def _longest_gap(dialect: str, is_one: bool) -> Select[Any]:
    """Return the query of (stream, longest gap of its layouts)."""
    stream_id = LAYOUT.c.stream_id
    query = select(stream_id, func.max(LAYOUT.c.max_gap_ms)).group_by(stream_id)
    return query.where(_wanted(dialect, is_one, stream_id))
