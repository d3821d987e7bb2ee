"""What older and newer firmware of a family reports otherwise than its recordings: agents after the makers' MIBs."""

from __future__ import annotations

import pytest

from tests.collectors.profiles.test_profiles_of_documents import GAUGE, OBJECT_ID, found_and_read
from tests.collectors.profiles.test_profiles_power import answers, below

pytestmark = pytest.mark.anyio

TRIPP_LITE, PX_1 = "1.3.6.1.4.1.850", "1.3.6.1.4.1.13742.4"


async def test_tripp_lite_ups_with_currents_bypass_outlets_and_a_sensor():
    """TRIPPLITE-PRODUCTS: currents in 0.01 A, of the bypass in 0.1 A; voltages, hertz and degrees in tenths."""
    detail = {
        "1.2.1.1.1": 821,
        "1.2.1.2.1": -345,
        "1.5.1.2.1.1": 261,
        "2.2.1.2.1.1": 600,
        "2.2.1.3.1.1": 2081,
        "2.2.1.6.1.1": 512,
        "2.2.1.7.1.1": 1020,
        "3.2.1.5.1.1": 34,
        "3.2.1.6.1.1": 599,
        "4.1.1.1.1": 601,
        "4.2.1.2.1.1": 2079,
        "4.2.1.3.1.1": 12,
        "4.2.1.4.1.1": 250,
        "5.1.1.2.1.2": "Load 2",
        "5.1.1.7.1.2": 2080,
        "5.1.1.8.1.2": 145,
        "5.1.1.9.1.2": 290,
    }
    sensor = {"3.3.1.1.1.2": 253, "3.3.2.1.1.2": 41}
    objects = below(f"{TRIPP_LITE}.1.1.3.1.3", detail) | below(f"{TRIPP_LITE}.1.1.3", sensor)
    name, read = await answers(f"{TRIPP_LITE}.1.1.1", objects)
    assert name == "tripplite-ups"
    assert read == {
        "battery:voltage": 82.1,
        "battery:current": -3.45,
        "battery:temperature": 26.1,
        "input/l1:frequency": 60.0,
        "input/l1:voltage": 208.1,
        "input/l1:current": 5.12,
        "input/l1:power": 1020.0,
        "output/l1:utilization": 34.0,
        "output/l1:frequency": 59.9,
        "bypass:frequency": 60.1,
        "bypass/l1:voltage": 207.9,
        "bypass/l1:current": 1.2,
        "bypass/l1:power": 250.0,
        "outlet/2:voltage": 208.0,
        "outlet/2:current": 1.45,
        "outlet/2:power": 290.0,
        "unit/2/probe:temperature": 25.3,
        "unit/2/probe:humidity": 41.0,
    }


async def test_negative_numbers_of_unsigned_objects_are_missing():
    """−273.1 °C and −1 A, as an unsigned object holds them; an energy counts that far."""
    below_zero, minus_one = 2**32 - 2731, 2**32 - 1
    objects = [
        ("1.3.6.1.2.1.1.2.0", OBJECT_ID, f"{TRIPP_LITE}.1.1.1"),
        (f"{TRIPP_LITE}.1.1.3.1.3.1.2.1.1.1", GAUGE, 821),
        (f"{TRIPP_LITE}.1.1.3.1.3.1.5.1.2.1.1", GAUGE, below_zero),
        (f"{TRIPP_LITE}.1.1.3.1.3.2.2.1.6.1.1", GAUGE, minus_one),
    ]
    _, read = await found_and_read(objects)
    assert read == {"battery:voltage": 82.1}
    objects = [("1.3.6.1.2.1.1.2.0", OBJECT_ID, PX_1), (f"{PX_1}.1.20.2.1.12.1", GAUGE, 3_000_000_000)]
    _, read = await found_and_read(objects)
    assert read == {"inlet:energy": 3_000_000_000 * 3600.0}


