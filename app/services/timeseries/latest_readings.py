"""Latest reading of each series, dropped once older than max_gap + grace."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from app.domain.timeseries import AHEAD_MS, is_current
from app.services.timeseries.stores import LatestStores
from app.store.timeseries import LatestFrame
from collectors.contract import Quantity, Series

GRACE_MS = 5_000
"""Time for delivery: a reading is current for its max_gap and this time."""


@dataclass(frozen=True)
class LatestReading:
    """The latest value of a series; `value` is None if it is missing or no longer current.

    Attributes
    ----------
    meter: make and model as reported by the device.
    last: the value in the newest frame, current or not; None if it is missing there.
    """

    device: str
    series: Series
    value: float | None
    t_ms: int
    interval_s: float
    meter: str = ""
    last: float | None = None

    @property
    def key(self) -> str:
        """`device/point:quantity`."""
        return f"{self.device}/{self.series.key}"


@dataclass(frozen=True)
class LatestReadings:
    """The latest readings of some devices, by series key."""

    readings: dict[str, LatestReading]

    def of(self, devices: Iterable[str], quantity: Quantity) -> list[LatestReading]:
        """Return the readings of a quantity on some devices."""
        return [r for device in dict.fromkeys(devices) for r in self.on(device) if r.series.quantity is quantity]

    def on(self, device: str) -> Sequence[LatestReading]:
        """Return all readings of a device."""
        return self._by_device.get(device, ())

    @cached_property
    def _by_device(self) -> dict[str, list[LatestReading]]:
        found: dict[str, list[LatestReading]] = defaultdict(list)
        for reading in self.readings.values():
            found[reading.device].append(reading)
        return found

    def newest_ms(self, device: str) -> int | None:
        """Return the time of the latest reading of a device."""
        return max((r.t_ms for r in self.on(device)), default=None)

    def value(self, key: str) -> float | None:
        """Return the current value of a series; None without one."""
        reading = self.readings.get(key)
        return reading.value if reading else None


def read_latest(stores: LatestStores, devices: Sequence[str] | None = None) -> LatestReadings:
    """Return the latest readings of some devices, by default of all."""
    now = stores.now_ms()
    latest = stores.frames.latest(devices)
    return LatestReadings(
        {r.key: r for d, frames in latest.items() for frame in _possible(frames, now) for r in _readings(d, frame, now)}
    )


def _possible(frames: Sequence[LatestFrame], now_ms: int) -> Sequence[LatestFrame]:
    """Return the frames of a device without those from the future, if it has others."""
    return [frame for frame in frames if frame.t_ms <= now_ms + AHEAD_MS] or frames


def _readings(device: str, frame: LatestFrame, now_ms: int) -> list[LatestReading]:
    counts = is_current(frame.t_ms, now_ms, frame.layout.max_gap_ms + GRACE_MS)
    interval_s, meter = frame.layout.interval_ms / 1000.0, frame.layout.meter
    lasts = [float(v) if math.isfinite(v) else None for v in frame.values]
    return [
        LatestReading(device, s, last if counts else None, frame.t_ms, interval_s, meter, last)
        for s, last in zip(frame.layout.series, lasts, strict=True)
    ]
