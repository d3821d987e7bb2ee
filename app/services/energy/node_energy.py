"""The energy of a node by the integral of its power and by the registers of its cords."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.energy import (
    EnergyFigure,
    NodeEnergy,
    Part,
    difference_w,
    energy_j,
    mean_w,
    time_resolution_j,
)
from app.domain.timeseries import Curve
from app.services.energy.node_readings import NodeReadings
from app.services.energy.supply_power import SupplyShare

_TWO_ENDS = 2.0


@dataclass(frozen=True)
class _Feed:
    """A point that powers the node in [start, end), and the part of it that goes to the node."""

    point: str
    start_ms: int
    end_ms: int
    fraction: float


def _feeds(reading: NodeReadings, shared: Sequence[SupplyShare]) -> list[_Feed]:
    found = [_Feed(feed.key, *reading.span(feed), 1.0) for feed in reading.feeds]
    for share in shared:
        found += [_Feed(point, share.start_ms, share.end_ms, share.fraction) for point in share.feeds]
    return found


def derived_steps(reading: NodeReadings, shared: Sequence[SupplyShare]) -> dict[str, float]:
    """Return by point, where power is derived, the resolution of its register as far as it belongs to the node [J]."""
    return {
        feed.point: reading.register(feed.point).step_j * feed.fraction
        for feed in _feeds(reading, shared)
        if feed.point in reading.derived
    }


def node_energy(
    reading: NodeReadings, total: Curve, parts: Sequence[Part], keys: Sequence[str], shared: Sequence[SupplyShare]
) -> NodeEnergy:
    """Return the energy of a node by each method.

    Parameters
    ----------
    total: its power inside the window [W]. parts: what each meter contributed. keys: the series of these meters.
    """
    feeds = _feeds(reading, shared)
    counter = _counter(reading, feeds, shared)
    span_ms = reading.end_ms - reading.start_ms
    if counter is not None and reading.derived:
        return NodeEnergy(span_ms, None, counter)
    fractions = {reading.power_key(feed.point): feed.fraction for feed in feeds}
    span = reading.start_ms, reading.end_ms
    time_j = math.fsum(fractions.get(key, 1.0) * _time_j(reading, key, *span) for key in keys)
    integral = EnergyFigure(
        energy_j(total, *span), total.covered_ms, parts, time_j, readings_inside(reading, keys, feeds)
    )
    return NodeEnergy(span_ms, integral, counter)


def readings_inside(reading: NodeReadings, keys: Iterable[str], feeds: Sequence[_Feed] = ()) -> int:
    """Return how many readings the series that was read the least has inside the window."""
    spans: Mapping[str, tuple[int, int]] = {reading.power_key(f.point): (f.start_ms, f.end_ms) for f in feeds}
    whole = reading.start_ms, reading.end_ms
    return min((_samples(reading.curve(key), *spans.get(key, whole)) for key in keys), default=0)


def _samples(curve: Curve, start_ms: int, end_ms: int) -> int:
    first, stop = np.searchsorted(curve.t_ms, start_ms), np.searchsorted(curve.t_ms, end_ms, "right")
    return int(np.count_nonzero(curve.is_sample[first:stop]))


def _time_j(reading: NodeReadings, key: str, start_ms: int, end_ms: int, at_most: float = math.inf) -> float:
    """Return the standard uncertainty from the time resolution of a series [J]."""
    info = reading.series.get(key)
    if info is None or end_ms <= start_ms:
        return 0.0
    curve = reading.curve(key) if key in reading.series else Curve.empty()
    spread_w = difference_w(curve, info.interval_ms, start_ms, end_ms)
    if math.isnan(spread_w):
        mean = mean_w(curve, start_ms, end_ms)
        spread_w = 0.0 if math.isnan(mean) else abs(mean)
    return time_resolution_j(spread_w, info.interval_ms, end_ms - start_ms, at_most)


def _counter(reading: NodeReadings, feeds: Sequence[_Feed], shared: Sequence[SupplyShare]) -> EnergyFigure | None:
    """Return the energy by registers; None unless each cord has one and every shared supply can be divided."""
    if not feeds or not all(reading.has_register(feed.point) and feed.fraction > 0 for feed in feeds):
        return None
    divided = {point for share in shared if len(share.supply.nodes) > 1 for point in share.feeds}
    joules, parts, time_j, covered_ms, readings, event = [], [], [], 0, [], False
    for feed in feeds:
        known = reading.register(feed.point).energy(feed.start_ms, feed.end_ms)
        joules.append(feed.fraction * known.energy_j)
        covered_ms += known.covered_ms
        readings.append(known.readings)
        event = event or bool(known.events)
        limit = math.nan if feed.point in divided else None
        parts.append(
            reading.meter_part(
                f"{feed.point}:energy",
                joules[-1],
                [(feed.start_ms, feed.end_ms)],
                step_j=feed.fraction * known.step_j,
                limit_pct=limit,
            )
        )
        time_j.append(feed.fraction * _register_time_j(reading, feed))
    wanted = sum(feed.end_ms - feed.start_ms for feed in feeds)
    covered = covered_ms / wanted * _union_ms(feeds) if wanted else 0.0
    return EnergyFigure(math.fsum(joules), round(covered), parts, math.fsum(time_j), min(readings), event)


def _register_time_j(reading: NodeReadings, feed: _Feed) -> float:
    """Return the uncertainty from the two intervals that the ends of the window cut [J]."""
    span = feed.start_ms, feed.end_ms
    info = reading.series[f"{feed.point}:energy"]
    curve = reading.power(feed.point)
    spread_w = difference_w(curve, info.interval_ms, *span)
    if math.isnan(spread_w):
        spread_w = abs(np.nan_to_num(mean_w(curve, *span)))
    return time_resolution_j(float(spread_w), info.interval_ms, feed.end_ms - feed.start_ms, _TWO_ENDS)


def _union_ms(feeds: Sequence[_Feed]) -> int:
    total, at = 0, 0
    for start, end in sorted((feed.start_ms, feed.end_ms) for feed in feeds):
        total += max(0, end - max(start, at))
        at = max(at, end)
    return total