async def test_two_tripp_lite_ups_of_one_agent_are_two_places():
    lines = {"3.2.1.2.1.1": 1201, "3.2.1.4.1.1": 300, "3.2.1.2.2.1": 1195, "3.2.1.4.2.1": 410}
    _, read = await answers(f"{TRIPP_LITE}.1.1.1", below(f"{TRIPP_LITE}.1.1.3.1.3", lines))
    assert read == {
        "output/l1:voltage": 120.1,
        "output/l1:power": 300.0,
        "unit/2/output/l1:voltage": 119.5,
        "unit/2/output/l1:power": 410.0,
    }


async def test_tripp_lite_pdu_with_load_of_circuits_and_thermistors():
    """A thermistor whose status is notAvailable(0) has no temperature."""
    detail = {"4.1.1.4.1.1": 812, "4.1.1.10.1.1": 5075, "6.1.1.2.1.1": 1, "6.1.1.3.1.1": 412}
    detail |= {"6.1.1.2.1.2": 0, "6.1.1.3.1.2": 0, "3.1.1.9.1.7": 55, "3.1.1.22.1.7": 501}
    name, read = await answers(f"{TRIPP_LITE}.1.1.1", below(f"{TRIPP_LITE}.1.1.3.2.3", detail))
    assert name == "tripplite-pdu"
    assert read == {
        "bank/1:current": 8.12,
        "bank/1:utilization": 50.75,
        "device/heatsink:temperature": 41.2,
        "outlet/7:power": 55.0,
        "outlet/7:frequency": 50.1,
    }


async def test_enlogic_phases_of_a_delta_connection_are_no_lines():
    """ENLOGIC-PDU-MIB: rows 1 to 3 are the lines of a delta connection, rows 4 to 6 its phases."""
    rows = {f"5.1.{row}": 100 * row for row in range(1, 7)} | {"7.1.1": 700, "7.1.4": 690, "6.1.4": 208}
    name, read = await answers("1.3.6.1.4.1.38446.1", below("1.3.6.1.4.1.38446.1.3.4.1", rows))
    assert name == "enlogic-pdu"
    assert read == {
        "inlet/l1:current": 1.0,
        "inlet/l1:power": 700.0,
        "inlet/l2:current": 2.0,
        "inlet/l3:current": 3.0,
        "inlet/line-to-line/4:current": 4.0,
        "inlet/line-to-line/4:voltage": 208.0,
        "inlet/line-to-line/4:power": 690.0,
        "inlet/line-to-line/5:current": 5.0,
        "inlet/line-to-line/6:current": 6.0,
    }


async def test_enlogic_sensor_of_firmware_without_tenths():
    sensor = {"2.1.6.1.1": 1, "2.1.7.1.1": 1, "4.1.4.1.1": 2, "4.1.6.1.1": 24}
    objects = below("1.3.6.1.4.1.38446.1.6", sensor) | {"1.3.6.1.4.1.38446.1.2.4.1.4.1": 900}
    _, read = await answers("1.3.6.1.4.1.38446.1", objects)
    assert read == {"inlet:power": 900.0, "probe/1:temperature": 24.0}


async def test_ict_platinum_prefers_hundredths_to_texts():
    texts = {"6.0": "120", "7.0": "54.1", "8.0": "12.5", "10.0": "53.9", "11.0": "-2.1"}
    name, read = await answers("1.3.6.1.4.1.39145.11", below("1.3.6.1.4.1.39145.11", texts))
    assert name == "ict-digital"
    assert read == {
        "input:voltage": 120.0,
        "output:voltage": 54.1,
        "output:current": 12.5,
        "battery:voltage": 53.9,
        "battery:current": -2.1,
    }
    numbers = {"16.0": 121, "17.0": 5412, "18.0": 1248, "19.0": 5391, "20.0": -208}
    _, read = await answers("1.3.6.1.4.1.39145.11", below("1.3.6.1.4.1.39145.11", texts | numbers))
    assert read == {
        "input:voltage": 120.0,
        "output:voltage": 54.12,
        "output:current": 12.48,
        "battery:voltage": 53.91,
        "battery:current": -2.08,
    }


