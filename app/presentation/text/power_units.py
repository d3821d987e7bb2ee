"""The unit a figure of one node or job is read in: watts for a small computer, kilowatts for the rest."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.presentation.text.numbers import MISSING, THIN, num

KILO = 1000.0


@dataclass(frozen=True, slots=True)
class PowerScale:
    """A unit of power: `per` watts make one of it, readings are written with `digits` decimals."""

    unit: str
    per: float
    digits: int

    def of(self, watts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Watts in this unit."""
        return watts / self.per

    def words(self, watts: float | None) -> str:
        """`10.46 kW`, `431 W`."""
        if watts is None or math.isnan(watts):
            return MISSING
        return f"{num(watts / self.per, self.digits)}{THIN}{self.unit}"

    def limit(self, watts: float) -> str:
        """A nameplate: whole where it is whole, else one decimal (`10.2 kW`)."""
        value = round(watts / self.per, 3)
        return f"{num(value, 0 if value == round(value) else 1)}{THIN}{self.unit}"


def power_scale(top_w: float) -> PowerScale:
    """The unit for values up to `top_w`. NaN counts as kilowatts."""
    if top_w < KILO:
        return PowerScale("W", 1.0, 1 if top_w < 100.0 else 0)
    kilowatts = top_w / KILO
    return PowerScale("kW", KILO, 0 if kilowatts >= 1000.0 else 1 if kilowatts >= 100.0 else 2)
