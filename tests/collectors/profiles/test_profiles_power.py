"""Profiles that no recording confirms, against agents that answer as the makers' MIBs say; expected values by hand."""

from __future__ import annotations

import math

import pytest

from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.polling.drivers import identify
from collectors.protocols.snmp.driver import SnmpDriver
from tests.collectors.agents import INTEGER, OBJECT_ID, STRING, TICKS
from tests.snmprec_agent import serving

pytestmark = pytest.mark.anyio
SYSTEM = "1.3.6.1.2.1.1"


async def answers(object_id: str, objects: dict[str, object], description: str = "a device") -> tuple[str, dict]:
    """What the device is found to be, and all it reads: texts are served as texts, numbers as integers."""
    rows = [
        (f"{SYSTEM}.1.0", STRING, description),
        (f"{SYSTEM}.2.0", OBJECT_ID, object_id),
        (f"{SYSTEM}.3.0", TICKS, 1000),
        *((oid, STRING if isinstance(value, str) else INTEGER, value) for oid, value in objects.items()),
    ]
    async with serving(rows) as agent:
        device = PolledDevice("device", "auto", Address.parse(agent.url), timeout_s=2.0)
        profile = await identify(device)
        driver = SnmpDriver(device, profile)
        await driver.open()
        poll = await driver.read({layout.group for layout in driver.layouts()})
        await driver.close()
    read = {
        series.key: round(value, 6)
        for frame in poll.frames
        for series, value in zip(frame.layout.series, frame.values, strict=True)
        if not math.isnan(value)
    }
    return profile.name, read


def below(base: str, objects: dict[str, object]) -> dict[str, object]:
    """Objects by what follows a common beginning."""
    return {f"{base}.{oid}": value for oid, value in objects.items()}


LIEBERT = "1.3.6.1.4.1.476.1.42"
LIEBERT_POINTS = below(
    f"{LIEBERT}.3.5.2.2.1",
    {"6.1": 60, "7.1": 42, "8.1": 40, "9.1": 95, "11.1": 253, "12.1": 3, "13.1": 4},
)
LIEBERT_LINES = below(
    f"{LIEBERT}.3.5.2.3.1",
    {"4.1.1": 483, "5.1.1": 279, "6.1.1": 51, "8.1.1": 14, "9.1.1": 13, "14.1.1": -94, "19.1.1": 25},
)


async def test_a_liebert_distribution_unit():
    name, read = await answers(LIEBERT, LIEBERT_POINTS | LIEBERT_LINES)
    assert name == "vertiv-liebert-pdu"
    assert read == {
        "point/1:frequency": 60.0,
        "point/1:apparent_power": 42_000.0,
        "point/1:power": 40_000.0,
        "point/1:power_factor": 0.95,
        "point/1:utilization": 25.3,
        "point/1/n:current": 3.0,
        "point/1/ground:current": 0.4,
        "point/1/l1:voltage": 279.0,
        "point/1/l1:current": 51.0,
        "point/1/l1:apparent_power": 14_000.0,
        "point/1/l1:power": 13_000.0,
        "point/1/l1:power_factor": 0.94,
        "point/1/l1:utilization": 25.0,
        "point/1/line-to-line/1:voltage": 483.0,
    }


async def test_a_liebert_ups_with_the_standard_objects_is_read_by_them():
    """Its power would be told in W there: the factor of the distribution units must not be applied."""
    standard = {"1.3.6.1.2.1.33.1.4.1.0": 3, "1.3.6.1.2.1.33.1.4.4.1.4.1": 2000}
    name, read = await answers(LIEBERT, LIEBERT_POINTS | LIEBERT_LINES | standard)
    assert name == "ups-mib"
    assert read == {"output/l1:power": 2000.0}


DCS_PDU = "1.3.6.1.4.1.13400.3.2.225.1.1"
DCS_UPS = "1.3.6.1.4.1.13400.3.4.491.1.1"
DCS_ENV = "1.3.6.1.4.1.13400.3.5.541.1.1"


