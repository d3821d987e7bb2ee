"""Build the chunk of a window of a stream: compress frames, join them with the stored chunk, store.

A long run of new frames of few series, as from an imported log or a backlog, becomes chunks at once: storing a row
each would cost many times as much as compressing them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from sqlalchemy import Connection, select

from app.store.database import upsert
from app.store.timeseries.chunk_reader import CHUNK, COLUMN, sealed_columns
from app.store.timeseries.codec import (
    ColumnFigures,
    decode_times,
    decode_values,
    encode,
    encode_times,
    figures,
    window_ms,
)
from app.store.timeseries.layouts import KnownLayout
from app.store.timeseries.readings import Times, Values
from collectors.contract import Layout

RUN_FRAMES = 1000
"""A run of this many frames is sealed at once."""
_APPEND = 40
"""… and a stored chunk is built again, unless it holds more than this many values per new frame."""


@dataclass(frozen=True)
class OpenWindow:
    """A time-aligned stretch of one stream in one layout."""

    known: KnownLayout
    start_ms: int
    end_ms: int


@dataclass(frozen=True)
class SealedChunk:
    """A stored chunk: its time stamps and the values of its columns, compressed."""

    times: bytes
    columns: dict[int, bytes]


@dataclass(frozen=True)
class Chunk:
    """A chunk to be stored."""

    t_ms: Times
    times: bytes
    columns: dict[int, tuple[bytes, ColumnFigures]]


def sealed_chunk(connection: Connection, window: OpenWindow) -> SealedChunk | None:
    """Return the stored chunk of a window."""
    query = select(CHUNK.c.times).where(
        CHUNK.c.stream_id == window.known.stream_id,
        CHUNK.c.start_ms == window.start_ms,
        CHUNK.c.layout_id == window.known.id,
    )
    times = connection.scalar(query)
    if times is None:
        return None
    key = (window.known.stream_id, window.known.id, [window.start_ms])
    return SealedChunk(times, sealed_columns(connection, *key, None)[window.start_ms])


def joined(t_ms: Times, values: Values, chunk: SealedChunk | None) -> tuple[Times, Values]:
    """int64[n] increasing and float64[n, width] of frames and of a chunk; no value is in both."""
    if chunk is None:
        return t_ms, values
    t_chunk = decode_times(chunk.times)
    t = np.union1d(t_chunk, t_ms)
    found = np.full((len(t), values.shape[1]), np.nan)
    found[np.searchsorted(t, t_ms)] = values
    rows = np.searchsorted(t, t_chunk)
    for column, packed in chunk.columns.items():
        old = decode_values(packed)
        found[rows, column] = np.where(np.isnan(old), found[rows, column], old)
    return t, found


def compress(layout: Layout, t_ms: Times, values: Values) -> Chunk:
    """Return the chunk of int64[n] increasing times and float64[n, width] values, n ≥ 1."""
    columns = {}
    for i, column in enumerate(np.ascontiguousarray(values.T)):
        there = ~np.isnan(column)
        if there.any():
            summed = figures(t_ms[there], column[there], layout.interval_ms, layout.max_gap_ms)
            columns[i] = (encode(column), summed)
    return Chunk(t_ms, encode_times(t_ms), columns)


def save(connection: Connection, window: OpenWindow, chunk: Chunk) -> None:
    """Store the chunk of a window in place of the stored one."""
    key = {"stream_id": window.known.stream_id, "start_ms": window.start_ms, "layout_id": window.known.id}
    head = {
        "count": len(chunk.t_ms),
        "first_ms": int(chunk.t_ms[0]),
        "last_ms": int(chunk.t_ms[-1]),
        "times": chunk.times,
    }
    upsert(connection, CHUNK, {name: [value] for name, value in (key | head).items()})
    rows = [
        key | {"column_index": column, "payload": packed} | asdict(summed)
        for column, (packed, summed) in chunk.columns.items()
    ]
    upsert(connection, COLUMN, {name: [row[name] for row in rows] for name in rows[0]} if rows else {})


def save_runs(connection: Connection, known: KnownLayout, t_ms: Times, values: Values) -> tuple[Times, Values]:
    """Store long runs of new frames as chunks; return the other frames.

    Nothing is stored at these times yet (int64[n], increasing), and the caller holds the lock of the stream.
    """
    if len(t_ms) < RUN_FRAMES:
        return t_ms, values
    left = np.ones(len(t_ms), np.bool_)
    length = window_ms(known.layout.interval_ms, len(known.layout.series))
    starts, first, counts = np.unique(t_ms // length * length, return_index=True, return_counts=True)
    for start_ms, at, n in zip(starts.tolist(), first.tolist(), counts.tolist(), strict=True):
        window, run = OpenWindow(known, start_ms, start_ms + length), slice(at, at + n)
        if n >= RUN_FRAMES and len(known.layout.series) * _frames_in(connection, window) <= _APPEND * n:
            chunk = sealed_chunk(connection, window)
            save(connection, window, compress(known.layout, *joined(t_ms[run], values[run], chunk)))
            left[run] = False
    return t_ms[left], values[left]


def _frames_in(connection: Connection, window: OpenWindow) -> int:
    """Return the number of frames in the chunk of a window."""
    query = select(CHUNK.c.count).where(
        CHUNK.c.stream_id == window.known.stream_id,
        CHUNK.c.start_ms == window.start_ms,
        CHUNK.c.layout_id == window.known.id,
    )
    return connection.scalar(query) or 0
