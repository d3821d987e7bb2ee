"""Profiles that no recording has met: small agents after the makers' MIBs, found by what they answer and read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import pytest

from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.polling.drivers import identify
from collectors.profiles.profile import ScpiProfile, SnmpProfile
from collectors.profiles.registry import find
from collectors.protocols.scpi.driver import ScpiDriver
from collectors.protocols.snmp.driver import SnmpDriver
from tests.collectors.scpi.scpi_meter import Meter
from tests.collectors.scpi.scpi_meter import serving as serving_meter
from tests.snmprec_agent import serving

pytestmark = pytest.mark.anyio

INTEGER, STRING, OBJECT_ID, GAUGE, COUNTER64 = 2, 4, 6, 66, 70
ENTERPRISES = "1.3.6.1.4.1"


def agent_of(object_id: str, rows: Mapping[str, object], description: str = "") -> list[tuple[str, int, object]]:
    """The system group and objects below the enterprises; a text is a string, a number an integer."""
    kinds = {str: STRING, int: INTEGER}
    return [
        ("1.3.6.1.2.1.1.1.0", STRING, description),
        ("1.3.6.1.2.1.1.2.0", OBJECT_ID, f"{ENTERPRISES}.{object_id}"),
        *((f"{ENTERPRISES}.{oid}", kinds[type(value)], value) for oid, value in rows.items()),
    ]


def table(entry: str, rows: Mapping[str, Mapping[int, object]]) -> dict[str, object]:
    """Rows by index, columns by number."""
    return {f"{entry}.{column}.{index}": value for index, row in rows.items() for column, value in row.items()}


async def found_and_read(rows: Iterable[tuple[str, int, object]]) -> tuple[str, dict[str, float]]:
    """Which profile fits the agent, and what it reads: numbers by key, without those that are missing."""
    async with serving(rows) as agent:
        device = PolledDevice("device", "auto", Address.parse(agent.url), timeout_s=2.0)
        profile = await identify(device)
        assert isinstance(profile, SnmpProfile)
        driver = SnmpDriver(device, profile.model_copy(update={"max_packets_s": 1000}))
        await driver.open()
        try:
            poll = await driver.read({layout.group for layout in driver.layouts()})
        finally:
            await driver.close()
    return profile.name, {
        series.key: round(value, 6)
        for frame in poll.frames
        for series, value in zip(frame.layout.series, frame.values, strict=True)
        if not math.isnan(value)
    }


METER, SENSOR, RCM = "55108.1.3.1.1", "55108.1.3.2.1", "55108.1.3.3.1"


def updu_meter(name: str, kind: int, power: int, quality: int | None = 0) -> dict[int, object]:
    row: dict[int, object] = {2: name, 3: kind, 4: 1000 * power, 7: power, 8: -3, 9: power + 1, 10: 230100, 11: 4350}
    return row if quality is None else {**row, 15: quality}


RNX = {
    "55108.1.1.1.0": "RN3001",
    **table(
        METER,
        {
            "0.0": updu_meter("Total", 1, 3000),
            "0.1": updu_meter("L1", 2, 1000),
            "0.2": updu_meter("L2", 3, 1100),
            "0.3": updu_meter("Feed", 3, 900),
            "1.0": updu_meter("Module 1", 4, 1500),
            "1.1": updu_meter("Outlet 1", 6, 250),
            "2.1": updu_meter("Outlet 13", 6, 70, quality=1),
            "2.2": updu_meter("Outlet 14", 6, 0, quality=2),
            "2.3": updu_meter("Group A", 7, 400, quality=None),
        },
    ),
    **table(SENSOR, {"1": {2: "A", 3: 2, 4: 251, 5: 402}, "2": {2: "B", 3: 1, 4: -15, 5: 0}, "3": {3: 0, 4: 0, 5: 0}}),
    **table(RCM, {"0.0": {2: "RCM", 3: 25, 4: 7, 5: 0}, "0.1": {2: "RCM", 3: 0, 4: 0, 5: 2}}),
}


async def test_rnx_updu():
    name, values = await found_and_read(agent_of("55108", RNX, "RNX UPDU RN3001 (1.2.3)"))
    assert name == "rnx-updu"
    assert values["inlet:power"] == 3000
    assert values["inlet/l1:power"] == 1000
    assert values["inlet/l1:voltage"] == 230.1
    assert values["inlet/l1:current"] == 4.35
    assert values["inlet/l1:reactive_power"] == -3
    assert values["inlet/l2:apparent_power"] == 1101
    assert values["module/0/phase/3:power"] == 900
    assert values["module/1:power"] == 1500
    assert values["outlet/1:power"] == 250
    assert values["module/2/group/3:power"] == 400
    assert not [key for key in values if key.startswith("module/2/outlet")]
    assert values["module/0/residual/0:current"] == 0.0025
    assert values["module/0/residual/0/dc:current"] == 0.0007
    assert "module/0/residual/1:current" not in values
    assert (values["probe/1:temperature"], values["probe/1:humidity"]) == (25.1, 40.2)
    assert values["probe/2:temperature"] == -1.5
    assert "probe/2:humidity" not in values
    assert "probe/3:temperature" not in values


async def test_rnx_updu_energy_of_64_bits():
    rows = [*agent_of("55108", {f"{METER}.3.0.0": 0}), (f"{ENTERPRISES}.{METER}.4.0.0", COUNTER64, 6_000_000_000)]
    _, values = await found_and_read(rows)
    assert values == {"inlet:energy": 6_000_000_000 * 3600.0}


def e3_channel(name: str, kind: int | None, power: int, volts: int) -> dict[int, object]:
    row: dict[int, object] = {2: 77, 5: power, 6: 5, 7: power, 8: 1000 * volts, 9: 2500, 10: 50010 if volts else 0}
    row[11] = name
    return row if kind is None else {**row, 12: kind}


async def test_e3meter_ipm():
    rows = table(
        "21695.1.10.7.2.1",
        {
            "0": e3_channel("L1", 0, 575, 230),
            "1": e3_channel("L2", 0, 0, 0),
            "3": e3_channel("N", 1, 0, 0),
        },
    )
    rows |= table("21695.1.10.7.4.1", {"1": {2: "Bank", 4: 12, 7: 300, 8: 1, 9: 301, 10: 1300}})
    rows |= table("21695.1.10.7.5.1", {"1": {2: "", 3: 0, 4: 0, 7: 0}, "2": {2: "mine", 3: 4, 4: 9, 7: 50}})
    rows |= table("21695.1.10.7.3.1", {"1": {2: 2, 4: 235, 5: 451}, "2": {2: 0, 4: 0, 5: 0}})
    rows |= table("21695.1.10.7.7.1", {"0": {4: 1, 5: 12, 6: 3}})
    name, values = await found_and_read(agent_of("21695.1", rows))
    assert name == "e3meter-ipm"
    assert values["inlet/l1:power"] == 575
    assert values["inlet/l1:energy"] == 77 * 3600
    assert values["inlet/l1:voltage"] == 230
    assert values["inlet/l1:frequency"] == 50.01
    assert values["inlet/l2:power"] == 0
    assert "inlet/l2:voltage" not in values
    assert values["inlet/n:current"] == 2.5
    assert "inlet/l4:power" not in values
    assert values["group/1:current"] == 1.3
    assert values["usergroup/2:power"] == 50
    assert "usergroup/1:power" not in values
    assert (values["residual:current"], values["residual/dc:current"]) == (0.012, 0.003)
    assert (values["probe/1:temperature"], values["probe/1:humidity"]) == (23.5, 45.1)
    assert "probe/2:temperature" not in values


async def test_e3meter_ipm_that_does_not_tell_the_kind_of_a_conductor():
    rows = table("21695.1.10.7.2.1", {str(n): e3_channel("", None, 100 + n, 230) for n in range(4)})
    _, values = await found_and_read(agent_of("21695.1", rows))
    assert [values[f"inlet/l{n}:power"] for n in (1, 2, 3)] == [100, 101, 102]
    assert "inlet/l4:power" not in values


async def test_e3meter_concentrator():
    averages = {15: 1, 18: 410, 21: 12, 22: 415, 25: 229500, 28: 1806, 31: 98, 32: 5000, 6: 999, 10: 9, 11: 49990}
    rows = {
        "21695.1.10.2.1.0": 2,
        "21695.1.10.3.1.8.70001": "rack 4",
        **table("21695.1.10.4.1", {"70001.0": averages, "70002.0": {15: 2, 6: 200}, "70003.0": {15: 1, 6: 201}}),
        **table("21695.1.10.5.1", {"70001.0": {3: 1, 4: 301, 5: 0, 9: 1}, "70001.1": {3: 3, 4: 250, 5: 41, 9: 1}}),
        **table("21695.1.10.11.1", {"70001": {4: 1, 7: 4, 10: 2}}),
        **table("21695.1.10.12.1", {"5": {3: 1, 5: "rack 4"}, "6": {3: 2, 5: "feed"}}),
        **table("21695.1.10.13.1", {"5.0": {6: 1, 9: 410}, "6.0": {6: 1, 9: 8200, 19: 36000, 22: 99}}),
    }
    name, values = await found_and_read(agent_of("21695.1401", rows))
    assert name == "e3meter-dc"
    assert values["ips/70001/meter/0:power"] == 410
    assert values["ips/70001/meter/0:current"] == 1.806
    assert values["ips/70001/meter/0:power_factor"] == 0.98
    assert values["ips/70001/meter/0:frequency"] == 49.99
    assert "ips/70002/meter/0:power" not in values
    assert values["ips/70003/meter/0:power"] == 201
    assert values["ips/70001/residual/dc:current"] == 0.002
    assert values["ips/70001/probe/0:temperature"] == 30.1
    assert values["ips/70001/probe/1:humidity"] == 41
    assert "ips/70001/probe/0:humidity" not in values
    assert values["meter/6/0:power"] == 8200
    assert "meter/5/0:power" not in values


SC300 = {
    "1918.2.14.10.70.10.20.0": 5412,
    "1918.2.14.10.50.10.0": 21,
    "1918.2.14.10.50.30.0": 114,
    "1918.2.14.10.40.10.0": 231,
    "1918.2.14.10.40.20.0": 0,
    "1918.2.14.10.60.20.0": 20,
    "1918.2.14.10.100.30.0": 24,
    "1918.2.14.10.100.40.0": -2,
    **table(
        "1918.2.14.10.60.30.1",
        {
            "1": {80: 2000, 90: 230, 95: 5410, 100: 10, 103: 541, 110: 41, 170: 0},
            "2": {80: 65535, 90: 0, 95: 0, 100: 0, 103: 65535, 110: 0},
        },
    ),
}


@pytest.mark.parametrize("object_id", ["1918.2.14", "1918.2.13"])
async def test_eaton_sc300(object_id: str):
    name, values = await found_and_read(agent_of(object_id, SC300))
    assert name == "eaton-sc300"
    assert values == {
        "load:current": 21,
        "load:power": 1140,
        "battery:current": -2,
        "battery:temperature": 24,
        "input:voltage": 231,
        "dc:voltage": 54.12,
        "rectifiers:current": 20,
        "rectifier/1:current": 10,
        "rectifier/1:power": 541,
        "rectifier/1:temperature": 41,
        "rectifier/1:voltage": 54.1,
        "rectifier/1/input:voltage": 230,
    }


async def test_eaton_matrix():
    rows = {
        "935.10.2.1.1.4.0": 312,
        **table("935.10.2.1.2.2.1", {"1": {6: 2301, 7: 45, 8: 535, 9: 500, 10: 1035, 13: 402, 14: 2312, 15: 499}}),
        **table("935.10.2.1.3.2.1", {"1": {7: 2310, 8: 500, 9: 2300, 11: 2299, 12: 90, 13: 2069, 14: 500, 16: 350}}),
    }
    name, values = await found_and_read(agent_of("935.10.2", rows))
    assert name == "eaton-matrix"
    assert values["controller:temperature"] == 31.2
    assert values["inverter/1:apparent_power"] == 1035
    assert values["inverter/1:current"] == 4.5
    assert values["inverter/1/battery:voltage"] == 53.5
    assert values["inverter/1/input:frequency"] == 49.9
    assert values["sts/1/mains:voltage"] == 231
    assert values["sts/1/output:apparent_power"] == 2069
    assert values["sts/1:temperature"] == 35
    assert not [key for key in values if key.endswith(":power")]


async def test_xups_of_a_card_without_its_model():
    rows = {
        **{f"534.1.{oid}.0": value for oid, value in {"2.2": 54, "3.1": 600, "4.1": 41, "4.7": 9000}.items()},
        **{f"534.1.{oid}.0": value for oid, value in {"3.8.3": 900, "3.8.4": 930, "3.8.5": 97}.items()},
        **{f"534.1.{oid}.0": value for oid, value in {"4.9.3": 820, "4.9.4": 871, "4.9.5": 94}.items()},
        **{f"534.1.{oid}.0": value for oid, value in {"6.1": 25, "6.4": 0, "5.4.3": 0}.items()},
        **table("534.1.3.4.1", {"1": {2: 231, 3: 4, 4: 900, 7: 39}}),
        **table("534.1.4.4.1", {"1": {2: 230, 3: 4, 4: 820, 7: 38, 8: 41, 9: 871}}),
        **table("534.1.5.3.1", {"1": {2: 231, 5: -1}}),
    }
    name, values = await found_and_read(agent_of("534.1", rows))
    assert name == "eaton-xups"
    assert values["input/l1:current"] == 3.9
    assert values["output/l1:current"] == 3.8
    assert values["output/l1:apparent_power"] == 871
    assert (values["input:power"], values["input:apparent_power"], values["input:power_factor"]) == (900, 930, 0.97)
    assert (values["output:power"], values["output:power_factor"]) == (820, 0.94)
    assert values["output/resettable:energy"] == 9000 * 3600
    assert values["bypass/l1:voltage"] == 231
    assert "bypass/l1:current" not in values
    assert values["ambient:temperature"] == 25
    assert "ambient:humidity" not in values


async def test_xups_of_whole_amperes():
    rows = {"534.1.1.2.0": "PW9125", **table("534.1.4.4.1", {"1": {2: 120, 3: 7, 4: 800}})}
    _, values = await found_and_read(agent_of("534.1", rows))
    assert values == {"output/l1:voltage": 120, "output/l1:current": 7, "output/l1:power": 800}


@pytest.mark.parametrize("object_id", ["1718.4", "1718"])
async def test_sentry4_without_a_version(object_id: str):
    name, values = await found_and_read(agent_of(object_id, table("1718.4.1.3.3.1", {"1.1": {3: 1510, 10: 20345}})))
    assert name == "servertech-sentry4"
    assert values == {"inlet:power": 1510, "inlet:energy": 2034.5 * 3_600_000}


@pytest.mark.parametrize("object_id", ["1718.3", "1718"])
async def test_sentry3_without_a_version(object_id: str):
    name, values = await found_and_read(agent_of(object_id, {"1718.3.1.6.0": 640}))
    assert (name, values) == ("servertech-sentry3", {"system:power": 640})


BUS = "31034.12.1.1.2"


async def test_schleifenbauer_of_the_second_unit():
    rows = {
        **table(f"{BUS}.6.1.1", {"2.1": {2: 4711, 3: 12, 4: 9800, 5: 512, 7: 23050, 9: 1180, 10: 1156, 13: "feed"}}),
        **table(f"{BUS}.10.1.1", {"1.2": {2: 30, 3: 3, 4: 9500, 5: 201, 7: 23010, 9: 462, 10: 439, 13: "B"}}),
        **table(f"{BUS}.11.1.1", {"1.1": {2: 9000, 3: 9700, 6: 2400, 7: 2328, 8: 55}}),
        **table(f"{BUS}.8.1.1", {"1": {1: 3050, 2: 0, 5: 1}}),
        **table(
            f"{BUS}.8.2.1",
            {"1.1": {2: "T", 3: 2410, 4: "cold"}, "1.2": {2: "H", 3: 4150, 4: ""}, "1.3": {2: "I", 3: 1, 4: ""}},
        ),
    }
    name, values = await found_and_read(agent_of("31034.11.3", rows))
    assert name == "schleifenbauer"
    assert values["unit/2/inlet/l1:power"] == 1156
    assert values["unit/2/inlet/l1/resettable:energy"] == 12 * 3_600_000
    assert values["bank/2:current"] == 2.01
    assert values["bank/2:power_factor"] == 0.95
    assert values["inlet:power"] == 2328
    assert values["inlet/n:current"] == 0.55
    assert values["residual:current"] == 0.01
    assert values["internal:temperature"] == 30.5
    assert "external:temperature" not in values
    assert values["probe/1:temperature"] == 24.1
    assert values["probe/2:humidity"] == 41.5
    assert not [key for key in values if key.startswith("probe/3")]


async def test_schleifenbauer_before_the_databus_layout():
    rows = {
        **table("31034.2.8.1", {"1": {2: 100, 3: 4, 5: 310, 7: 22990, 9: 713, 10: 699, 13: "L1"}}),
        **table("31034.2.10.1", {"3": {2: 7, 3: 1, 5: 44, 7: 22980}}),
        **table("31034.2.12.1", {"1": {2: "T", 3: 1999, 4: ""}}),
    }
    name, values = await found_and_read(agent_of("31034.1", rows))
    assert name == "schleifenbauer-sdevice"
    assert values == {
        "inlet/l1:energy": 360_000_000,
        "inlet/l1/resettable:energy": 14_400_000,
        "inlet/l1:current": 3.1,
        "inlet/l1:voltage": 229.9,
        "inlet/l1:apparent_power": 713,
        "inlet/l1:power": 699,
        "outlet/3:energy": 25_200_000,
        "outlet/3/resettable:energy": 3_600_000,
        "outlet/3:current": 0.44,
        "outlet/3:voltage": 229.8,
        "probe/1:temperature": 19.99,
    }


ENERTREE = "44568.1.1"


@pytest.mark.parametrize("object_id", ["44568", "31034.11.4", "8072.3.2.10"])
async def test_schleifenbauer_of_2025(object_id: str):
    measured = {3: "A", 4: 12, 5: 2, 6: 150025, 7: 151000, 8: -900, 10: 655, 11: 23011}
    rows = {
        f"{ENERTREE}.1.1.0": "gateway",
        **table(f"{ENERTREE}.7.1.1", {"1.1": {**measured, 12: 5001, 33: 4}}),
        **table(f"{ENERTREE}.8.1.1", {"2.7": measured}),
        **table(f"{ENERTREE}.9.1.1", {"1.2": measured}),
        **table(f"{ENERTREE}.10.1.1", {"1.1": {3: 40, 4: 450000, 11: 33, 15: 1, 23: 4999}}),
    }
    name, values = await found_and_read(agent_of(object_id, rows))
    assert name == "schleifenbauer-enertree"
    assert values["inlet/l1:power"] == 1500.25
    assert values["inlet/l1:reactive_power"] == -9
    assert values["inlet/l1:frequency"] == 50.01
    assert values["inlet/l1/residual:current"] == 0.004
    assert values["inlet/l1/resettable:energy"] == 7_200_000
    assert values["unit/2/outlet/7:current"] == 6.55
    assert values["bank/2:voltage"] == 230.11
    assert (values["inlet:power"], values["inlet:frequency"]) == (4500, 49.99)
    assert values["inlet/n:current"] == 0.33
    assert values["inlet/residual:current"] == 0.01


async def test_siteboss_572():
    sensors = {"1.1.1": {4: "In", 7: "24 C"}, "1.1.2": {4: "Out", 7: "50 F"}, "1.3.1": {4: "Air", 7: "32"}}
    rows = {
        **table("3052.20.1.1.1.1", sensors | {"200.6.1": {4: "Door", 7: "Energized"}}),
        **table("3052.20.1.5.4.1.1", {"1.1": {5: 21500, 13: 53900, 20: 1158, 23: 900}, "1.2": {23: 1200}}),
    }
    name, values = await found_and_read(agent_of("3052.20.3.2", rows))
    assert name == "asentria-siteboss-572"
    assert values == {
        "module/1:current": 21.5,
        "module/1:voltage": 53.9,
        "module/1:power": 1158,
        "module/1/port/1:current": 0.9,
        "module/1/port/2:current": 1.2,
        "probe/1/1:temperature": 24,
        "probe/1/1/2:temperature": 10,
        "probe/1/3:humidity": 32,
    }


async def test_siteboss_571_without_a_power_module():
    name, values = await found_and_read(agent_of("3052.14.3.2", table("3052.14.1.1.1.1", {"200.1.1": {7: "30 C"}})))
    assert (name, values) == ("asentria-siteboss", {"probe/200/1:temperature": 30})


async def test_alpha_cxc_battery():
    scalars = {10: 53946, 12: 53931, 13: -1707, 14: 2147483647}
    name, values = await found_and_read(
        agent_of("7309.5", {f"7309.5.3.1.{column}.0": raw for column, raw in scalars.items()})
    )
    assert name == "alpha-cxc"
    assert values == {"dc:voltage": 53.946, "battery:voltage": 53.931, "battery:current": -1.707}


async def test_alpha_cxc_rmu():
    ups = "7309.6.1"
    rows = {
        f"{ups}.2.3.0": 545,
        f"{ups}.2.4.0": 12,
        f"{ups}.2.6.0": 22,
        f"{ups}.4.2.0": 600,
        **table(f"{ups}.3.2.1", {"1": {2: 60, 3: 1203}}),
        **table(f"{ups}.4.4.1", {"1": {2: 1200, 3: 41, 4: 492, 5: 480, 6: 97, 7: 33}}),
    }
    name, values = await found_and_read(agent_of("7309.6", rows))
    assert name == "alpha-cxc-rmu"
    assert values == {
        "battery:voltage": 54.5,
        "battery:current": 1.2,
        "battery:temperature": 22,
        "input/l1:frequency": 60,
        "input/l1:voltage": 120.3,
        "output:frequency": 60,
        "output/l1:voltage": 120,
        "output/l1:current": 4.1,
        "output/l1:apparent_power": 492,
        "output/l1:power": 480,
        "output/l1:power_factor": 0.97,
        "output/l1:utilization": 33,
    }


async def test_alpha_cxrc():
    rows = {
        **{f"7309.4.1.1.{n}.0": raw for n, raw in {1: 5412, 2: 5400, 3: 120, 4: 0}.items()},
        **table("7309.4.1.6.2.2.1", {"1": {3: 5401, 4: "Load Voltage"}, "4": {3: -310, 4: "Battery Current"}}),
        **table("7309.4.1.6.2.2.1", {"6": {3: 2150, 4: "Battery Temperature"}, "8": {3: 9900, 4: "Capacity"}}),
        **table("7309.4.1.6.3.2.1", {"1": {3: 4410, 4: "Total Current"}, "4": {3: 3, 4: "Acquired"}}),
    }
    name, values = await found_and_read(agent_of("7309.4", rows))
    assert name == "alpha-cxrc"
    assert values == {
        "battery/charge:voltage": 54.12,
        "battery/charge:current": 1.2,
        "battery/discharge:voltage": 54,
        "battery/discharge:current": 0,
        "controller/1:voltage": 54.01,
        "controller/4:current": -3.1,
        "controller/6:temperature": 21.5,
        "rectifiers/1:current": 44.1,
    }


async def test_imco_without_its_first_voltage():
    name, values = await found_and_read(agent_of("33283.1.30", {"33283.1.30.7.6.0": 46, "33283.1.30.7.8.0": 455}))
    assert (name, values) == ("imco-power", {"output:current": 4.6, "output:utilization": 45.5})


def gauges(rows: Mapping[str, int]) -> list[tuple[str, int, object]]:
    return [(f"{ENTERPRISES}.{oid}", GAUGE, value) for oid, value in rows.items()]


async def test_tripplite_ats():
    ats = "850.1.1.3.4"
    rows = agent_of(
        "850.1.1.1",
        {
            f"{ats}.2.1.1.6.1": 27,
            f"{ats}.3.3.1.1.2.1.4": "node 4",
            **table(f"{ats}.3.4.1.1", {"1.1": {3: 2297, 4: 350, 5: 1600, 8: 790, 9: 98}}),
        },
    )
    rows += gauges(
        {
            f"{ats}.3.1.2.1.4.1.1.1": 500,
            f"{ats}.3.1.2.1.5.1.1.1": 2310,
            f"{ats}.3.1.2.1.5.1.2.1": 2275,
            f"{ats}.3.2.1.1.5.1.1": 350,
            f"{ats}.3.2.1.1.8.1.1": 790,
            f"{ats}.3.2.1.1.12.1.1": 81,
            f"{ats}.2.1.1.9.1": 790,
            f"{ats}.3.3.1.1.8.1.4": 120,
        }
    )
    name, values = await found_and_read(rows)
    assert name == "tripplite-ats"
    assert values == {
        "input/1/l1:frequency": 50,
        "input/1/l1:voltage": 231,
        "input/2/l1:voltage": 227.5,
        "output/1:current": 3.5,
        "output/1:power": 790,
        "output/1:apparent_power": 810,
        "output:power": 790,
        "outlet/4:current": 1.2,
        "bank/1:voltage": 229.7,
        "bank/1:current": 3.5,
        "bank/1:power": 790,
        "bank/1:power_factor": 0.98,
        "ambient:temperature": 27,
    }


async def test_tripplite_pdu_of_the_second_device():
    pdu = "850.1.1.3.2.3"
    rows = gauges({f"{pdu}.1.2.1.7.2.1": 812, f"{pdu}.2.1.1.12.2.1": 21})
    name, values = await found_and_read([*agent_of("850.1.1.1", {}), *rows])
    assert (name, values) == (
        "tripplite-pdu",
        {"unit/2/inlet/l1:current": 8.12, "unit/2/output/1:apparent_power": 210},
    )


LMG = {
    ":READ:POWER:ACTIVE1?": "2.315400E+02",
    ":FETCH:POWER:APPARENT1?": "2.330000E+02",
    ":FETCH:POWER:REACTIVE1?": "2.600000E+01",
    ":FETCH:POWER:PFACTOR1?": "9.937000E-01",
    ":FETCH:VOLTAGE:TRMS1?": "2.301000E+02",
    ":FETCH:CURRENT:TRMS1?": "1.012600E+00",
}


async def scpi_values(profile: str, readings: Mapping[str, str]) -> tuple[str, dict[str, float], list[str]]:
    meter = Meter(dict(readings), idn="ZES ZIMMER Electronic Systems GmbH, LMG671, 00012345, 4.015")
    async with serving_meter(meter) as url:
        device = PolledDevice("meter", profile, Address.parse(url), timeout_s=1.0)
        known = find(profile) if profile != "auto" else await identify(device)
        assert isinstance(known, ScpiProfile)
        driver = ScpiDriver(device, known)
        await driver.open()
        try:
            frame = (await driver.read({"main"})).frames[0]
        finally:
            await driver.close()
    values = {series.key: value for series, value in zip(frame.layout.series, frame.values, strict=True)}
    return known.name, values, meter.heard


async def test_lmg600():
    name, values, heard = await scpi_values("auto", LMG)
    assert name == "zes-lmg600"
    assert values == {
        "total:power": 231.54,
        "total:apparent_power": 233.0,
        "total:reactive_power": 26.0,
        "total:power_factor": 0.9937,
        "total:voltage": 230.1,
        "total:current": 1.0126,
    }
    assert [line for line in heard if line != "*IDN?"][:6] == list(LMG)  # a new cycle first, then what is of it


async def test_lmg600_of_three_channels():
    others = {query.replace(":READ", ":FETCH").replace("1?", f"{n}?"): f"{n}.5E+01" for n in (2, 3) for query in LMG}
    _, values, heard = await scpi_values("zes-lmg600-3", {**LMG, **others})
    assert (values["total/l1:power"], values["total/l2:power"], values["total/l3:current"]) == (231.54, 25.0, 35.0)
    assert sum(line.startswith(":READ") for line in heard if line != "*IDN?") >= 1
    assert len(values) == 18