async def test_vertiv_data_center_solution():
    said = {"1.3.6.1.4.1.13400.3.1.1.0": "DCS"}
    pdu = {"3.1": 231, "4.1": 152, "5.1": 51, "6.1": -9999, "8.1": 341, "10.1": 97, "13.1": 123456, "51.1": 0}
    silent = {"3.2": 229, "51.2": 1}
    ups = {"2.1": 2305, "3.1": 0, "12.1": 1, "5.1": 2301, "8.1": 43, "32.1": 1, "39.1": 9, "42.1": 10, "45.1": 301}
    probes = {"2.1": 235, "3.1": 0, "9.1": 0, "10.1": 1}
    objects = said | below(DCS_PDU, pdu | silent) | below(DCS_UPS, ups) | below(DCS_ENV, probes)
    name, read = await answers("1.3.6.1.4.1.2021.250.10", objects)
    assert name == "vertiv-dcs"
    assert read == {
        "pdu/1/inlet:voltage": 231.0,
        "pdu/1/inlet:current": 15.2,
        "pdu/1/inlet:power": 3410.0,
        "pdu/1/inlet:power_factor": 0.97,
        "pdu/1/inlet:energy": pytest.approx(1234.56 * 3.6e6),
        "pdu/1/bank/1:current": 5.1,
        "ups/1/input/l1:voltage": 230.5,
        "ups/1/output/l1:voltage": 230.1,
        "ups/1/output/l1:current": 4.3,
        "ups/1/output/l1:power": 900.0,
        "ups/1/output/l1:apparent_power": 1000.0,
        "ups/1/output/l1:utilization": 30.1,
        "probe/1/front:temperature": 23.5,
    }


NETAGENT = "1.3.6.1.4.1.935.1.1.1"
ONE_PHASE = below(
    NETAGENT,
    {"1.1.1.0": "UPS", "2.2.2.0": 547, "2.2.3.0": 0, "3.2.1.0": 2310, "3.2.4.0": 500, "4.2.1.0": 2300, "4.2.3.0": 34},
)


async def test_a_netagent_of_one_phase():
    name, read = await answers(NETAGENT, ONE_PHASE)
    assert name == "megatec-netagent"
    assert read == {
        "battery:voltage": 54.7,
        "input/l1:voltage": 231.0,
        "input:frequency": 50.0,
        "output/l1:voltage": 230.0,
        "output/l1:utilization": 34.0,
    }


async def test_a_netagent_of_three_phases():
    three = {"8.2.1.0": 499, "8.2.2.0": 2281, "8.2.3.0": 2292, "8.2.4.0": 2303, "8.3.5.0": 415, "8.4.2.0": 2280}
    objects = ONE_PHASE | below(NETAGENT, three) | {"1.3.6.1.2.1.33.1.3.2.0": 3}
    name, read = await answers(NETAGENT, objects)
    assert name == "megatec-netagent"
    assert read == {
        "battery:voltage": 54.7,
        "input:frequency": 49.9,
        "input/l1:voltage": 228.1,
        "input/l2:voltage": 229.2,
        "input/l3:voltage": 230.3,
        "output/l1:utilization": 41.5,
        "output/l1:voltage": 230.0,
        "bypass/l1:voltage": 228.0,
    }


async def test_powerwalker_cards_of_the_same_enterprise_stay_what_they_are():
    own = "1.3.6.1.4.1.935.10.1.1"
    name, read = await answers(own, {f"{own}.2.18.1.3.1": 2297})
    assert (name, read) == ("powerwalker-ups", {"output/l1:voltage": 229.7})


async def test_ubiquiti_edgepower():
    base = "1.3.6.1.4.1.41112.1.5"
    outputs = {"2.2.1.2.1": 54120, "2.2.1.3.1": 1432, "2.2.1.4.1": 77500}
    supplies = {"3.2.1.4.1": 1, "3.2.1.5.1": 54200, "3.2.1.6.1": 41500, "3.2.1.4.2": 0, "3.2.1.5.2": 0}
    name, read = await answers(base, below(base, outputs | supplies | {"4.2.1.3.1": 38250}))
    assert name == "ubiquiti-edgepower"
    assert read == {
        "output/1:voltage": 54.12,
        "output/1:current": 1.432,
        "output/1:power": 77.5,
        "psu/1:voltage": 54.2,
        "psu/1:temperature": 41.5,
        "probe/1:temperature": 38.25,
    }


