"""What groups of a study are measured by, and how such numbers are written: with their scatter, in a fit unit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from app.presentation.text.numbers import MISSING, num
from app.presentation.text.power_units import power_scale

NAMES: Mapping[str, str] = {
    "energy_j": "energy",
    "mean_power_w": "mean power",
    "duration_s": "run time",
    "median_power_w": "median power",
    "max_power_w": "maximum power",
}


@dataclass(frozen=True, slots=True)
class Unit:
    """`per` base units make one."""

    name: str
    per: float


def unit_of(measure: str, top: float) -> Unit:
    """Return the unit for values of a measure up to `top` (base units); J for energy per unit of work."""
    if measure == "energy_j":
        return Unit("Wh", 3600.0) if top < 3.6e6 else Unit("kWh", 3.6e6) if top < 3.6e10 else Unit("MWh", 3.6e9)
    if measure == "duration_s":
        return length_unit(top)
    if measure.endswith("_w"):
        scale = power_scale(top)
        return Unit(scale.unit, scale.per)
    return Unit("J", 1.0) if top < 1e4 else Unit("kJ", 1e3) if top < 1e7 else Unit("MJ", 1e6)


def length_unit(top_s: float) -> Unit:
    """Seconds up to three minutes, minutes up to three hours, else hours."""
    return Unit("s", 1.0) if top_s < 180 else Unit("min", 60.0) if top_s < 10_800 else Unit("h", 3600.0)


def name_of(measure: str) -> str:
    """`energy`; `energy per query` of a unit of work."""
    return NAMES.get(measure, f"energy per {one_of(measure)}")


def one_of(unit: str) -> str:
    """One of what is counted: `query` of queries, `sample` of samples."""
    return f"{unit[:-3]}y" if unit.endswith("ies") else unit.removesuffix("s")


def with_scatter(mean: float, std: float) -> str:
    """`680.7 ± 6.7`: two digits of the scatter, as many of the mean; without one four digits of the mean."""
    if math.isnan(mean):
        return MISSING
    if math.isnan(std):
        return num(mean, digits(mean, 4))
    if std == 0:
        return f"{num(mean, digits(mean, 4))} ± 0"
    n = digits(std, 2)
    return f"{num(mean, n)} ± {num(std, n)}"


def digits(x: float, significant: int) -> int:
    """Decimals that show so many significant digits."""
    return 0 if x == 0 else max(0, significant - 1 - math.floor(math.log10(abs(x))))
