"""The IPMI lines of a profile: which reading of a BMC is which quantity."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from collectors.profiles.points import Points, Strict, Value


class DcmiCommand(StrEnum):
    """What a BMC is asked for.

    `instant`, `average`: of DCMI's Get Power Reading. `energy`: the counter of Lenovo's BMCs.
    """

    INSTANT = "instant"
    AVERAGE = "average"
    ENERGY = "energy"


class IpmiValue(Value):
    """One reading. In `sensor`, `{period}` stands for the time an average is over."""

    reading: DcmiCommand
    sensor: str = ""


class IpmiPoints(Points):
    """Readings of one place."""

    values: tuple[IpmiValue, ...] = Field(min_length=1)


class IpmiIdentity(Strict):
    """A BMC is this when it has one of these IANA manufacturer numbers; every BMC fits where there are none."""

    manufacturers: tuple[int, ...] = ()
