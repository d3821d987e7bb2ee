"""A profile's value turned round: from what the plant says to the number a device would put on the wire."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from collectors.contract import Quantity
from collectors.profiles import Value, WordType, limits
from collectors.simulator.plant import Floats


@dataclass(frozen=True)
class Served:
    """One number of a device.

    Attributes
    ----------
    scale: base units per raw count.
    decimals: of the raw number; 0 for an integer, None for a binary float of `kind`.
    low, high: what the raw number can hold.
    wraps_at: raw count at which it begins again; None when it stops at `high`.
    absent: the raw number that means "not available"; NaN where the device has none.
    """

    point: str
    quantity: Quantity
    scale: float
    decimals: int | None = 0
    kind: WordType | None = None
    low: float = -math.inf
    high: float = math.inf
    wraps_at: float | None = None
    absent: float = math.nan

    def raw(self, values: Floats) -> Floats:
        """The raw numbers of values in base units; NaN becomes `absent`."""
        raw = values / self.scale
        if self.decimals is not None:
            raw = np.round(raw, self.decimals)
        elif self.kind is WordType.FLOAT32:
            raw = raw.astype(np.float32).astype(np.float64)
        raw = np.clip(raw, self.low, self.high) if self.wraps_at is None else np.mod(raw, self.wraps_at)
        return np.where(np.isnan(values), self.absent, raw)

    def read_back(self, values: Floats) -> Floats:
        """What a collector makes of the raw numbers: the values as this device resolves them. [base unit]"""
        return np.where(np.isnan(values), np.nan, self.raw(values) * self.scale)


def integer(point: str, value: Value, bounds: tuple[float, float], exponent: int = 0) -> Served:
    """A value sent as an integer within `bounds`."""
    wraps_at = None if value.counter_bits is None else 2.0**value.counter_bits
    absent = float(value.missing[0]) if value.missing else math.nan
    scale = value.factor * 10.0**exponent
    return Served(point, value.quantity, scale, 0, None, bounds[0], bounds[1], wraps_at, absent)


def register(point: str, value: Value, kind: WordType, exponent: int = 0) -> Served:
    """A value sent in 16-bit registers."""
    if not kind.is_float:
        low, high = limits(kind)
        return integer(point, value, (float(low), float(high)), exponent)
    scale = value.factor * 10.0**exponent
    return Served(point, value.quantity, scale, None, kind)


def columns(served: Sequence[Served]) -> dict[tuple[str, Quantity], Served]:
    """By point and quantity."""
    return {(one.point, one.quantity): one for one in served}
