"""What a device reads now: every point with its values, its limit, what it powers, and its course in a window."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.energy import counter_energy, energy_j
from app.domain.timeseries import Curve, bucket_means, coverage
from app.services.devices.stores import DeviceStores
from app.services.energy import curves_of
from app.services.timeseries import LatestReading, read_latest
from app.store.facility import Device, Facility
from app.store.timeseries import Samples, SeriesInfo
from collectors.contract import Quantity

SPARK_STEPS = 48
MOST_REGISTERS = 12
_MAIN = (Quantity.POWER, Quantity.CURRENT, Quantity.TEMPERATURE, Quantity.HUMIDITY)
"""What the course of a point is drawn of: the first of these that it has."""


@dataclass(frozen=True)
class PointReading:
    """A quantity at a point: its current value, or None with its last one, and the time of that."""

    quantity: Quantity
    unit: str
    value: float | None
    last: float | None
    t_ms: int


@dataclass(frozen=True)
class PointReadings:
    """A point of a device.

    Attributes
    ----------
    nodes: keys of what it powers. limit: rating in the unit of `limit_quantity`; None if neither reported nor declared.
    main: quantity of `course`, the means of `SPARK_STEPS` steps of the window, NaN where nothing is covered.
    energy_j: integral of its power in the window; None without one. coverage: of that power or of the main quantity.
    """

    point: str
    label: str
    readings: Sequence[PointReading]
    nodes: Sequence[str]
    limit: float | None
    limit_quantity: Quantity | None
    main: Quantity | None
    course: Sequence[float]
    energy_j: float | None
    coverage: float | None


@dataclass(frozen=True)
class RegisterReading:
    """An energy register: its reading [J] and time, and its increase in the window beside the integral of power [J]."""

    point: str
    label: str
    value_j: float | None
    t_ms: int
    resolution_j: float | None
    counted_j: float | None
    counted_coverage: float
    integral_j: float | None
    integral_coverage: float | None


def read_points(
    stores: DeviceStores,
    facility: Facility,
    device: Device,
    series: Sequence[SeriesInfo],
    start_ms: int,
    end_ms: int,
) -> tuple[list[PointReadings], list[RegisterReading]]:
    """Return the points of a device in the order of its series, and its energy registers."""
    latest = {key: one for key, one in read_latest(stores, [device.key]).readings.items() if one.is_read}
    by_point: dict[str, list[SeriesInfo]] = defaultdict(list)
    for info in series:
        by_point[info.point].append(info)
    main = {point: found for point, infos in by_point.items() if (found := _main(infos))}
    registers = _registers(by_point)
    wanted = {info.key for info in main.values()} | {info.key for info in registers}
    samples = stores.frames.read(sorted(wanted), start_ms, end_ms) if wanted else {}
    curves = curves_of({info.key: samples[info.key] for info in main.values() if info.key in samples})
    nodes: dict[str, list[str]] = defaultdict(list)
    for feeds in facility.feeds.values():
        for feed in feeds:
            if feed.device == device.key:
                nodes[feed.point].append(feed.node)
    points = [
        _point(point, infos, latest, nodes[point], device, main.get(point), curves, (start_ms, end_ms))
        for point, infos in by_point.items()
    ]
    return points, [_register(i, latest, main, curves, samples, (start_ms, end_ms)) for i in registers]


def _main(infos: Sequence[SeriesInfo]) -> SeriesInfo | None:
    by_quantity = {info.quantity: info for info in infos}
    return next((by_quantity[q] for q in _MAIN if q in by_quantity), None)


def _registers(by_point: Mapping[str, Sequence[SeriesInfo]]) -> list[SeriesInfo]:
    """Return the registers of the whole device if it has any, else those of its points."""
    found = [i for infos in by_point.values() for i in infos if i.quantity is Quantity.ENERGY]
    depth = min((info.point.count("/") for info in found), default=0)
    return [info for info in found if info.point.count("/") == depth][:MOST_REGISTERS]


def _point(
    point: str,
    infos: Sequence[SeriesInfo],
    latest: Mapping[str, LatestReading],
    nodes: Sequence[str],
    device: Device,
    main: SeriesInfo | None,
    curves: Mapping[str, Curve],
    span: tuple[int, int],
) -> PointReadings:
    readings = [
        PointReading(info.quantity, info.unit, found.value, found.last, found.t_ms)
        for info in infos
        if (found := latest.get(info.key)) is not None
    ]
    limit, quantity = _limit(point, infos, device)
    curve = curves.get(main.key, Curve.empty()) if main else Curve.empty()
    is_power = main is not None and main.quantity is Quantity.POWER
    edges = np.linspace(*span, SPARK_STEPS + 1).astype(np.int64)
    return PointReadings(
        point=point,
        label=next((info.label for info in infos if info.label), ""),
        readings=readings,
        nodes=sorted(nodes),
        limit=limit,
        limit_quantity=quantity,
        main=main.quantity if main else None,
        course=bucket_means(curve, edges).tolist() if main else [],
        energy_j=energy_j(curve, *span) if is_power and len(curve) else None,
        coverage=coverage(curve, *span) if main else None,
    )


def _limit(point: str, infos: Sequence[SeriesInfo], device: Device) -> tuple[float | None, Quantity | None]:
    """Return the limit of an input line: of its declared breaker, or a lower rating; of other points the rating."""
    rated = {
        quantity: next((info.rated for info in infos if info.quantity is quantity and info.rated), None)
        for quantity in (Quantity.CURRENT, Quantity.POWER)
    }
    is_input = point == "inlet" or point.startswith("inlet/")
    if is_input and device.breaker and any(info.quantity is Quantity.CURRENT for info in infos):
        declared = device.breaker.amps * device.breaker.derating
        return min(declared, rated[Quantity.CURRENT] or declared), Quantity.CURRENT
    return next(((limit, quantity) for quantity, limit in rated.items() if limit), (None, None))


def _register(
    info: SeriesInfo,
    latest: Mapping[str, LatestReading],
    main: Mapping[str, SeriesInfo],
    curves: Mapping[str, Curve],
    samples: Mapping[str, Samples],
    span: tuple[int, int],
) -> RegisterReading:
    read = samples.get(info.key)
    counted = None
    if read is not None and len(read) > 1:
        counted = counter_energy(read.t_ms, read.v, *span, info.counter_modulus, None, info.resolution)
    power = main.get(info.point)
    curve = curves.get(power.key) if power and power.quantity is Quantity.POWER else None
    now = latest.get(info.key)
    return RegisterReading(
        point=info.point,
        label=info.label,
        value_j=now.last if now else None,
        t_ms=now.t_ms if now else 0,
        resolution_j=info.resolution,
        counted_j=counted.energy_j if counted else None,
        counted_coverage=counted.covered_ms / (span[1] - span[0]) if counted else 0.0,
        integral_j=energy_j(curve, *span) if curve is not None and len(curve) else None,
        integral_coverage=coverage(curve, *span) if curve is not None else None,
    )
