"""Convert raw numbers of a device to values in base units, and back.

One rule for every protocol: value [base unit] = raw × scale × 10^exponent × (base units per `unit`) + offset.
A scale always multiplies; only degrees Fahrenheit have an offset. A raw number listed as `missing`, below
`lowest` or above `highest`, and any NaN, is a missing value (NaN), never 0.
`encode` is the exact reverse: a simulator uses it to serve a profile backwards.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from collectors.contract import NAN


class Scaling(Protocol):
    """Properties of a number that decoding needs."""

    @property
    def factor(self) -> float:
        """Return the base units per raw count."""

    @property
    def offset(self) -> float:
        """Return the value of raw 0 [base unit]."""

    @property
    def missing(self) -> tuple[int | float, ...]:
        """Return the raw numbers that mean "not available"."""

    @property
    def lowest(self) -> float | None:
        """Return the limit below which raw numbers mean "not available"; None if there is none."""

    @property
    def highest(self) -> float | None:
        """Return the limit above which raw numbers mean "not available"; None if there is none."""

    @property
    def absolute(self) -> bool:
        """Return whether the sign of a raw number is not part of the value."""


class ByteOrder(StrEnum):
    """Which 16-bit word of a wider number comes first. Bytes inside a word are always big-endian."""

    BIG = "big"
    LITTLE = "little"


class WordType(StrEnum):
    """Types of numbers in 16-bit registers."""

    INT16 = "int16"
    UINT16 = "uint16"
    INT32 = "int32"
    UINT32 = "uint32"
    INT64 = "int64"
    UINT64 = "uint64"
    FLOAT32 = "float32"
    FLOAT64 = "float64"

    @property
    def words(self) -> int:
        """Return the number of registers."""
        return struct.calcsize(_FORMAT[self]) // 2

    @property
    def bits(self) -> int:
        """Return the width in bits."""
        return 16 * self.words

    @property
    def is_float(self) -> bool:
        """Return whether it is an IEEE 754 number rather than an integer."""
        return self in (WordType.FLOAT32, WordType.FLOAT64)


_FORMAT: Mapping[WordType, str] = {
    WordType.INT16: ">h",
    WordType.UINT16: ">H",
    WordType.INT32: ">i",
    WordType.UINT32: ">I",
    WordType.INT64: ">q",
    WordType.UINT64: ">Q",
    WordType.FLOAT32: ">f",
    WordType.FLOAT64: ">d",
}


def decode(scaling: Scaling, raw: float, exponent: int = 0) -> float:
    """Return the value of a raw number [base unit]; NaN if it means "not available" or exceeds a float."""
    if raw in scaling.missing or (isinstance(raw, float) and not math.isfinite(raw)):
        return NAN
    if scaling.lowest is not None and raw < scaling.lowest:
        return NAN
    if scaling.highest is not None and raw > scaling.highest:
        return NAN
    factor = scaling.factor * 10.0**exponent if exponent else scaling.factor
    value = (abs(raw) if scaling.absolute else raw) * factor + scaling.offset
    return value if math.isfinite(value) else NAN


def encode(scaling: Scaling, value: float, exponent: int = 0) -> float | None:
    """Return the raw number of a value [base unit], not rounded; None for a missing value without a sentinel.

    A missing value (NaN) becomes the first sentinel.
    """
    if math.isnan(value):
        return scaling.missing[0] if scaling.missing else None
    return (value - scaling.offset) / (scaling.factor * 10.0**exponent)


def from_words(words: Sequence[int], kind: WordType, order: ByteOrder) -> int | float:
    """Return the number in a run of registers [0..65535], in the order they were read."""
    run = words if order is ByteOrder.BIG else words[::-1]
    number: int | float = struct.unpack(_FORMAT[kind], struct.pack(f">{len(run)}H", *run))[0]
    return number


def to_words(raw: float, kind: WordType, order: ByteOrder) -> list[int]:
    """Return the registers that hold a number; an integer is rounded and clamped to its type."""
    packed = struct.pack(_FORMAT[kind], float(raw) if kind.is_float else fit(round(raw), kind))
    run = list(struct.unpack(f">{kind.words}H", packed))
    return run if order is ByteOrder.BIG else run[::-1]


def fit(raw: int, kind: WordType) -> int:
    """Clamp an integer to the range of its type."""
    low, high = limits(kind)
    return min(max(raw, low), high)


def limits(kind: WordType) -> tuple[int, int]:
    """Return the smallest and largest integer of a type."""
    if kind in (WordType.UINT16, WordType.UINT32, WordType.UINT64):
        return 0, 2**kind.bits - 1
    return -(2 ** (kind.bits - 1)), 2 ** (kind.bits - 1) - 1


def pattern(raw: float, kind: WordType) -> int | float:
    """Interpret a sentinel in its type: 0x8000 of an int16 reads as −32768, 0xFFC00000 of a float32 as NaN."""
    if not isinstance(raw, int):
        return float(raw)
    words = [(raw >> (16 * i)) & 0xFFFF for i in reversed(range(kind.words))]
    return from_words(words, kind, ByteOrder.BIG)