async def test_ict_supplies_and_inverters():
    base = "1.3.6.1.4.1.39145.11"
    texts = {"6.0": "121.4", "7.0": "54.1", "8.0": "12.3", "10.0": "54.0", "11.0": "-1.2", "12.0": 1000}
    assert await answers(base, below(base, texts)) == (
        "ict-digital",
        {
            "input:voltage": 121.4,
            "output:voltage": 54.1,
            "output:current": 12.3,
            "battery:voltage": 54.0,
            "battery:current": -1.2,
        },
    )
    base = "1.3.6.1.4.1.39145.12"
    assert await answers(base, below(base, {"6.0": "53.9", "7.0": "119.8", "8.0": "31"})) == (
        "ict-inverter",
        {"battery:voltage": 53.9, "output:voltage": 119.8, "output:utilization": 31.0},
    )


async def test_ict_panels_of_new_firmware_tell_hundredths():
    base = "1.3.6.1.4.1.39145.10"
    panel = {"6.0": "-55.2", "7.0": "-3.1", "8.1.2.0": "router", "8.1.3.0": "-1.9", "8.1.6.0": -187, "8.1.3.1": "-1.2"}
    bus = {"10.1.2.1": "A", "10.1.3.1": "-55.2", "10.1.4.1": "-3.1", "10.1.5.1": -5521, "10.1.6.1": -307}
    name, read = await answers(base, below(base, panel | bus))
    assert name == "ict-distribution"
    assert read == {
        "inlet:voltage": -55.2,
        "inlet:current": -3.1,
        "outlet/0:current": -1.87,
        "outlet/1:current": -1.2,
        "bus/1:voltage": -55.21,
        "bus/1:current": -3.07,
    }


async def test_ict_modules_that_are_not_there_are_not_read():
    base = "1.3.6.1.4.1.39145.13"
    rack = {"6.0": "121", "7.0": "54.1", "8.0": "2.3", "12.0": 1000}
    modules = {"10.1.2.1": 2, "10.1.4.1": "54.2", "10.1.5.1": "1.5", "10.1.2.2": 1, "10.1.4.2": "0.0"}
    name, read = await answers(base, below(base, rack | modules))
    assert name == "ict-mps"
    assert read == {
        "input:voltage": 121.0,
        "output:voltage": 54.1,
        "output:current": 2.3,
        "module/1:voltage": 54.2,
        "module/1/channel/1:current": 1.5,
    }


async def test_algcom_dc_ups():
    base = "1.3.6.1.4.1.49136.1.1"
    objects = {"1.1.0": 541, "1.2.0": 2350, "2.1.0": 536, "2.2.0": -420, "6.1.0": 0, "4.1.0": 31, "4.3.0": 44}
    name, read = await answers("1.3.6.1.4.1.49136", below(base, objects))
    assert name == "algcom-dcups"
    assert read == {
        "output:voltage": 54.1,
        "output:current": 2.35,
        "battery:voltage": 53.6,
        "battery:current": -0.42,
        "device:temperature": 31.0,
        "device/heatsink:temperature": 44.0,
    }


async def test_delta_orion_dc_plant():
    """53.92 V, 120.3 A of load, −2.1 A of the battery at 24.5 °C, 118.2 A of rectifiers, 6373 W; two rectifiers, of
    which one gives no value; a measurement of 231.4 V AC and one of 12,500 · 10² Wh."""
    base = "1.3.6.1.4.1.20246.2.3.1.1.1.2"
    plant = {"3.1.0": 5392, "3.2.0": 1203, "3.3.0": -21, "3.4.0": 245, "3.7.0": 1182, "3.8.0": 6373}
    rectifiers = {"4.4.1.2.1": "1", "4.4.1.6.1": 591, "4.4.1.7.1": 3187, "4.4.1.2.2": "2", "4.4.1.6.2": 2147483647}
    mains = {"9.1.1.2.1": "Umains", "9.1.1.3.1": 2314, "9.1.1.4.1": -1, "9.1.1.5.1": 4}
    energy = {"9.1.1.2.2": "Energy", "9.1.1.3.2": 12500, "9.1.1.4.2": 2, "9.1.1.5.2": 10}
    name, read = await answers("1.3.6.1.4.1.20246", below(base, plant | rectifiers | mains | energy))
    assert name == "delta-orion"
    assert read == {
        "dc:voltage": 53.92,
        "dc:power": 6373.0,
        "load:current": 120.3,
        "battery:current": -2.1,
        "battery:temperature": 24.5,
        "rectifiers:current": 118.2,
        "rectifier/1:current": 59.1,
        "rectifier/1:power": 3187.0,
        "measurement/1:voltage": 231.4,
        "measurement/2:energy": 12500 * 100 * 3600.0,
    }


