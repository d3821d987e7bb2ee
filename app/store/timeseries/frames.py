"""The time-series table: write frames, read samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from functools import cached_property
from typing import Protocol

from sqlalchemy import Connection, Engine, func, select

from app.models import FrameRow, LatestFrameRow, table
from app.store.database import among, has_citus, reading, writing
from app.store.timeseries.codec import unpack
from app.store.timeseries.described_series import described, newest_layouts
from app.store.timeseries.frame_times import FIRST, LAST, delivered_steps, ends_of
from app.store.timeseries.frame_writer import FrameWriter
from app.store.timeseries.layouts import STREAM, KnownLayout, LayoutCatalog
from app.store.timeseries.readings import FrameBatch, LatestFrame, Samples, SeriesInfo, WriteResult
from app.store.timeseries.samples import StreamReader, joined
from app.store.timeseries.stream_fetch import WantedSeries, WantedStream, fetch_streams
from collectors.contract import Layout, wall_clock_ms

__all__ = ["FrameBatch", "FrameStore", "LatestFrame", "Samples", "SeriesInfo", "WriteResult"]

FRAME = table(FrameRow)
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

    def __init__(
        self, engine: Engine, now_ms: Callable[[], int] = wall_clock_ms, catalog: LayoutCatalog | None = None
    ) -> None:
        self.engine = engine
        self.catalog = catalog or LayoutCatalog(engine)
        self._now_ms = now_ms
        self._described: tuple[tuple[list[int], set[int]], list[SeriesInfo]] = (([], set()), [])

    def announce(self, layout: Layout) -> int:
        """Store a layout and return its id, which is the same for the same content."""
        return self.catalog.announce(layout).id

    def announce_all(self, layouts: Sequence[Layout]) -> None:
        """Store layouts in one transaction; those that are stored already stay as they are."""
        self.catalog.announce_all(layouts)

    def layout(self, hash_: str) -> Layout | None:
        """Return the layout announced under this hash."""
        known = self.catalog.get(hash_)
        return known.layout if known else None

    def write(self, batches: Sequence[FrameBatch]) -> list[WriteResult]:
        """Store frames and return the results in the given order; repeating it changes nothing.

        One transaction for all, because each one flushes to disk; one per stream if streams are on several machines
        (Citus). An error undoes whole transactions: deliver everything again.
        """
        streams: dict[int, list[tuple[int, KnownLayout]]] = defaultdict(list)
        for i, batch in enumerate(batches):
            known = self.catalog.announce(batch.layout)
            streams[known.stream_id].append((i, known))
        order = sorted(streams)
        results = [WriteResult()] * len(batches)
        for group in [[stream_id] for stream_id in order] if self.is_spread else filter(None, [order]):
            with writing(self.engine) as connection:
                intake = FrameWriter(connection, group, self.catalog)
                for i, known in (each for stream_id in group for each in streams[stream_id]):
                    results[i] = intake.write(known, batches[i], self._now_ms())
                intake.flush()
        return results

    def read(self, keys: Sequence[str], start_ms: int, end_ms: int) -> dict[str, Samples]:
        """Return the samples of series `device/point:quantity` in [start, end) and the neighbours that shape curves.

        All from one snapshot: every stored sample once, sealed or not. A series that was never announced is empty.
        """
        return self._read(keys, start_ms, end_ms)

    def _read(
        self, keys: Sequence[str], start_ms: int, end_ms: int, streams: Container[int] | None = None
    ) -> dict[str, Samples]:
        """Return what `read` does; with `streams` what those of them hold."""
        with reading(self.engine) as connection:
            series = self._wanted(connection, keys)
            wanted = [
                WantedStream.of(each, start_ms, end_ms)
                for stream_id, each in series.items()
                if streams is None or stream_id in streams
            ]
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
        with reading(self.engine) as connection:
            layouts = self.catalog.of_devices(connection, devices)
            streams = None if devices is None else sorted({known.stream_id for known in layouts})
            current = newest_layouts(connection, streams)
        described_of = [known.id for known in layouts], current
        if devices is None and self._described[0] == described_of:
            return list(self._described[1])
        infos = described(layouts, current)
        if devices is None and len(infos) <= MOST_DESCRIBED:
            self._described = (described_of, list(infos))
        return infos

    def latest(self, devices: Sequence[str] | None = None) -> dict[str, list[LatestFrame]]:
        """Return the newest frame of each stream, by device (all devices without a list)."""
        return self._latest(devices)

    def _latest(
        self, devices: Sequence[str] | None, streams: Sequence[int] | None = None
    ) -> dict[str, list[LatestFrame]]:
        """Return what `latest` does; with `streams` of those alone."""
        query = select(LATEST).join(STREAM, STREAM.c.id == LATEST.c.stream_id).order_by(LATEST.c.stream_id)
        if devices is not None:
            query = query.where(STREAM.c.device.in_(devices))
        found: dict[str, list[LatestFrame]] = defaultdict(list)
        with reading(self.engine) as connection:
            if streams is not None:
                query = query.where(among(connection, LATEST.c.stream_id, streams))
            rows = connection.execute(query).all()
            self.catalog.load(connection, (row.layout_id for row in rows))
            for row in rows:
                layout = self.catalog.by_id(connection, row.layout_id).layout
                found[layout.device].append(LatestFrame(layout, row.t_ms, unpack(row.payload, 1)[0], row.stored_ms))
        return dict(found)

    def series_per_s(self) -> dict[str, float]:
        """Return how many values each device reports per second, by the newest layout of each of its streams."""
        found: dict[str, float] = defaultdict(float)
        with reading(self.engine) as connection:
            ids = list(connection.scalars(select(LATEST.c.layout_id)))
            self.catalog.load(connection, ids)
            for id_ in ids:
                layout = self.catalog.by_id(connection, id_).layout
                found[layout.device] += 1000 * len(layout.series) / layout.interval_ms
        return dict(found)

    def last_stored_ms(self) -> int | None:
        """Return when the last reading was stored [ms, server's clock]; None if none was."""
        with reading(self.engine) as connection:
            found: int | None = connection.scalar(select(func.max(LATEST.c.stored_ms)))
            return found

    def delivered(
        self, devices: Sequence[str], start_ms: int, end_ms: int, step_ms: int
    ) -> dict[str, list[tuple[int, int]]]:
        """Return by device when it delivered frames in [start, end): steps with a frame, sealed or not."""
        with reading(self.engine) as connection:
            return delivered_steps(connection, devices, start_ms, end_ms, step_ms)

    def span(self, device: str | Collection[str]) -> tuple[int, int] | None:
        """Return the first and last moment of which a device, or several, have frames."""
        devices = [device] if isinstance(device, str) else sorted(device)
        with reading(self.engine) as connection:
            found = [t_ms for ends in ends_of(connection, devices, (*FIRST, *LAST)).values() for t_ms in ends]
        return (min(found), max(found)) if found else None

    def first_ms(self, devices: Collection[str]) -> dict[str, int]:
        """Return by device the moment of its first frame."""
        with reading(self.engine) as connection:
            return {device: min(ends) for device, ends in ends_of(connection, sorted(devices), FIRST).items()}

    @cached_property
    def is_spread(self) -> bool:
        """Whether streams are on several machines, each of which may be down alone."""
        with reading(self.engine) as connection:
            return has_citus(connection)

    def _wanted(self, connection: Connection, keys: Iterable[str]) -> dict[int, list[WantedSeries]]:
        """Return, by stream, the layouts that have a wanted series."""
        devices: dict[str, dict[str, str]] = defaultdict(dict)
        for key in keys:
            device, _, series = key.partition("/")
            devices[device][series] = key
        streams: dict[int, list[WantedSeries]] = defaultdict(list)
        for known in self.catalog.of_devices(connection, list(devices)):
            index, asked = known.layout.index, devices[known.layout.device]
            columns = {key: index[series] for series, key in asked.items() if series in index}
            if columns:
                streams[known.stream_id].append(WantedSeries(known, columns))
        return streams
