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
    accuracy_abs: what adds to the limit of error whatever the reading is [unit]; None if nothing.
    accuracy_over_current: of a class, from which line current [A] on which limit applies [%]; None if there is but one.
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
    accuracy_abs: float | None = None
    accuracy_over_current: tuple[tuple[float, float], ...] | None = None


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
            accuracy_abs=info.accuracy_abs,
            accuracy_over_current=info.accuracy_over_current,
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

    sensor, interval_s, accuracy_pct, accuracy_abs: as in `DeviceSeries`; accuracy_unit: unit of accuracy_abs.
    """

    point: str
    count: int
    quantities: tuple[MeasuredQuantity, ...]
    sensor: str
    interval_s: float
    accuracy_pct: float | None
    accuracy_abs: float | None = None
    accuracy_unit: str = ""


def measures_of(series: Iterable[SeriesInfo]) -> list[Measure]:
    """Return what a device measures, similar points together, in the order of the points."""
    found: dict[Measure, tuple[set[str], dict[MeasuredQuantity, None]]] = {}
    for info in series:
        point, interval_s = _NUMBER.sub("*", info.point), info.interval_ms / 1000
        unit = info.unit if info.accuracy_abs is not None else ""
        one = Measure(point, 0, (), info.sensor, interval_s, info.accuracy_pct, info.accuracy_abs, unit)
        points, quantities = found.setdefault(one, (set(), {}))
        points.add(info.point)
        quantities[MeasuredQuantity(info.quantity.value, info.unit)] = None
    return [replace(one, count=len(points), quantities=tuple(measured)) for one, (points, measured) in found.items()]