async def test_supercapacitors_of_an_agent_without_instances():
    base = "1.3.6.1.2.1.555.1.1.1"
    fitted = {"2": 2310, "3": 2875, "4": 150, "5": 54012, "16": -75, "17": 0}
    empty = {str(15 + 13): 0, str(15 + 13 + 1): 0}
    name, read = await answers("1.3.6.1.2.1.555", below(base, {"1": 15} | fitted | empty | {"15": 2290, "18": 53900}))
    assert name == "supercap-ups"
    assert read == {
        "battery/1:temperature": 23.1,
        "battery/1/power-stage:temperature": 28.75,
        "battery/1:current": 1.5,
        "battery/1:voltage": 540.12,
        "battery/2:temperature": 22.9,
        "battery/2/power-stage:temperature": -0.75,
        "battery/2:voltage": 539.0,
    }


async def test_ingrasys_usha():
    base = "1.3.6.1.4.1.2468.1.2.1.1"
    objects = {"2.5.0": 547, "2.6.0": 12, "2.7.0": 0, "3.3.1.2.1": 500, "3.3.1.3.1": 2312, "3.3.1.5.1": 480}
    output = {"4.2.0": 500, "4.4.1.2.1": 2301, "4.4.1.3.1": 20, "4.4.1.4.1": 440, "4.4.1.5.1": 22}
    name, read = await answers("1.3.6.1.4.1.2468.1.2.1", below(base, objects | output))
    assert name == "ingrasys-usha"
    assert read == {
        "battery:voltage": 54.7,
        "battery:current": 1.2,
        "input/l1:frequency": 50.0,
        "input/l1:voltage": 231.2,
        "input/l1:power": 480.0,
        "output:frequency": 50.0,
        "output/l1:voltage": 230.1,
        "output/l1:current": 2.0,
        "output/l1:power": 440.0,
        "output/l1:utilization": 22.0,
    }


async def test_gude_1104_reads_its_sensors():
    base = "1.3.6.1.4.1.28507.68.1.6.1.1"
    name, read = await answers(
        "1.3.6.1.4.1.28507.68", below(base, {"2.1": 231, "3.1": 452, "2.2": -9999, "3.2": -9999, "32.1": "front"})
    )
    assert name == "gude-epc-1104"
    assert read == {"probe/1:temperature": 23.1, "probe/1:humidity": 45.2}


async def test_gude_8031_residual_current():
    base = "1.3.6.1.4.1.28507.81.1.5"
    channel = {"1.2.1.2.1": 1, "1.2.1.4.1": 460, "1.2.1.13.1": 1200, "1.2.1.24.1": 37}
    name, read = await answers("1.3.6.1.4.1.28507.81", below(base, channel | {"16.1.2.1": 41, "16.1.3.1": 5}))
    assert name == "gude-epc-8031"
    assert read == {
        "inlet:power": 460.0,
        "inlet/resettable:energy": 1200 * 3600.0,
        "inlet/residual:current": 0.0037,
        "rcm:current": 0.0041,
        "rcm/dc:current": 0.0005,
    }


async def test_dell_openmanage_below_the_systems_own_agent():
    """The sysObjectID is that of Net-SNMP: what the server is stands in an object of Dell."""
    base = "1.3.6.1.4.1.674.10892.1"
    probes = {"600.30.1.6.1.1": 6, "600.30.1.7.1.1": 23, "600.30.1.6.1.2": 182, "600.30.1.7.1.2": 26}
    more = {"300.10.1.9.1": "PowerEdge R710", "700.20.1.6.1.1": 221, "700.20.1.8.1.1": "System Board Ambient Temp"}
    name, read = await answers("1.3.6.1.4.1.8072.3.2.10", below(base, probes | more))
    assert name == "dell-openmanage"
    assert read == {"psu/1:current": 0.6, "inlet:power": 182.0, "probe/1:temperature": 22.1}


