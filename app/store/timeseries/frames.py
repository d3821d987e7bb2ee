"""The time-series table: write frames, read samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from sqlalchemy import Column, ColumnElement, Connection, Engine, func, select

from app.domain.timeseries import LATEST_MS
from app.models import ChunkRow, FrameRow, LatestFrameRow, table
from app.store.database import among, among_texts, has_citus, reading, writing
from app.store.timeseries.codec import decode_times, unpack
from app.store.timeseries.frame_writer import FrameWriter
from app.store.timeseries.layouts import STREAM, KnownLayout, LayoutCatalog
from app.store.timeseries.readings import FrameBatch, LatestFrame, Samples, SeriesInfo, WriteResult
from app.store.timeseries.samples import StreamReader, joined
from app.store.timeseries.stream_fetch import WantedSeries, WantedStream, fetch_streams
from collectors.contract import Layout, Series, wall_clock_ms

__all__ = ["FrameBatch", "FrameStore", "LatestFrame", "Samples", "SeriesInfo", "WriteResult"]

FRAME = table(FrameRow)
CHUNK = table(ChunkRow)
LATEST = table(LatestFrameRow)
MOST_DESCRIBED = 100_000
"""Descriptions of all series that are kept until a layout changes: 30 MB."""


class ReadingSource(Protocol):
    """A source of readings: the database, or readings fetched from it before."""

    def series(self, device: str | Collection[str] | None = None) -> list[SeriesInfo]:
        """Return the series that are stored (of a device, or of several)."""

    def read(self, keys: Sequence[str], start_ms: int, end_ms: int) -> dict[str, Samples]:
        """Return the samples of series in [start, end), and the ones around it that shape its curve."""


class FrameStore:
    """Readings of all devices. Safe to share between threads."""

    def __init__(self, engine: Engine, now_ms: Callable[[], int] = wall_clock_ms) -> None:
        self._engine = engine
        self._now_ms = now_ms
        self._catalog = LayoutCatalog(engine)
        self._described: tuple[tuple[list[int], set[int]], list[SeriesInfo]] = (([], set()), [])

    def announce(self, layout: Layout) -> int:
        """Store a layout and return its id, which is the same for the same content."""
        return self._catalog.announce(layout).id

    def announce_all(self, layouts: Sequence[Layout]) -> None:
        """Store layouts in one transaction; those that are stored already stay as they are."""
        self._catalog.announce_all(layouts)

    def layout(self, hash_: str) -> Layout | None:
        """Return the layout announced under this hash."""
        known = self._catalog.get(hash_)
        return known.layout if known else None

    def write(self, batches: Sequence[FrameBatch]) -> list[WriteResult]:
        """Store frames and return the results in the given order; repeating it changes nothing.

        One transaction for all, because each one flushes to disk; one per stream if streams are on several machines
        (Citus). An error undoes whole transactions: deliver everything again.
        """
        streams: dict[int, list[tuple[int, KnownLayout]]] = defaultdict(list)
        for i, batch in enumerate(batches):
            known = self._catalog.announce(batch.layout)
            streams[known.stream_id].append((i, known))
        order = sorted(streams)
        results = [WriteResult()] * len(batches)
        for group in [[stream_id] for stream_id in order] if self.is_spread else filter(None, [order]):
            with writing(self._engine) as connection:
                intake = FrameWriter(connection, group, self._catalog)
                for i, known in (each for stream_id in group for each in streams[stream_id]):
                    results[i] = intake.write(known, batches[i], self._now_ms())
                intake.flush()
        return results

    def read(self, keys: Sequence[str], start_ms: int, end_ms: int) -> dict[str, Samples]:
        """Return the samples of series `device/point:quantity` in [start, end) and the neighbours that shape curves.

        All from one snapshot: every stored sample once, sealed or not. A series that was never announced is empty.
        """
        with reading(self._engine) as connection:
            wanted = [WantedStream.of(series, start_ms, end_ms) for series in self._wanted(connection, keys)]
            stored = fetch_streams(connection, wanted)
        found: dict[str, list[Samples]] = {key: [] for key in keys}
        for stream, rows in zip(wanted, stored, strict=True):
            for key, samples in StreamReader(stream, rows).samples():
                found[key].append(samples)
        return {key: joined(parts, start_ms, end_ms) for key, parts in found.items()}

    def series(self, device: str | Collection[str] | None = None) -> list[SeriesInfo]:
        """Return all series (of a device, or of several) as the newest layout of their stream that has them describes
        them, sorted by key.
        """
        devices = [device] if isinstance(device, str) else None if device is None else list(device)
        with reading(self._engine) as connection:
            layouts = self._catalog.of_devices(connection, devices)
            newest = select(LATEST.c.layout_id)
            if devices is not None:
                streams = sorted({known.stream_id for known in layouts})
                newest = newest.where(among(connection, LATEST.c.stream_id, streams))
            current = set(connection.scalars(newest))
        described_of = [known.id for known in layouts], current
        if devices is None and self._described[0] == described_of:
            return list(self._described[1])
        found: dict[str, SeriesInfo] = {}
        for known in sorted(layouts, key=lambda k: (k.id in current, k.id)):
            for series in known.layout.series:
                info = _describe(known.layout, series)
                found[info.key] = info
        infos = [found[key] for key in sorted(found)]
        if devices is None and len(infos) <= MOST_DESCRIBED:
            self._described = (described_of, list(infos))
        return infos

    def latest(self, devices: Sequence[str] | None = None) -> dict[str, list[LatestFrame]]:
        """Return the newest frame of each stream, by device (all devices without a list)."""
        query = select(LATEST).join(STREAM, STREAM.c.id == LATEST.c.stream_id).order_by(LATEST.c.stream_id)
        if devices is not None:
            query = query.where(STREAM.c.device.in_(devices))
        found: dict[str, list[LatestFrame]] = defaultdict(list)
        with reading(self._engine) as connection:
            rows = connection.execute(query).all()
            self._catalog.load(connection, (row.layout_id for row in rows))
            for row in rows:
                layout = self._catalog.by_id(connection, row.layout_id).layout
                found[layout.device].append(LatestFrame(layout, row.t_ms, unpack(row.payload, 1)[0], row.stored_ms))
        return dict(found)

    def series_per_s(self) -> dict[str, float]:
        """Return how many values each device reports per second, by the newest layout of each of its streams."""
        found: dict[str, float] = defaultdict(float)
        with reading(self._engine) as connection:
            ids = list(connection.scalars(select(LATEST.c.layout_id)))
            self._catalog.load(connection, ids)
            for id_ in ids:
                layout = self._catalog.by_id(connection, id_).layout
                found[layout.device] += 1000 * len(layout.series) / layout.interval_ms
        return dict(found)

    def last_stored_ms(self) -> int | None:
        """Return when the last reading was stored [ms, server's clock]; None if none was."""
        with reading(self._engine) as connection:
            found: int | None = connection.scalar(select(func.max(LATEST.c.stored_ms)))
            return found

    def delivered(
        self, devices: Sequence[str], start_ms: int, end_ms: int, step_ms: int
    ) -> dict[str, list[tuple[int, int]]]:
        """Return by device when it delivered frames in [start, end): steps with a frame, and spans of sealed frames."""
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        step = func.floor(FRAME.c.t_ms * 1.0 / step_ms)
        with reading(self._engine) as connection:
            of = among_texts(connection, STREAM.c.device, devices)
            hot = select(STREAM.c.device, step).join(STREAM, STREAM.c.id == FRAME.c.stream_id)
            hot = hot.where(of, FRAME.c.t_ms >= start_ms, FRAME.c.t_ms < end_ms).group_by(STREAM.c.device, step)
            for device, number in connection.execute(hot):
                found[device].append((int(number) * step_ms, (int(number) + 1) * step_ms))
            sealed = select(STREAM.c.device, CHUNK).join(STREAM, STREAM.c.id == CHUNK.c.stream_id)
            sealed = sealed.where(of, CHUNK.c.last_ms >= start_ms, CHUNK.c.first_ms < end_ms)
            for row in connection.execute(sealed):
                steps = np.unique(decode_times(row.times) // step_ms)
                found[row.device] += [(t * step_ms, (t + 1) * step_ms) for t in steps.tolist()]
        return found

    def span(self, device: str | Collection[str]) -> tuple[int, int] | None:
        """Return the first and last moment of which a device, or several, have frames."""
        devices = [device] if isinstance(device, str) else sorted(device)
        ends = (
            _end(func.min, FRAME.c.t_ms),
            _end(func.max, FRAME.c.t_ms),
            _end(func.min, CHUNK.c.first_ms),
            _end(func.max, CHUNK.c.last_ms),
        )
        with reading(self._engine) as connection:
            among_devices = among_texts(connection, STREAM.c.device, devices)
            rows = connection.execute(select(*ends).where(among_devices)).all()
        found = [end for row in rows for end in row if end is not None]
        return (min(found), max(found)) if found else None

    def first_ms(self, devices: Collection[str]) -> dict[str, int]:
        """Return by device the moment of its first frame."""
        ends = _end(func.min, FRAME.c.t_ms), _end(func.min, CHUNK.c.first_ms)
        with reading(self._engine) as connection:
            of = among_texts(connection, STREAM.c.device, sorted(devices))
            rows = connection.execute(select(STREAM.c.device, *ends).where(of)).all()
        found: dict[str, int] = {}
        for device, *moments in rows:
            known = [t for t in (found.get(device), *moments) if t is not None]
            if known:
                found[device] = min(known)
        return found

    @cached_property
    def is_spread(self) -> bool:
        """Whether streams are on several machines, each of which may be down alone."""
        with reading(self._engine) as connection:
            return has_citus(connection)

    def _wanted(self, connection: Connection, keys: Iterable[str]) -> list[list[WantedSeries]]:
        """Return, by stream, the layouts that have a wanted series."""
        devices: dict[str, dict[str, str]] = defaultdict(dict)
        for key in keys:
            device, _, series = key.partition("/")
            devices[device][series] = key
        streams: dict[int, list[WantedSeries]] = defaultdict(list)
        for known in self._catalog.of_devices(connection, list(devices)):
            index, asked = known.layout.index, devices[known.layout.device]
            columns = {key: index[series] for series, key in asked.items() if series in index}
            if columns:
                streams[known.stream_id].append(WantedSeries(known, columns))
        return list(streams.values())


def _end(function: Callable[[ColumnElement[int]], ColumnElement[int]], column: Column[int]) -> ColumnElement[Any]:
    """Return the first or last moment of each stream within the calendar, which an index finds."""
    own = column.table.c.stream_id == STREAM.c.id
    return select(function(column)).where(own, column.between(0, LATEST_MS)).correlate(STREAM).scalar_subquery()


def _describe(layout: Layout, series: Series) -> SeriesInfo:
    return SeriesInfo(
        key=f"{layout.device}/{series.key}",
        device=layout.device,
        group=layout.group,
        point=series.point,
        quantity=series.quantity,
        label=series.label,
        interval_ms=layout.interval_ms,
        max_gap_ms=layout.max_gap_ms,
        resolution=series.resolution,
        accuracy_pct=series.accuracy_pct,
        rated=series.rated,
        counter_modulus=series.counter_modulus,
        meter=layout.meter,
        sensor=series.sensor,
        accuracy_abs=series.accuracy_abs,
        accuracy_over_current=series.accuracy_over_current,
    )