async def test_ict_modules_prefer_hundredths_to_texts():
    module = {"10.1.2.1": 2, "10.1.4.1": "54.1", "10.1.5.1": "3.2", "10.1.13.1": 5408, "10.1.14.1": 317}
    old = {"10.1.2.2": 2, "10.1.4.2": "54.0", "10.1.5.2": "1.1"}
    name, read = await answers("1.3.6.1.4.1.39145.13", below("1.3.6.1.4.1.39145.13", module | old))
    assert name == "ict-mps"
    assert read == {
        "module/1:voltage": 54.08,
        "module/1/channel/1:current": 3.17,
        "module/2:voltage": 54.0,
        "module/2/channel/1:current": 1.1,
    }


SC200 = "1.3.6.1.4.1.1918.2.13.10"


async def test_eaton_sc200_load_and_slots_without_a_rectifier():
    """RPS-SC200-MIB: load in %, 255 notAvailable; of a rectifier in 0.1 %; an empty slot has the serial number 0."""
    slots = {"60.30.1.30.1": 246339625, "60.30.1.100.1": 6, "60.30.1.105.1": 158, "60.30.1.80.1": 2000}
    slots |= {"60.30.1.30.2": 0, "60.30.1.100.2": 0, "60.30.1.105.2": 0, "60.30.1.80.2": 0}
    name, read = await answers("1.3.6.1.4.1.1918.2.13", below(SC200, slots | {"50.10.0": 17, "50.20.0": 15}))
    assert name == "eaton-sc200"
    assert read == {
        "load:current": 17.0,
        "load:utilization": 15.0,
        "rectifier/1:current": 6.0,
        "rectifier/1:utilization": 15.8,
    }
    _, read = await answers("1.3.6.1.4.1.1918.2.13", below(SC200, slots | {"50.20.0": 255}))
    assert "load:utilization" not in read


async def test_eaton_sc300_input_currents():
    slots = {"60.30.1.80.1": 2000, "60.30.1.103.1": 580, "60.30.1.105.1": 290, "60.30.1.210.1": 3}
    objects = below("1.3.6.1.4.1.1918.2.14.10", slots | {"60.43.0": 9, "60.44.0": 0})
    name, read = await answers("1.3.6.1.4.1.1918.2.14", objects)
    assert name == "eaton-sc300"
    assert read == {
        "input:current": 9.0,
        "solar:current": 0.0,
        "rectifier/1:power": 580.0,
        "rectifier/1:utilization": 29.0,
        "rectifier/1/input:current": 3.0,
    }


async def test_raritan_px_before_its_tables_of_inlets():
    """PDU-MIB: unitReadings, lines by label, breakers and the sensors that externalSensorTable replaced."""
    unit = {"1.3.1.3.0": 3300, "1.3.1.4.0": 3450}
    lines = {"1.4.2.1.2.1": "L1", "1.4.2.1.3.1": 7250, "1.4.2.1.2.2": "N", "1.4.2.1.3.2": 310}
    volts = {"1.6.2.1.2.1": "L1-N", "1.6.2.1.3.1": 230100, "1.6.2.1.2.2": "L1-L2", "1.6.2.1.3.2": 398500}
    breakers = {"1.5.2.1.2.1": "CB1", "1.5.2.1.4.1": 16000, "1.5.2.1.5.1": 4250}
    sensors = {"2.2.1.2.1": "front", "2.2.1.3.1": 243, "2.4.1.2.1": "front", "2.4.1.3.1": 44}
    name, read = await answers(PX_1, below(PX_1, unit | lines | volts | breakers | sensors))
    assert name == "raritan-px1"
    assert read == {
        "inlet:power": 3300.0,
        "inlet:apparent_power": 3450.0,
        "inlet/l1:current": 7.25,
        "inlet/l1:voltage": 230.1,
        "inlet/l1-l2:voltage": 398.5,
        "inlet/n:current": 0.31,
        "bank/1:current": 4.25,
        "probe/1:temperature": 24.3,
        "probe/1:humidity": 44.0,
    }


