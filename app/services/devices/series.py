"""The series of a device and what they measure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.services.devices.stores import DeviceStores
from app.store.timeseries import SeriesInfo

_NUMBER = re.compile(r"(?<=/)\d+|(?<=/l)\d+$")


@dataclass(frozen=True)
class DeviceSeries:
    """A series of a device as its newest layout describes it.

    sensor: what a reading is (instantaneous value, average over a time, counter); empty if not known.
    interval_s: time between two readings.
    resolution, accuracy_pct: smallest step [unit] and limit of error [% of reading]; None if not specified.
    """

    point: str
    quantity: str
    unit: str
    label: str
    sensor: str
    interval_s: float
    resolution: float | None
    accuracy_pct: float | None
    meter: str


def series_of(stores: DeviceStores, device: str) -> list[DeviceSeries]:
    """Return every series of a device."""
    return [
        DeviceSeries(
            point=info.point,
            quantity=info.quantity.value,
            unit=info.unit,
            label=info.label,
            sensor=info.sensor,
            interval_s=info.interval_ms / 1000,
            resolution=info.resolution,
            accuracy_pct=info.accuracy_pct,
            meter=info.meter,
        )
        for info in stores.frames.series(device)
    ]


@dataclass(frozen=True)
class MeasuredQuantity:
    """A measured quantity and its unit."""

    name: str
    unit: str


@dataclass(frozen=True)
class Measure:
    """Points measured in the same way that differ only in their number: `outlet/*`, 24 of them.

    sensor, interval_s, accuracy_pct: as in `DeviceSeries`.
    """

    point: str
    count: int
    quantities: tuple[MeasuredQuantity, ...]
    sensor: str
    interval_s: float
    accuracy_pct: float | None


def measures_of(series: Iterable[SeriesInfo]) -> list[Measure]:
    """Return what a device measures, similar points together, in the order of the points."""
    found: dict[Measure, tuple[set[str], dict[MeasuredQuantity, None]]] = {}
    for info in series:
        one = Measure(_NUMBER.sub("*", info.point), 0, (), info.sensor, info.interval_ms / 1000, info.accuracy_pct)
        points, quantities = found.setdefault(one, (set(), {}))
        points.add(info.point)
        quantities[MeasuredQuantity(info.quantity.value, info.unit)] = None
    return [replace(one, count=len(points), quantities=tuple(measured)) for one, (points, measured) in found.items()]
