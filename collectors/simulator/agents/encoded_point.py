"""Encode values of the plant as the raw numbers that a device sends, the reverse of decoding with its profile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from collectors.contract import Quantity
from collectors.profiles import Value, WordType, limits
from collectors.simulator.plant import Floats


@dataclass(frozen=True)
class EncodedPoint:
    """Encoding of one number of a device.

    Attributes
    ----------
    scale: base units per raw count.
    decimals: of the raw number; 0 for an integer, None for a binary float of `kind`.
    low, high: range of the raw number.
    wraps_at: raw count at which it wraps to 0; None when it saturates at `high`.
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
        """Convert values in base units to raw numbers; NaN becomes `absent`."""
        raw = values / self.scale
        if self.decimals is not None:
            raw = np.round(raw, self.decimals)
        elif self.kind is WordType.FLOAT32:
            raw = raw.astype(np.float32).astype(np.float64)
        raw = np.clip(raw, self.low, self.high) if self.wraps_at is None else np.mod(raw, self.wraps_at)
        return np.where(np.isnan(values), self.absent, raw)

    def read_back(self, values: Floats) -> Floats:
        """Return the values as a collector decodes them, at the resolution of the device. [base unit]"""
        return np.where(np.isnan(values), np.nan, self.raw(values) * self.scale)


def integer(point: str, value: Value, bounds: tuple[float, float], exponent: int = 0) -> EncodedPoint:
    """Encode a value as an integer within `bounds`."""
    wraps_at = None if value.counter_bits is None else 2.0**value.counter_bits
    absent = float(value.missing[0]) if value.missing else math.nan
    scale = value.factor * 10.0**exponent
    return EncodedPoint(point, value.quantity, scale, 0, None, bounds[0], bounds[1], wraps_at, absent)


def register(point: str, value: Value, kind: WordType, exponent: int = 0) -> EncodedPoint:
    """Encode a value in 16-bit registers."""
    if not kind.is_float:
        low, high = limits(kind)
        return integer(point, value, (float(low), float(high)), exponent)
    scale = value.factor * 10.0**exponent
    return EncodedPoint(point, value.quantity, scale, None, kind)


def columns(encoded: Sequence[EncodedPoint]) -> dict[tuple[str, Quantity], EncodedPoint]:
    """Index by point and quantity."""
    return {(one.point, one.quantity): one for one in encoded}
