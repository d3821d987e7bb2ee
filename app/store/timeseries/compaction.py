"""Seal windows of old frames into compressed chunks; late frames are added to the chunk of their window.

A window is read and compressed without holding any lock. Then, in one transaction, its frames are deleted and the
deleted rows are compared with the compressed ones; if frames arrived meanwhile, the chunk is built again from the
deleted rows. So exactly the frames that leave `frame` are in the chunk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from sqlalchemy import Connection, Engine, delete, func, select

from app.models import FrameRow, table
from app.store.database import raw, reading, writing
from app.store.timeseries.chunk_builder import Chunk, OpenWindow, SealedChunk, compress, joined, save, sealed_chunk
from app.store.timeseries.codec import unpack, window_ms
from app.store.timeseries.layouts import STREAM, KnownLayout, LayoutCatalog, lock_streams
from collectors.contract import Layout

FRAME = table(FrameRow)


@dataclass(frozen=True)
class SealReport:
    """The result of sealing: chunks written, frames sealed, values and bytes in those chunks."""

    chunks: int = 0
    frames: int = 0
    values: int = 0
    bytes: int = 0

    def __add__(self, other: SealReport) -> SealReport:
        return SealReport(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True)
class Material:
    """The input of a chunk: frames (t, packed values) by time, and the chunk already stored."""

    frames: list[tuple[int, bytes]]
    chunk: SealedChunk | None


def seal(engine: Engine, before_ms: int, window_frames: int | None = None) -> SealReport:
    """Seal every window that ended before a time, one transaction each; safe with concurrent writers and sealers."""
    return sum(seal_windows(engine, before_ms, window_frames), SealReport())


def seal_windows(engine: Engine, before_ms: int, window_frames: int | None = None) -> Iterator[SealReport]:
    """Seal window by window, so that the caller can stop between two windows."""
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


def _windows(engine: Engine, known: KnownLayout, before_ms: int, window_frames: int | None) -> Iterator[OpenWindow]:
    """Return the past windows of a layout that hold frames."""
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
        yield OpenWindow(known, end_ms - length, end_ms)


def _seal(engine: Engine, window: OpenWindow) -> SealReport:
    mine = (
        FRAME.c.stream_id == window.known.stream_id,
        FRAME.c.t_ms >= window.start_ms,
        FRAME.c.t_ms < window.end_ms,
        FRAME.c.layout_id == window.known.id,
    )
    look = select(FRAME.c.t_ms, FRAME.c.payload).where(*mine)
    take = delete(FRAME).where(*mine).returning(FRAME.c.t_ms, FRAME.c.payload)
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
        save(connection, window, chunk)
    size = len(chunk.times) + sum(len(packed) for packed, _ in chunk.columns.values())
    values = sum(figure.count for _, figure in chunk.columns.values())
    return SealReport(1, len(taken.frames), values, size)


def _material(connection: Connection, window: OpenWindow, frames: list[tuple[int, bytes]]) -> Material:
    return Material(frames, sealed_chunk(connection, window))


def _compress(material: Material, layout: Layout) -> Chunk:
    t = np.array([t_ms for t_ms, _ in material.frames], np.int64)
    values = (
        unpack(b"".join(payload for _, payload in material.frames), len(t))
        if len(t)
        else np.empty((0, len(layout.series)))
    )
    return compress(layout, *joined(t, values, material.chunk))
