"""IPMI values of a profile: map readings of a BMC to quantities."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from collectors.profiles.points import Points, Strict, Value


class DcmiCommand(StrEnum):
    """Reading requested from a BMC.

    `instant`, `average`: of DCMI's Get Power Reading. `energy`: the counter of Lenovo's BMCs.
    """

    INSTANT = "instant"
    AVERAGE = "average"
    ENERGY = "energy"


class IpmiValue(Value):
    """One reading. In `sensor`, `{period}` is replaced with the averaging period."""

    reading: DcmiCommand
    sensor: str = ""


class IpmiPoints(Points):
    """Readings of one point."""

    values: tuple[IpmiValue, ...] = Field(min_length=1)


class IpmiIdentity(Strict):
    """Match a BMC by IANA manufacturer number; an empty list matches every BMC."""

    manufacturers: tuple[int, ...] = ()
