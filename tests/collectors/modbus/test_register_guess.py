"""A register that nobody knows; the numbers of the words worked out by hand."""

import math

import pytest

from collectors.errors import ConfigError
from collectors.protocols.modbus.client import Refused
from collectors.tools.register_guess import guesses, probe_register, register_asked
from tests.collectors.agents import modbus_server


def readings(words: list[int], plausible: bool = True) -> dict[tuple[str, str], float]:
    return {(g.type.value, g.order_name): g.value for g in guesses(words) if g.plausible is plausible}


@pytest.mark.parametrize(
    ("words", "order"),
    [
        ([0x4366, 0x8000], "big"),
        ([0x8000, 0x4366], "little"),
        ([0x6643, 0x0080], "big, bytes swapped"),
        ([0x0080, 0x6643], "little, bytes swapped"),
    ],
)
def test_230_5_volts_in_every_order(words, order):
    assert readings(words)["float32", order] == 230.5


def test_one_number_in_every_type():
    found = readings([0x0001, 0x86A0, 0x0000, 0x0000])
    assert found["uint16", "big"] == 1
    assert found["uint16", "big, bytes swapped"] == 256
    assert found["uint32", "big"] == 100_000
    assert found["int32", "big"] == 100_000
    assert found["uint64", "little"] == 0x86A0_0001
    assert ("uint64", "big") not in found  # 429,496,729,600,000: nothing counts so far
    assert ("float32", "big") not in found  # 2.2e-38


def test_a_double_of_watt_hours():
    assert readings([0x412E, 0x8480, 0x0000, 0x0000])["float64", "big"] == 1_000_000.0


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ([0x8000], "int16"),
        ([0xFFFF], "uint16"),
        ([0x7FFF], "int16"),
        ([0x8000, 0x0000], "int32"),
        ([0xFFC0, 0x0000], "float32"),
        ([0x7FC0, 0x0000], "float32"),
    ],
)
def test_not_available_is_not_plausible(words, kind):
    assert (kind, "big") in readings(words, plausible=False)


def test_words_that_are_their_own_mirror_are_reported_once():
    assert [g.order_name for g in guesses([0x0101]) if g.type == "uint16"] == ["big"]


@pytest.mark.anyio
async def test_a_register_of_a_real_server():
    async with modbus_server({0: [0]}, {3059: [0x4070, 0x0000]}) as url:
        report = await probe_register(f"{url}&register=0x0BF3&table=input")
    assert report.words == (0x4070, 0x0000)  # four were asked for, two are there
    body = report.to_json()
    assert body["register"] == 3059
    assert {"type": "float32", "order": "big", "value": 3.75, "plausible": True} in body["readings"]


@pytest.mark.anyio
async def test_nan_has_no_json():
    async with modbus_server({7: [0x7FC0, 0x0000]}) as url:
        report = await probe_register(f"{url}&register=7")
    assert math.isnan(next(g.value for g in report.guesses if g.type == "float32"))
    assert {"type": "float32", "order": "big", "value": None, "plausible": False} in report.to_json()["readings"]


@pytest.mark.anyio
async def test_a_register_that_is_not_there():
    async with modbus_server({0: [0]}) as url:
        with pytest.raises(Refused) as caught:
            await probe_register(f"{url}&register=100")
    assert caught.value.code == "modbus_illegal_address"


@pytest.mark.anyio
async def test_an_address_without_a_register_asks_for_none():
    assert await probe_register("modbus://127.0.0.1:1?unit=1") is None
    assert await probe_register("http://127.0.0.1:1/?register=1") is None


@pytest.mark.parametrize("query", ["register=ten", "register=-1", "register=1&table=coils"])
def test_wrong_questions(query):
    with pytest.raises(ConfigError):
        register_asked(f"modbus://10.0.0.8?{query}")


@pytest.mark.anyio
async def test_a_register_beyond_the_last():
    with pytest.raises(ConfigError, match="register 65536 is out of range"):
        await probe_register("modbus://127.0.0.1:1?register=65536")
