"""What each quantity can be at all, and what a point can carry by its rating."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from app.domain.timeseries import FloatArray
from collectors.contract import Quantity, Series

RANGES: Mapping[Quantity, tuple[float, float]] = {
    Quantity.POWER: (-1e9, 1e9),
    Quantity.APPARENT_POWER: (-1e9, 1e9),
    Quantity.REACTIVE_POWER: (-1e9, 1e9),
    Quantity.CURRENT: (-1e5, 1e5),
    Quantity.VOLTAGE: (-52_000.0, 52_000.0),
    Quantity.POWER_FACTOR: (-1.01, 1.01),
    Quantity.FREQUENCY: (0.0, 440.0),
    Quantity.ENERGY: (-1e18, 1e18),
    Quantity.TEMPERATURE: (-60.0, 150.0),
    Quantity.HUMIDITY: (0.0, 101.0),
    Quantity.UTILIZATION: (0.0, 101.0),
    Quantity.POWER_LIMIT: (0.0, 1e9),
    Quantity.STATE: (-1e18, 1e18),
}
"""Least and greatest possible value of each quantity [base unit]. Source: docs/semantics.md, "Impossible readings"."""
NO_FREQUENCY = (70.0, 360.0)
"""No supply has a frequency between these [Hz]: the grid is below, aircraft systems (400 Hz) are above."""
NOISE: Mapping[Quantity, float] = {
    Quantity.POWER: 1.0,
    Quantity.APPARENT_POWER: 1.0,
    Quantity.CURRENT: 0.1,
}
"""How far below 0 an unsigned point may read [base unit]: a meter without load shows noise around 0. An accuracy in %
of the reading says nothing there."""
MOST_OF_RATING = 3.0
"""A reading above this multiple of a rating is refused. Up to here it is an overload, and is shown."""
OVERLOAD_PCT = 200.0
"""How much of its rating a UPS or inverter output can report as its load [%]."""

_SIGNED = frozenset({Quantity.VOLTAGE, Quantity.REACTIVE_POWER, Quantity.POWER_FACTOR, Quantity.ENERGY})
_BATTERY = re.compile(r"(.*/)?batter(y|ies)(/.*)?")
_OUTPUT = re.compile(r"(.*/)?(output|load|bypass|inverter)(/.*)?")
_INLET = re.compile(r"(unit/\d+/)?inlet(/\d+)?")
_LINE = re.compile(r"(unit/\d+/)?inlet(/\d+)?/l\d")
_BRANCH = re.compile(r"branch/\d+")
_RATED = frozenset({Quantity.POWER, Quantity.APPARENT_POWER, Quantity.CURRENT})


def is_battery(series: Series) -> bool:
    """Return whether the point is a battery, whose current and power have a direction."""
    return _BATTERY.fullmatch(series.point) is not None


def is_signed(series: Series) -> bool:
    """Return whether the point may read negative, as its layout declares it or by default."""
    if series.signed is not None:
        return series.signed
    return series.quantity in _SIGNED or is_battery(series)


def limits(series: Series, rated: float) -> tuple[float, float]:
    """Return the least and the greatest value [base unit] that a point can read.

    Parameters
    ----------
    rated: what the facility declares that the point carries [base unit]; inf where it declares nothing.
    """
    low, high = RANGES[series.quantity]
    if series.quantity is Quantity.UTILIZATION and _OUTPUT.fullmatch(series.point):
        high = OVERLOAD_PCT
    if not is_signed(series):
        low = max(low, -NOISE.get(series.quantity, -low))
    if series.quantity in _RATED:
        own = series.rated if series.rated and series.rated > 0 else math.inf
        high = min(high, MOST_OF_RATING * own, MOST_OF_RATING * rated)
    return low, high


def rating_limits(
    series: Sequence[Series],
    *,
    breaker_a: float | None = None,
    breaker_va: float | None = None,
    phases: int = 1,
    node_w: float | None = None,
) -> FloatArray:
    """Return what the facility declares that each point carries [base unit], inf where nothing is declared.

    Parameters
    ----------
    breaker_a, breaker_va, phases: the declared breaker of the device: per line, and of all lines. It limits lines,
    inlets and branches; what is behind a converter (outputs, batteries) has other voltages.
    node_w: rated power of the node whose exporter or BMC this device is.
    """

    def of(one: Series) -> float:
        if one.quantity is Quantity.CURRENT and breaker_a is not None:
            if _LINE.fullmatch(one.point) or _BRANCH.fullmatch(one.point):
                return breaker_a
            return breaker_a * phases if _INLET.fullmatch(one.point) else math.inf
        if one.quantity not in (Quantity.POWER, Quantity.APPARENT_POWER):
            return math.inf
        if breaker_va is not None and (_INLET.fullmatch(one.point) or _LINE.fullmatch(one.point)):
            return breaker_va
        return node_w if node_w is not None and one.quantity is Quantity.POWER else math.inf

    return np.array([of(one) for one in series], np.float64)