async def test_apc_easy_rack_pdu():
    base = "1.3.6.1.4.1.318.1.1.30"
    unit = {"2.1.1.4.1": "EPDU1116S", "2.1.1.7.1": 1310, "2.1.1.10.1": 965, "2.1.1.11.1": 9114157}
    phase = {"4.2.1.4.1": 2290, "4.2.1.5.1": 592, "4.2.1.6.1": 1310, "4.2.1.7.1": -1, "4.2.1.9.1": 965}
    energy = {"4.2.1.10.1": 9114157}
    name, read = await answers("1.3.6.1.4.1.318.1.3.4.9", below(base, unit | phase | energy))
    assert name == "apc-epdu"
    assert read == {
        "inlet:power": 1310.0,
        "inlet:power_factor": 0.965,
        "inlet:energy": 9114157 * 3600.0,
        "inlet/l1:voltage": 229.0,
        "inlet/l1:current": 5.92,
        "inlet/l1:power": 1310.0,
        "inlet/l1:power_factor": 0.965,
        "inlet/l1:energy": 9114157 * 3600.0,
    }


async def test_raritan_px1_of_three_phases_with_external_sensors():
    base = "1.3.6.1.4.1.13742.4"
    inlet = {"1.20.2.1.3.1": 3, "1.20.2.1.7.1": 0, "1.20.2.1.8.1": 0, "1.20.2.1.9.1": 3300, "1.20.2.1.10.1": 3450}
    pole = {"1.20.2.1.11.1": 96, "1.21.2.1.3.1.1": 4800, "1.21.2.1.4.1.1": 208100, "1.21.2.1.7.1.1": 0}
    heat = {"3.3.1.2.1": 10, "3.3.1.4.1": "front", "3.3.1.16.1": 7, "3.3.1.17.1": 1, "3.3.1.40.1": 4, "3.3.1.41.1": 237}
    wet = {"3.3.1.2.2": 11, "3.3.1.16.2": 9, "3.3.1.17.2": 0, "3.3.1.40.2": 5, "3.3.1.41.2": 61}
    gone = {"3.3.1.2.3": 10, "3.3.1.16.3": 7, "3.3.1.17.3": 1, "3.3.1.40.3": -1, "3.3.1.41.3": 0}
    name, read = await answers(f"{base}", below(base, inlet | pole | heat | wet | gone))
    assert name == "raritan-px1"
    assert read == {
        "inlet:power": 3300.0,
        "inlet:apparent_power": 3450.0,
        "inlet:power_factor": 0.96,
        "inlet/l1:current": 4.8,
        "inlet/l1:voltage": 208.1,
        "probe/1:temperature": 23.7,
        "probe/2:humidity": 61.0,
    }


async def test_enlogic_outlets_and_sensors():
    base = "1.3.6.1.4.1.38446.1"
    unit = {"2.4.1.4.1": 900, "5.9.1.3.1.1": "node 1", "5.9.1.5.1.1": 212, "5.9.1.6.1.1": 470, "5.9.1.11.1.1": 1234}
    sensors = {"6.2.1.6.1.1": 1, "6.2.1.7.1.1": 2, "6.4.1.4.1.1": 2, "6.4.1.8.1.1": 725}
    lost = {"6.2.1.6.1.2": 1, "6.2.1.7.1.2": 1, "6.4.1.4.1.2": 1, "6.4.1.8.1.2": 0}
    breakers = {"4.4.1.3.1.1": "B1", "4.4.1.5.1.1": 277, "4.4.1.3.1.2": "NA", "4.4.1.5.1.2": 0}
    name, read = await answers(base, below(base, unit | sensors | lost | breakers))
    assert name == "enlogic-pdu"
    assert read == {
        "inlet:power": 900.0,
        "bank/1:current": 2.77,
        "outlet/1:current": 2.12,
        "outlet/1:power": 470.0,
        "outlet/1/resettable:energy": pytest.approx(123.4 * 3.6e6),
        "probe/1:temperature": pytest.approx(22.5),
    }


async def test_all_ones_of_a_standard_ups_are_missing():
    """65,535 tenths of an ampere, or ten times that, are what a card writes for what it does not measure."""
    base = "1.3.6.1.2.1.33.1"
    battery = {"2.5.0": 547, "2.6.0": 65535, "2.7.0": 0}
    lines = {"3.3.1.3.1": 231, "3.3.1.4.1": 655350, "3.3.1.5.1": 65535, "4.1.0": 3, "4.4.1.2.1": 230, "4.4.1.3.1": 21}
    name, read = await answers("1.3.6.1.2.1.33.9", below(base, battery | lines))
    assert name == "ups-mib"
    assert read == {
        "battery:voltage": 54.7,
        "input/l1:voltage": 231.0,
        "output/l1:voltage": 230.0,
        "output/l1:current": 2.1,
    }


