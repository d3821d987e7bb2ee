"""When devices delivered frames: the first and the last one, and steps of time with any."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Column, ColumnElement, Connection, func, select

from app.domain.timeseries import LATEST_MS
from app.models import ChunkRow, FrameRow, table
from app.store.database import among, among_texts, is_spread
from app.store.timeseries.codec import decode_times
from app.store.timeseries.layouts import STREAM

FRAME = table(FrameRow)
CHUNK = table(ChunkRow)
Steps = dict[str, list[tuple[int, int]]]


class FrameEnd(NamedTuple):
    """The least or greatest of a column of times."""

    function: Callable[[ColumnElement[int]], ColumnElement[int]]
    column: Column[int]


FIRST = (FrameEnd(func.min, FRAME.c.t_ms), FrameEnd(func.min, CHUNK.c.first_ms))
LAST = (FrameEnd(func.max, FRAME.c.t_ms), FrameEnd(func.max, CHUNK.c.last_ms))


def streams_of(connection: Connection, devices: Sequence[str] | None) -> dict[int, str]:
    """Return the streams of devices (all without a list), each with its device."""
    query = select(STREAM.c.id, STREAM.c.device)
    if devices is not None:
        query = query.where(among_texts(connection, STREAM.c.device, devices))
    return {row.id: row.device for row in connection.execute(query)}


def ends_of(
    connection: Connection, devices: Sequence[str], ends: Sequence[FrameEnd], streams: Sequence[int] | None = None
) -> dict[str, list[int]]:
    """Return by device such times of each of its streams (or of `streams` among these) that have frames."""
    found: dict[str, list[int]] = defaultdict(list)
    if streams is None and not is_spread(connection):
        query = select(STREAM.c.device, *(_end_of_stream(end) for end in ends))
        for device, *times in connection.execute(query.where(among_texts(connection, STREAM.c.device, devices))):
            found[device] += [t_ms for t_ms in times if t_ms is not None]
    else:
        of = streams_of(connection, devices)
        for end in ends:
            for stream_id, t_ms in _ends_by_stream(connection, end, sorted(of) if streams is None else streams):
                found[of[stream_id]].append(t_ms)
    return {device: times for device, times in found.items() if times}


def _end_of_stream(end: FrameEnd) -> ColumnElement[Any]:
    """Return the first or last moment of each stream within the calendar, which an index finds."""
    own = end.column.table.c.stream_id == STREAM.c.id
    inside = end.column.between(0, LATEST_MS)
    return select(end.function(end.column)).where(own, inside).correlate(STREAM).scalar_subquery()


def _ends_by_stream(connection: Connection, end: FrameEnd, streams: Sequence[int]) -> list[tuple[int, int]]:
    """Return the same where streams are on several machines: no subquery of theirs depends on `stream`."""
    stream_id: Column[int] = end.column.table.c.stream_id
    query = select(stream_id, end.function(end.column)).group_by(stream_id)
    mine = among(connection, stream_id, streams), end.column.between(0, LATEST_MS)
    return [(of, t_ms) for of, t_ms in connection.execute(query.where(*mine))]


def delivered_steps(
    connection: Connection,
    devices: Sequence[str],
    start_ms: int,
    end_ms: int,
    step_ms: int,
    streams: Sequence[int] | None = None,
) -> Steps:
    """Return by device (of `streams` alone, if given) the steps with a frame in [start, end), sealed or not."""
    found: Steps = defaultdict(list)
    step = func.floor(FRAME.c.t_ms * 1.0 / step_ms)
    of = among_texts(connection, STREAM.c.device, devices)
    hot = select(STREAM.c.device, step).join(STREAM, STREAM.c.id == FRAME.c.stream_id)
    hot = hot.where(of, FRAME.c.t_ms >= start_ms, FRAME.c.t_ms < end_ms).group_by(STREAM.c.device, step)
    sealed = select(STREAM.c.device, CHUNK).join(STREAM, STREAM.c.id == CHUNK.c.stream_id)
    sealed = sealed.where(of, CHUNK.c.last_ms >= start_ms, CHUNK.c.first_ms < end_ms)
    if streams is not None:
        hot = hot.where(among(connection, FRAME.c.stream_id, streams))
        sealed = sealed.where(among(connection, CHUNK.c.stream_id, streams))
    for device, number in connection.execute(hot):
        found[device].append((int(number) * step_ms, (int(number) + 1) * step_ms))
    for row in connection.execute(sealed):
        steps = np.unique(decode_times(row.times) // step_ms)
        found[row.device] += [(t * step_ms, (t + 1) * step_ms) for t in steps.tolist()]
    return dict(found)


def merged_steps(parts: Sequence[Mapping[str, Sequence[tuple[int, int]]]]) -> Steps:
    """Return the steps of all parts by device."""
    found: Steps = defaultdict(list)
    for part in parts:
        for device, steps in part.items():
            found[device] += steps
    return dict(found)
