"""Quirks of registers, what says most about a meter, and the mistakes a profile of one can have."""

import pytest

from collectors.errors import ProfileError
from collectors.profiles.modbus_points import ModbusIdentity, Register
from collectors.profiles.profile import parse

PROFILE = """
name = "maker-meter"
protocol = "modbus"
vendor = "Maker"
family = "Meter"
evidence = "documents"
sources = ["https://example.org/map"]
{head}
[identify]
address = {address}
type = "uint16"
low = 1
high = 2
[[points]]
point = "total"
values = [{values}]
"""


def profile(head: str = "", values: str = "", address: int = 0) -> str:
    return PROFILE.replace("{head}", head).replace("{address}", str(address)).replace("{values}", values)


@pytest.mark.parametrize(
    ("raw", "factor"),
    [
        (0.5, 0.5),
        (-0.5, -0.5),
        (1.0, 1.0),
        (-1.0, -1.0),
        (1.5, 0.5),
        (-1.5, -0.5),
        (1.25, 0.75),
        (2.0, 0.0),
        (7.0, 7.0),
    ],
)
def test_a_four_quadrant_power_factor(raw, factor):
    register = Register(quantity="power_factor", unit="1", address=1, type="float32", quirk="four-quadrant")
    assert register.plain(raw) == factor


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            profile(values='{ quantity = "power", address = 1, type = "int16", unit = "W", quirk = "four-quadrant" }'),
            "quirk four-quadrant on power, which is not a power factor",
        ),
        (
            profile(values='{ quantity = "power", address = 1, type = "int16", unit = "W", quirk = "upside-down" }'),
            "quirk",
        ),
        (
            profile('sunspec = [40000]', '{ quantity = "power", address = 2, type = "int16", unit = "W" }', address=1),
            "a SunSpec model is known by its first holding register",
        ),
        (
            profile("holes = [[10, 12]]", '{ quantity = "power", address = 9, type = "int32", unit = "W" }'),
            "register 10 (holding): total:power overlaps a declared hole",
        ),
    ],
)  # fmt: skip
def test_mistakes(text, says):
    with pytest.raises(ProfileError) as caught:
        parse(text, "maker.toml")
    assert says in str(caught.value)


def mark(**options) -> ModbusIdentity:
    return ModbusIdentity(**{"address": 1, "type": "float32", "low": 40, "high": 70, **options})


def test_what_says_more_is_asked_first():
    exact = mark(low=47, high=47)
    two = mark(also=[{"address": 2, "type": "float32", "low": 50, "high": 400}])
    one = mark()
    with_zero = mark(low=0, high=3)
    assert sorted([with_zero, one, two, exact], key=lambda m: m.weakness) == [exact, two, one, with_zero]
