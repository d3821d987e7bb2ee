"""Literal values: struct bytes by hand (IEEE 754), scales from the vendors' MIBs."""

import math

import pytest

from collectors.profiles.decoding import ByteOrder, WordType, decode, encode, from_words, pattern, to_words
from collectors.profiles.modbus_points import Register
from collectors.profiles.points import ProfileColumn

POWER = ProfileColumn(quantity="power", unit="kW", scale=0.01, missing=(-1,), oid=".5")


def test_hundredths_of_a_kilowatt_become_watts():
    assert decode(POWER, 114) == 1140.0


def test_tenths_of_a_kilowatt_hour_become_joules():
    energy = ProfileColumn(quantity="energy", unit="kWh", scale=0.1, oid=".9")
    assert decode(energy, 35128) == 35128 * 360_000.0  # 3512.8 kWh × 3.6 MJ


@pytest.mark.parametrize("raw", [-1, math.nan, math.inf])
def test_not_available_is_missing_and_never_zero(raw):
    assert math.isnan(decode(POWER, raw))


def test_a_reading_below_the_lowest_is_missing():
    current = ProfileColumn(quantity="current", unit="A", scale=0.01, lowest=0, oid=".5")
    assert math.isnan(decode(current, -2))
    assert (decode(current, 0), decode(current, 250)) == (0.0, 2.5)


def test_a_sign_that_says_leading_is_left_out():
    factor = ProfileColumn(quantity="power_factor", unit="1", scale=0.001, absolute=True, oid=".17")
    assert (decode(factor, -707), decode(factor, 573)) == (pytest.approx(0.707), pytest.approx(0.573))


def test_degrees_fahrenheit():
    temperature = ProfileColumn(quantity="temperature", unit="°F", scale=0.1, oid=".6")
    assert decode(temperature, 680) == pytest.approx(20.0)  # 68.0 °F
    assert decode(temperature, -400) == pytest.approx(-40.0)  # where both scales meet
    assert encode(temperature, 100.0) == pytest.approx(2120)  # 212 °F


def test_zero_is_a_reading():
    assert decode(POWER, 0) == 0.0


def test_digits_reported_by_the_device():
    current = ProfileColumn(quantity="current", unit="A", oid=".4")
    assert decode(current, 7467, exponent=-3) == pytest.approx(7.467, rel=1e-12)


def test_encoding_is_the_reverse():
    assert encode(POWER, 1140.0) == 114.0
    assert encode(POWER, math.nan) == -1
    assert encode(ProfileColumn(quantity="power", unit="W", oid=".7"), math.nan) is None
    assert encode(ProfileColumn(quantity="current", unit="A", oid=".4"), 7.467, exponent=-3) == pytest.approx(7467)


@pytest.mark.parametrize(
    ("words", "kind", "order", "value"),
    [
        ([0x41C8, 0x0000], WordType.FLOAT32, ByteOrder.BIG, 25.0),
        ([0x0000, 0x41C8], WordType.FLOAT32, ByteOrder.LITTLE, 25.0),
        ([0xFFFE], WordType.INT16, ByteOrder.BIG, -2),
        ([0xFFFE], WordType.UINT16, ByteOrder.BIG, 65534),
        ([0x0001, 0x0000], WordType.UINT32, ByteOrder.BIG, 65536),
        ([0x0000, 0x0001], WordType.INT32, ByteOrder.LITTLE, 65536),
        ([0, 0, 0, 1000], WordType.INT64, ByteOrder.BIG, 1000),
        ([0x4059, 0, 0, 0], WordType.FLOAT64, ByteOrder.BIG, 100.0),
    ],
)
def test_words_both_ways(words, kind, order, value):
    assert from_words(words, kind, order) == value
    assert to_words(value, kind, order) == words


def test_an_integer_that_does_not_fit_stays_at_the_end_of_its_type():
    assert to_words(70000, WordType.UINT16, ByteOrder.BIG) == [0xFFFF]
    assert to_words(-40000, WordType.INT16, ByteOrder.BIG) == [0x8000]


def test_sentinels_are_given_as_bits():
    assert pattern(0x8000, WordType.INT16) == -32768
    assert pattern(0xFFFF, WordType.UINT16) == 65535
    assert pattern(0x8000000000000000, WordType.INT64) == -(2**63)
    assert math.isnan(pattern(0xFFC00000, WordType.FLOAT32))
    assert pattern(-1, WordType.INT16) == -1


def test_a_register_knows_its_sentinel_as_read():
    register = Register(quantity="power", unit="kW", address=1, type="int16", missing=(0x8000,))
    assert math.isnan(decode(register, from_words([0x8000], WordType.INT16, ByteOrder.BIG)))
    assert decode(register, 2) == 2000.0
