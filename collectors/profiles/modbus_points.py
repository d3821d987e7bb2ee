"""Modbus values of a profile: registers grouped by the point they are measured at."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Literal, NamedTuple

from pydantic import Field, model_validator

from collectors.contract import Quantity
from collectors.profiles.decoding import ByteOrder, WordType, pattern
from collectors.profiles.point_pattern import render
from collectors.profiles.points import Points, Strict, Value

Table = Literal["holding", "input"]


class Quirk(StrEnum):
    """A number that is not simply raw × scale.

    `four-quadrant`: a power factor between −2 and 2 that also encodes the quadrant. Beyond ±1 the current leads, and
    the factor is 2 − x (or −2 − x).
    """

    FOUR_QUADRANT = "four-quadrant"


class Register(Value):
    """A number in Modbus registers. Addresses are those on the wire: 0-based.

    `exponent` is the address of a register that holds the power of ten of this number. In the n-th channel
    of a table both are `stride` (default: the width of the number) and `exponent_stride` × (n − 1) further.
    """

    address: int = Field(ge=0, le=65535)
    type: WordType
    order: ByteOrder = ByteOrder.BIG
    stride: int = Field(default=0, ge=0)
    exponent: int | None = Field(default=None, ge=0, le=65535)
    exponent_stride: int = Field(default=1, ge=0)
    quirk: Quirk | None = None

    @model_validator(mode="after")
    def _sentinels_as_read(self) -> Register:
        object.__setattr__(self, "missing", tuple(pattern(raw, self.type) for raw in self.missing))
        return self

    @model_validator(mode="after")
    def _quirk_fits(self) -> Register:
        if self.quirk is Quirk.FOUR_QUADRANT and self.quantity is not Quantity.POWER_FACTOR:
            raise ValueError(f"quirk {self.quirk} on {self.quantity}, which is not a power factor")
        return self

    def plain(self, raw: float) -> float:
        """Return a raw number with the quirk removed."""
        if self.quirk is Quirk.FOUR_QUADRANT and 1 < abs(raw * self.scale) <= 2:
            return (2 if raw > 0 else -2) / self.scale - raw
        return raw


class PlacedRegister(NamedTuple):
    """A register of one channel: its address, and that of its exponent."""

    point: str
    register: Register
    address: int
    exponent: int | None


class ModbusPoints(Points):
    """Registers of one point, or of `count` equal channels."""

    table: Table = "holding"
    count: int = Field(default=1, ge=1)
    values: tuple[Register, ...] = Field(min_length=1)

    def placed(self) -> Iterator[PlacedRegister]:
        """Yield every number of every channel with its address."""
        for n in range(self.count):
            point = render(self.point, {"channel": n + 1})
            for register in self.values:
                exponent = None if register.exponent is None else register.exponent + n * register.exponent_stride
                yield PlacedRegister(
                    point, register, register.address + n * (register.stride or register.type.words), exponent
                )


class SunSpecMark(Strict):
    """A register that reads between `low` and `high`."""

    table: Table = "holding"
    address: int = Field(ge=0, le=65535)
    type: WordType
    order: ByteOrder = ByteOrder.BIG
    low: float
    high: float

    def fits(self, number: float) -> bool:
        """Return whether a number is in the expected range."""
        return self.low <= number <= self.high


class ModbusIdentity(SunSpecMark):
    """Match a meter by expected ranges of this register and all of `also`, for meters without an identity.

    `automatic`: false if a setting of the meter decides what its registers hold, so that the operator must name the
    profile.
    """

    also: tuple[SunSpecMark, ...] = ()
    automatic: bool = True

    @property
    def marks(self) -> tuple[SunSpecMark, ...]:
        """Return every condition."""
        return (self, *self.also)

    @property
    def weakness(self) -> tuple[bool, bool, int]:
        """Return a sort key, most specific first: excludes 0, one exact number, many conditions."""
        exact = any(mark.low == mark.high for mark in self.marks)
        return self.low <= 0 <= self.high, not exact, -len(self.marks)
