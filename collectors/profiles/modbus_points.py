"""The Modbus lines of a profile: registers, and the points tables that say where they are measured."""

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

    `four-quadrant`: a power factor between −2 and 2 that tells the quadrant with it. Beyond ±1 the current leads, and
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
            raise ValueError(f"quirk {self.quirk} on {self.quantity}, which is no power factor")
        return self

    def plain(self, raw: float) -> float:
        """A raw number without its quirk."""
        if self.quirk is Quirk.FOUR_QUADRANT and 1 < abs(raw * self.scale) <= 2:
            return (2 if raw > 0 else -2) / self.scale - raw
        return raw


class PlacedRegister(NamedTuple):
    """A register of one channel: where it is, and where its power of ten is."""

    point: str
    register: Register
    address: int
    exponent: int | None


class ModbusPoints(Points):
    """Registers of one place, or of `count` equal channels."""

    table: Table = "holding"
    count: int = Field(default=1, ge=1)
    values: tuple[Register, ...] = Field(min_length=1)

    def placed(self) -> Iterator[PlacedRegister]:
        """Every number of every channel at its address."""
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
        """Whether a number is what this register should read."""
        return self.low <= number <= self.high


class ModbusIdentity(SunSpecMark):
    """A device is this when the register, and all of `also`, read what they should: all that many meters offer."""

    also: tuple[SunSpecMark, ...] = ()

    @property
    def marks(self) -> tuple[SunSpecMark, ...]:
        """Everything that must fit."""
        return (self, *self.also)

    @property
    def weakness(self) -> tuple[bool, bool, int]:
        """What says more sorts first: a mark that 0 would not fulfil, one exact number, many marks."""
        exact = any(mark.low == mark.high for mark in self.marks)
        return self.low <= 0 <= self.high, not exact, -len(self.marks)
