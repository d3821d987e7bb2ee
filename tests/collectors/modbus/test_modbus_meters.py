"""Every Modbus profile against a real server that holds the registers of its maker's list, word by word."""

import struct

import pytest

from collectors.contract import Quantity
from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.errors import Unidentified
from collectors.polling.drivers import identify
from collectors.profiles.registry import catalogue, find
from collectors.protocols.modbus.driver import ModbusDriver
from collectors.tools import probe
from tests.collectors.agents import by_key, modbus_server
from tests.collectors.modbus.meter_registers import METERS, SUNSPEC, Meter, low_first

pytestmark = pytest.mark.anyio


def device(url: str, profile: str) -> PolledDevice:
    return PolledDevice("meter-1", profile, Address.parse(url), timeout_s=2.0)


def test_every_modbus_profile_is_here():
    """Profiles that must be named have a test of their own."""
    known = [p for p in catalogue().values() if p.protocol == "modbus"]
    assert {meter.profile for meter in METERS} == {p.name for p in known if p.identify.automatic}


@pytest.mark.parametrize("meter", METERS, ids=lambda meter: meter.profile)
async def test_registers_to_values(meter: Meter):
    async with modbus_server(meter.holding, meter.inputs) as url:
        driver = ModbusDriver(device(url, meter.profile), find(meter.profile))
        await driver.open()
        poll = await driver.read({"main"})
        await driver.close()
    values = by_key(poll.frames[0])
    assert poll.notes == []
    assert driver.missing == ()
    assert {key: values[key] for key in meter.expected} == pytest.approx(meter.expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("meter", METERS, ids=lambda meter: meter.profile)
async def test_a_meter_is_known_by_its_registers(meter: Meter):
    async with modbus_server(meter.holding, meter.inputs) as url:
        assert (await identify(device(url, "auto"))).name == meter.profile


async def test_a_sunspec_counter_wraps_where_its_power_of_ten_says():
    async with modbus_server(SUNSPEC.holding) as url:
        driver = ModbusDriver(device(url, "sunspec-meter"), find("sunspec-meter"))
        await driver.open()
        (layout,) = driver.layouts()
        await driver.close()
    series = layout.series[layout.index["total:energy"]]
    assert series.counter_modulus == 2**32 * 36000.0  # tens of Wh in J
    assert series.resolution == 36000.0


def common_model(maker: str, model: str) -> list[int]:
    """Model 1 of SunSpec: number, length, maker and model as texts of 32 letters, and 34 registers of other texts."""
    texts = maker.encode().ljust(32, b"\0") + model.encode().ljust(32, b"\0")
    return [1, 66, *(int.from_bytes(texts[i : i + 2], "big") for i in range(0, 64, 2)), *[0] * 34]


@pytest.mark.parametrize("base", [0, 40000, 50000])
async def test_the_maker_in_a_sunspec_meter_is_reported(base: int):
    """The meter of `SUNSPEC` behind a common model with names; another mark without a meter is at the base before."""
    (words,) = SUNSPEC.holding.values()
    holding = {base: [*words[:2], *common_model("Accuenergy", "Acuvim II"), *words[70:]]}
    if base == 50000:
        holding[40000] = [*words[:2], *common_model("Someone", "Else"), 0xFFFF, 0]
    async with modbus_server(holding) as url:
        report = await probe(url)
        driver = ModbusDriver(device(url, "sunspec-meter"), find("sunspec-meter"))
        await driver.open()
        (layout,) = driver.layouts()
        await driver.close()
    assert (report.profile, report.vendor, report.model) == ("sunspec-meter", "Accuenergy", "Acuvim II")
    assert layout.meter == "Accuenergy Acuvim II"
    assert {f"{r.point}:{r.quantity}": r.value for r in report.readings}["total:power"] == 12340.0


async def test_a_sunspec_meter_without_names_is_called_like_its_profile():
    async with modbus_server(SUNSPEC.holding) as url:
        report = await probe(url)
    assert (report.vendor, report.model) == ("SunSpec", "")


async def test_a_meter_whose_registers_depend_on_a_setting_must_be_named():
    """Acuvim II, 0x4000 and on: 50 Hz; 230, 231, 232 V; mean; 400, 398, 402 V; mean; 5, 6, 7 A; mean; 0.5 A in N;
    1035, 1109, 1543 W, together 3687; 501, 832, 507 var, 1840; 1150, 1386, 1624 VA, 4160; factors; 0.886."""
    numbers = [
        50, 230, 231, 232, 231, 400, 398, 402, 400, 5, 6, 7, 6, 0.5, 1035, 1109, 1543, 3687, 501, 832, 507, 1840,
        1150, 1386, 1624, 4160, 0.9, 0.8, 0.95, 0.886,
    ]  # fmt: skip
    words = struct.unpack(">60H", struct.pack(">30f", *numbers))
    async with modbus_server({0x4000: words}) as url:
        with pytest.raises(Unidentified):
            await identify(device(url, "auto"))
        report = await probe(url, profile="accuenergy-acuvim-ii")
    found = {f"{r.point}:{r.quantity}": r.value for r in report.readings}
    assert report.missing == ()
    assert found["total:power"] == 3687
    assert found["total:power_factor"] == pytest.approx(0.886)
    assert (found["l2:voltage"], found["l3:current"], found["n:current"]) == (231, 7, 0.5)
    assert (found["l1:reactive_power"], found["l3:apparent_power"]) == (501, 1624)
    assert (found["l2:power_factor"], found["line-to-line/2:voltage"]) == (pytest.approx(0.8), 398)


async def test_a_small_number_in_an_input_register_is_no_branch_meter():
    """Input register 5 reads 1, as the strip orientation of a BCPM; the powers of ten of its channels are missing."""
    async with modbus_server({0: [0]}, {0: [2301, 2312, 2308, 500, 600, 1]}) as url:
        with pytest.raises(Unidentified):
            await identify(device(url, "auto"))


async def test_a_satec_meter_of_high_resolution_must_be_named():
    """PM130E: 231.2 V, 232.5 V, 230.9 V; 12.34 A, 0 A, 5.6 A; 2,850 W, 0 and −1,300 W; 100 var; 2,853 VA; sums."""
    registers = {
        46082: low_first((0, 13020)),
        13952: low_first((0, 2312), (0, 2325), (0, 2309), (0, 1234), (0, 0), (0, 560), (0, 2850), (0, 0)),
        13968: low_first((0xFFFF, 0xFAEC), (0, 100), (0, 0), (0, 0), (0, 2853), (0, 0), (0, 1300)),
        14336: low_first((0, 1550), (0, 100), (0, 4153)),
    }
    async with modbus_server(registers) as url:
        with pytest.raises(Unidentified):
            await identify(device(url, "auto"))
        report = await probe(url, profile="satec-pm130")
    found = {f"{r.point}:{r.quantity}": r.value for r in report.readings}
    assert report.missing == ()
    assert [found[f"l{n}:voltage"] for n in (1, 2, 3)] == pytest.approx([231.2, 232.5, 230.9])
    assert [found[f"l{n}:current"] for n in (1, 2, 3)] == pytest.approx([12.34, 0, 5.6])
    assert [found[f"l{n}:power"] for n in (1, 2, 3)] == [2850, 0, -1300]
    assert (found["l1:reactive_power"], found["l1:apparent_power"], found["l3:apparent_power"]) == (100, 2853, 1300)
    assert (found["total:power"], found["total:reactive_power"], found["total:apparent_power"]) == (1550, 100, 4153)


async def test_a_wm15_on_one_phase_has_no_others():
    """W × 10, V × 10, kWh × 10, Hz × 10, factor × 1000; low word first; phases that are not measured overflow."""
    none = (0x7FFF, 0xFFFF)
    registers = {
        0x0000: low_first((0, 2312), none, none),
        0x0012: low_first((0, 32_000), none, none),
        0x0028: low_first((0, 32_000), (0, 33_000), (0xFFFF, 0xFC18)),
        0x0031: [970, 0, 501, *low_first((0, 41_200))],
        0x0040: low_first((0, 41_200), none, none),
    }
    async with modbus_server(registers) as url:
        report = await probe(url, profile="carlogavazzi-wm15")
    found = {f"{r.point}:{r.quantity}": r.value for r in report.readings if r.value is not None}
    assert found == pytest.approx(
        {
            "l1:voltage": 231.2, "l1:power": 3200.0, "l1:energy": 4120 * 3.6e6, "total:power": 3200.0,
            "total:apparent_power": 3300.0, "total:reactive_power": -100.0, "total:power_factor": 0.97,
            "total:frequency": 50.1, "total:energy": 4120 * 3.6e6,
        }
    )  # fmt: skip


def test_a_class_of_active_energy_is_none_of_power():
    """A class per IEC 62053-21 is a limit of energy; only the sheets of these meters state it for power too."""
    stated = {"schneider-bcpm", "schneider-pm5000", "veris-e50", "wattnode", "eaton-iq250"}
    profiles = [one for one in catalogue().values() if one.protocol == "modbus"]
    assert {one.name for one in profiles if Quantity.POWER in {**one.accuracy_pct, **one.accuracy_class}} == stated
