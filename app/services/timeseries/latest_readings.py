"""Latest reading of each series, dropped once older than max_gap + grace."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.domain.timeseries import AHEAD_MS, is_current
from app.services.timeseries.stores import LatestStores
from app.store.timeseries import LatestFrame
from collectors.contract import Layout, Quantity, Series

GRACE_MS = 5_000
"""Time for delivery: a reading is current for its max_gap and this time."""


@dataclass(frozen=True, slots=True)
class LatestReading:
    """The latest value of a series; `value` is None if it is missing or no longer current.

    Attributes
    ----------
    meter: make and model as reported by the device.
    last: the value in the newest frame, current or not; None if it is missing there.
    is_read: False where the database cannot read its stream now; then nothing else of it is known.
    """

    device: str
    series: Series
    value: float | None
    t_ms: int
    interval_s: float
    meter: str = ""
    last: float | None = None
    is_read: bool = True

    @property
    def key(self) -> str:
        """`device/point:quantity`."""
        return f"{self.device}/{self.series.key}"


@dataclass(frozen=True, slots=True)
class LatestStream:
    """The newest frame of a stream; `values` are None where they are missing."""

    layout: Layout
    t_ms: int
    values: Sequence[float | None]
    is_current: bool
    is_read: bool = True

    def points(self, quantity: Quantity) -> tuple[str, ...]:
        """Return the points at which a quantity is reported."""
        series = self.layout.series
        return tuple([series[column].point for column in self.layout.columns_of.get(quantity, ())])

    def reading(self, column: int) -> LatestReading:
        """Return the reading of a series."""
        last, layout = self.values[column], self.layout
        value = last if self.is_current else None
        interval_s = layout.interval_ms / 1000.0
        return LatestReading(
            layout.device, layout.series[column], value, self.t_ms, interval_s, layout.meter, last, self.is_read
        )


class LatestReadings:
    """The latest readings of some devices.

    A reading is made where it is asked for: a site has a hundred times as many as a page shows. `unread`: the devices
    of which the database cannot read a stream now.
    """

    def __init__(self, streams: Iterable[LatestStream]) -> None:
        self._streams: dict[str, list[LatestStream]] = {}
        for stream in streams:
            self._streams.setdefault(stream.layout.device, []).append(stream)
        self._only = {device: found[0] for device, found in self._streams.items() if len(found) == 1}
        self.unread = frozenset(d for d, found in self._streams.items() if not all(one.is_read for one in found))
        self._on: dict[str, Sequence[LatestReading]] = {}
        self._of: dict[tuple[str, Quantity], Sequence[LatestReading]] = {}

    @cached_property
    def readings(self) -> Mapping[str, LatestReading]:
        """Every reading by series key."""
        return {reading.key: reading for device in self._streams for reading in self.on(device)}

    def of(self, devices: Iterable[str], quantity: Quantity) -> list[LatestReading]:
        """Return the readings of a quantity on some devices."""
        return [reading for device in dict.fromkeys(devices) for reading in self._of_device(device, quantity)]

    def on(self, device: str) -> Sequence[LatestReading]:
        """Return all readings of a device."""
        if device not in self._on:
            self._on[device] = self._unique(
                stream.reading(column)
                for stream in self._streams.get(device, ())
                for column in range(len(stream.layout.series))
            )
        return self._on[device]

    def get(self, key: str) -> LatestReading | None:
        """Return the reading of a series `device/point:quantity`."""
        device, _, series = key.partition("/")
        found = self._column(device, series)
        return found[0].reading(found[1]) if found else None

    def points(self, device: str, quantity: Quantity) -> tuple[str, ...]:
        """Return the points at which a device reports a quantity."""
        found = [stream.points(quantity) for stream in self._streams.get(device, ())]
        return found[0] if len(found) == 1 else tuple(dict.fromkeys(point for points in found for point in points))

    def newest_ms(self, device: str) -> int | None:
        """Return the time of the latest reading of a device."""
        return max((stream.t_ms for stream in self._streams.get(device, ()) if stream.is_read), default=None)

    def slowest_s(self, devices: Iterable[str], quantity: Quantity) -> float | None:
        """Return the longest interval at which some devices report a quantity [s]."""
        streams = (stream for device in devices for stream in self._streams.get(device, ()))
        intervals = [one.layout.interval_ms for one in streams if quantity in one.layout.columns_of]
        return max(intervals) / 1000.0 if intervals else None

    def value(self, key: str) -> float | None:
        """Return the current value of a series; None without one."""
        device, _, series = key.partition("/")
        now = self.current(device, series)
        return now[0] if now else None

    def current(self, device: str, series: str) -> tuple[float, int] | None:
        """Return the current value of a series `point:quantity` and its time; None without one."""
        stream = self._only.get(device)
        if stream is None:
            if (found := self._column(device, series)) is None:
                return None
            stream = found[0]
        column = stream.layout.index.get(series)
        if column is None or not stream.is_current or (value := stream.values[column]) is None:
            return None
        return value, stream.t_ms

    def is_silent(self, device: str) -> bool:
        """Return whether no reading of a device is current."""
        return all(
            not stream.is_current or all(value is None for value in stream.values)
            for stream in self._streams.get(device, ())
        )

    def without_value(self, quantity: Quantity) -> list[LatestReading]:
        """Return the readings of a quantity that have no value in the newest frame."""
        some = [key for key, streams in self._streams.items() if any(None in stream.values for stream in streams)]
        return [reading for reading in self.of(some, quantity) if reading.last is None]

    def registers_only(self) -> list[LatestReading]:
        """Return the energy registers at points that report no power."""
        return [
            reading
            for device in self._streams
            if (alone := set(self.points(device, Quantity.ENERGY)).difference(self.points(device, Quantity.POWER)))
            for reading in self._of_device(device, Quantity.ENERGY)
            if reading.series.point in alone
        ]

    def _of_device(self, device: str, quantity: Quantity) -> Sequence[LatestReading]:
        found = self._of.get((device, quantity))
        if found is None:
            streams = self._streams.get(device, ())
            each = [s.reading(column) for s in streams for column in s.layout.columns_of.get(quantity, ())]
            found = self._of[device, quantity] = each if len(streams) < 2 else self._unique(each)
        return found

    def _column(self, device: str, series: str) -> tuple[LatestStream, int] | None:
        for stream in reversed(self._streams.get(device, ())):
            if (column := stream.layout.index.get(series)) is not None:
                return stream, column
        return None

    def _unique(self, readings: Iterable[LatestReading]) -> Sequence[LatestReading]:
        """Return the last of several readings of one series."""
        return list({reading.series.key: reading for reading in readings}.values())


def read_latest(stores: LatestStores, devices: Sequence[str] | None = None) -> LatestReadings:
    """Return the latest readings of some devices, by default of all."""
    now = stores.now_ms()
    latest = stores.frames.latest(devices)
    return LatestReadings(_stream(frame, now) for frames in latest.values() for frame in _possible(frames, now))


def _possible(frames: Sequence[LatestFrame], now_ms: int) -> Sequence[LatestFrame]:
    """Return the frames of a device without those from the future, if it has others."""
    return [frame for frame in frames if frame.t_ms <= now_ms + AHEAD_MS] or frames


def _stream(frame: LatestFrame, now_ms: int) -> LatestStream:
    counts = is_current(frame.t_ms, now_ms, frame.layout.max_gap_ms + GRACE_MS)
    values: list[float | None] = frame.values.tolist()
    if not np.isfinite(frame.values).all():
        values = [float(v) if math.isfinite(v) else None for v in frame.values]
    return LatestStream(frame.layout, frame.t_ms, values, counts, frame.is_read)