async def test_raritan_px_with_both_reads_its_tables_of_inlets():
    both = {"1.3.1.3.0": 3300, "1.20.2.1.9.1": 3290, "1.4.2.1.2.1": "L1", "1.4.2.1.3.1": 7250, "1.21.2.1.3.1.1": 7260}
    _, read = await answers(PX_1, below(PX_1, both))
    assert read == {"inlet:power": 3290.0, "inlet/l1:current": 7.26}


async def test_sentry3_humidity_without_a_scale_of_temperature():
    sensor = {"3.1.1": "T/H 1", "6.1.1": 235, "10.1.1": 41}
    name, read = await answers("1.3.6.1.4.1.1718.3", below("1.3.6.1.4.1.1718.3.2.5.1", sensor))
    assert name == "servertech-sentry3"
    assert read == {"probe/1:humidity": 41.0}


async def test_dell_openmanage_voltages():
    probes = {"600.20.1.6.1.23": 231500, "600.20.1.8.1.23": "PS1 Voltage 1", "600.20.1.8.1.1": "CPU1 VCORE PG"}
    name, read = await answers("1.3.6.1.4.1.674.10892.1", below("1.3.6.1.4.1.674.10892.1", probes))
    assert name == "dell-openmanage"
    assert read == {"rail/23:voltage": 231.5}


XUPS = "1.3.6.1.4.1.534.1"


async def test_xups_voltages_between_lines_are_no_lines():
    """XUPS-MIB: the identity of a row is 1 to 3 to neutral, 4 to 6 between two lines; older cards do not report it."""
    star = {"3.4.1.2.1": 231, "3.4.1.5.1": 1, "3.4.1.2.4": 400, "3.4.1.5.4": 4, "3.4.1.2.6": 402, "3.4.1.5.6": 6}
    delta = {"5.3.1.2.1": 480, "5.3.1.3.1": 4, "5.3.1.2.2": 481, "5.3.1.3.2": 5}
    name, read = await answers("1.3.6.1.4.1.534.1", below(XUPS, star | delta | {"4.4.1.2.1": 230, "4.4.1.4.1": 900}))
    assert name == "eaton-xups"
    assert read == {
        "input/l1:voltage": 231.0,
        "input/l1-l2:voltage": 400.0,
        "input/l3-l1:voltage": 402.0,
        "bypass/l1-l2:voltage": 480.0,
        "bypass/l2-l3:voltage": 481.0,
        "output/l1:voltage": 230.0,
        "output/l1:power": 900.0,
    }


async def test_xups_current_where_the_standard_one_is_not_measured():
    """65535 tenths of UPS-MIB mean that the card does not measure the current; XUPS-MIB has it."""
    standard = below("1.3.6.1.2.1.33.1.4", {"1.0": 3, "4.1.2.1": 230, "4.1.3.1": 65535})
    own = below(f"{XUPS}.4.4.1", {"3.1": 3, "7.1": 32})
    name, read = await answers("1.3.6.1.4.1.534.1", standard | own)
    assert name == "eaton-xups"
    assert read == {"output/l1:voltage": 230.0, "output/l1:current": 3.2}


@pytest.mark.parametrize(("scale", "told"), [(1, 25), (2, 77)])
async def test_panduit_g5_probes(scale, told):
    """PANDUIT-MIB: whole degrees in the scale of the unit; a probe is there if its status is connected(2)."""
    unit = {"2.1.1.5.1": 1200, "4.1.1.1.1": scale}
    heat = {"4.2.1.2.1.1": "front", "4.2.1.3.1.1": 2, "4.2.1.4.1.1": told, "4.2.1.3.1.2": 1, "4.2.1.4.1.2": 0}
    wet = {"4.3.1.3.1.1": 2, "4.3.1.4.1.1": 45, "4.3.1.3.1.2": 1, "4.3.1.4.1.2": 0}
    name, read = await answers("1.3.6.1.4.1.19536.10.1", below("1.3.6.1.4.1.19536.10.1", unit | heat | wet))
    assert name == "panduit-g5"
    assert {key: value for key, value in read.items() if key.startswith("probe/")} == {
        "probe/1:temperature": pytest.approx(25.0),
        "probe/1:humidity": 45.0,
    }