async def test_sinetica_power_of_a_line_is_read_where_there_is_one_line():
    base = "1.3.6.1.4.1.13891.101"
    objects = {"3.3.1.3.1": 231, "3.3.1.4.1": 12, "4.3.0": 3, "4.4.1.2.1": 230, "4.4.1.4.1": 2700, "4.4.1.4.2": 900}
    name, read = await answers("1.3.6.1.4.1.13891", below(base, objects))
    assert name == "sinetica-ups"
    assert read == {"input/l1:voltage": 231.0, "output/l1:voltage": 230.0}
    _, read = await answers("1.3.6.1.4.1.13891", below(base, objects | {"4.3.0": 1}))
    assert read["output/l1:power"] == 2700.0


async def test_cyberpower_humidity_is_not_the_upper_threshold_of_the_temperature():
    base = "1.3.6.1.4.1.3808.1.1"
    objects = {"1.4.2.1.0": 2301, "4.2.1.0": 716, "4.2.2.0": 89, "4.3.1.0": 43}
    _, read = await answers("1.3.6.1.4.1.3808.1.1.1", below(base, objects))
    assert read == {"output:voltage": 230.1, "ambient:temperature": pytest.approx(22.0), "ambient:humidity": 43.0}


async def test_netsure_without_a_probe_and_without_numbers():
    base = "1.3.6.1.4.1.6302.2.1.2"
    objects = {"2.0": 54100, "3.0": 23000, "4.0": 31, "6.1.0": 230100, "6.4.0": 2147483647, "12.1.0": 22400}
    probes = {"7.3.1.2.1": 21500, "7.3.1.3.1": "Ambient", "7.3.1.4.1": 1, "7.3.1.2.2": 0, "7.3.1.4.2": 0}
    name, read = await answers("1.3.6.1.4.1.6302.2.1", below(base, objects | probes))
    assert name == "vertiv-netsure-acu"
    assert read == {
        "dc:voltage": 54.1,
        "dc:current": 23.0,
        "dc:utilization": 31.0,
        "input/l1:voltage": 230.1,
        "load:current": 22.4,
        "probe/1:temperature": 21.5,
    }


async def test_valere_probes_that_are_not_fitted():
    base = "1.3.6.1.4.1.13858"
    objects = {"2.3.2.0": 5451, "2.3.3.0": 11, "2.3.5.0": -126, "7.1.1.1.3.0": -128, "7.1.1.1.3.1": 24}
    _, read = await answers(base, below(base, objects))
    assert read == {"dc:voltage": 54.51, "dc:current": 11.0, "probe/1:temperature": 24.0}


@pytest.mark.parametrize(("setting", "totals"), [(0, (92, 94, -2)), (1, (920, 940, -20))])
async def test_eltek_totals_are_in_the_unit_that_the_controller_says(setting, totals):
    """The numbers of a recording in whole amperes: 13.8 + 13.2 + 13.6 + 12.1 + 13.2 + 13.0 + 13.0 A of the modules."""
    base = "1.3.6.1.4.1.12148.10"
    modules = {f"5.6.1.3.{i}": raw for i, raw in enumerate((138, 132, 136, 121, 132, 130, 130), start=1)}
    objects = {"2.15.0": setting, "2.16.0": 0, "5.2.5.0": totals[0], "9.2.5.0": totals[1], "10.6.5.0": totals[2]}
    name, read = await answers(base, below(base, objects | modules | {"10.5.5.0": 5455}))
    assert name == "eltek-smartpack2"
    assert sum(v for k, v in read.items() if k.startswith("rectifier/")) == pytest.approx(91.9)
    assert (read["rectifiers:current"], read["load:current"], read["battery:current"]) == (92.0, 94.0, -2.0)


@pytest.mark.parametrize(("fahrenheit", "raw", "celsius"), [(0, 21, 21.0), (1, 70, 190 / 9)])
async def test_eltek_temperatures_are_in_the_unit_that_the_controller_says(fahrenheit, raw, celsius):
    base = "1.3.6.1.4.1.12148.10"
    objects = {"2.16.0": fahrenheit, "10.5.5.0": 5455, "10.7.5.0": raw}
    _, read = await answers(base, below(base, objects))
    assert read["battery:temperature"] == pytest.approx(celsius)
