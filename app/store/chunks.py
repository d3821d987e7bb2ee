"""Sealing: windows of old frames become compressed chunks; late frames join the chunk they belong to.

A window is read and compressed without holding any lock. Then, in one transaction, its frames are deleted and what
the deletion returns is compared with what was compressed; had anything arrived meanwhile, it is compressed anew from
what was deleted. So exactly what leaves `frame` is in the chunk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields

import numpy as np
from sqlalchemy import Connection, Engine, delete, func, select

from app.models import FrameRow, table
from app.store.bulk import raw, upsert
from app.store.codec import (
    ColumnFigures,
    decode_times,
    decode_values,
    encode,
    encode_times,
    figures,
    unpack,
    window_ms,
)
from app.store.engine import reading, writing
from app.store.layouts import STREAM, KnownLayout, LayoutCatalog, lock_streams
from app.store.readings import Times, Values
from app.store.sealed import CHUNK, COLUMN, sealed_columns
from collectors.frame import Layout

FRAME = table(FrameRow)


@dataclass(frozen=True)
class SealReport:
    """What sealing did: chunks written, frames sealed, values and bytes those chunks hold."""

    chunks: int = 0
    frames: int = 0
    values: int = 0
    bytes: int = 0

    def __add__(self, other: SealReport) -> SealReport:
        return SealReport(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True)
class Window:
    """A time-aligned stretch of one stream in one layout."""

    known: KnownLayout
    start_ms: int
    end_ms: int


@dataclass(frozen=True)
class Material:
    """What a chunk is made of: frames (t, packed values) by time, and the chunk that stands there already."""

    frames: list[tuple[int, bytes]]
    times: bytes | None
    columns: dict[int, bytes]


@dataclass(frozen=True)
class Chunk:
    """A chunk to be stored."""

    t_ms: Times
    times: bytes
    columns: dict[int, tuple[bytes, ColumnFigures]]


def seal(engine: Engine, before_ms: int, window_frames: int | None = None) -> SealReport:
    """Seal every window that ended before a moment, one transaction each; safe beside writers and other sealers."""
    return sum(seal_windows(engine, before_ms, window_frames), SealReport())


def seal_windows(engine: Engine, before_ms: int, window_frames: int | None = None) -> Iterator[SealReport]:
    """The same step by step: a caller may stop between any two windows."""
    catalog = LayoutCatalog(engine)
    with reading(engine) as connection:
        streams = list(connection.scalars(select(STREAM.c.id).order_by(STREAM.c.id)))
    for stream_id in streams:
        with reading(engine) as connection:
            layouts = [catalog.by_id(connection, id_) for id_ in _layouts_in(connection, stream_id, before_ms)]
        for known in layouts:
            for window in _windows(engine, known, before_ms, window_frames):
                yield _seal(engine, window)


def _layouts_in(connection: Connection, stream_id: int, before_ms: int) -> list[int]:
    query = select(FRAME.c.layout_id).where(FRAME.c.stream_id == stream_id, FRAME.c.t_ms < before_ms).distinct()
    return sorted(connection.scalars(query))


def _windows(engine: Engine, known: KnownLayout, before_ms: int, window_frames: int | None) -> Iterator[Window]:
    """The windows of a layout that hold frames and are over."""
    length = window_ms(known.layout.interval_ms, len(known.layout.series), window_frames)
    end_ms = -(1 << 62)
    while True:
        query = select(func.min(FRAME.c.t_ms)).where(
            FRAME.c.stream_id == known.stream_id, FRAME.c.layout_id == known.id, FRAME.c.t_ms >= end_ms
        )
        with reading(engine) as connection:
            first = connection.scalar(query)
        if first is None or (end_ms := (first // length + 1) * length) > before_ms:
            return
        yield Window(known, end_ms - length, end_ms)


def _seal(engine: Engine, window: Window) -> SealReport:
    mine = (
        FRAME.c.stream_id == window.known.stream_id,
        FRAME.c.t_ms >= window.start_ms,
        FRAME.c.t_ms < window.end_ms,
        FRAME.c.layout_id == window.known.id,
    )
    look = select(FRAME.c.t_ms, FRAME.c.vals).where(*mine)
    take = delete(FRAME).where(*mine).returning(FRAME.c.t_ms, FRAME.c.vals)
    with reading(engine) as connection:
        seen = _material(connection, window, sorted(raw(connection, look)))
    chunk = _compress(seen, window.known.layout)
    with writing(engine) as connection:
        lock_streams(connection, [window.known.stream_id])
        taken = _material(connection, window, sorted(raw(connection, take)))
        if not taken.frames:  # another sealer was faster
            return SealReport()
        if taken != seen:
            chunk = _compress(taken, window.known.layout)
        _store(connection, window, chunk)
    size = len(chunk.times) + sum(len(packed) for packed, _ in chunk.columns.values())
    values = sum(figure.n for _, figure in chunk.columns.values())
    return SealReport(1, len(taken.frames), values, size)


def _material(connection: Connection, window: Window, frames: list[tuple[int, bytes]]) -> Material:
    key = (window.known.stream_id, window.start_ms, window.known.id)
    query = select(CHUNK.c.times).where(
        CHUNK.c.stream_id == key[0], CHUNK.c.start_ms == key[1], CHUNK.c.layout_id == key[2]
    )
    times = connection.scalar(query)
    if times is None:
        return Material(frames, None, {})
    columns = sealed_columns(connection, key[0], key[2], [key[1]], None)[key[1]]
    return Material(frames, times, columns)


def _compress(material: Material, layout: Layout) -> Chunk:
    t, values = _merge(material, len(layout.series))
    columns = {}
    for i, column in enumerate(np.ascontiguousarray(values.T)):
        there = ~np.isnan(column)
        if there.any():
            summed = figures(t[there], column[there], layout.interval_ms, layout.max_gap_ms)
            columns[i] = (encode(column), summed)
    return Chunk(t, encode_times(t), columns)


def _merge(material: Material, width: int) -> tuple[Times, Values]:
    """int64[n] and float64[n, width] of frames and chunk; no value stands in both."""
    t_frames = np.array([t_ms for t_ms, _ in material.frames], np.int64)
    fresh = unpack([vals for _, vals in material.frames]) if material.frames else np.empty((0, width))
    if material.times is None:
        return t_frames, fresh
    t_chunk = decode_times(material.times)
    t = np.union1d(t_chunk, t_frames)
    values = np.full((len(t), width), np.nan)
    values[np.searchsorted(t, t_frames)] = fresh
    rows = np.searchsorted(t, t_chunk)
    for column, packed in material.columns.items():
        old = decode_values(packed)
        values[rows, column] = np.where(np.isnan(old), values[rows, column], old)
    return t, values


def _store(connection: Connection, window: Window, chunk: Chunk) -> None:
    key = {"stream_id": window.known.stream_id, "start_ms": window.start_ms, "layout_id": window.known.id}
    head = {"n": len(chunk.t_ms), "first_ms": int(chunk.t_ms[0]), "last_ms": int(chunk.t_ms[-1]), "times": chunk.times}
    upsert(connection, CHUNK, {name: [value] for name, value in (key | head).items()})
    rows = [
        key | {"col": column, "vals": packed} | asdict(summed) for column, (packed, summed) in chunk.columns.items()
    ]
    upsert(connection, COLUMN, {name: [row[name] for row in rows] for name in rows[0]} if rows else {})
