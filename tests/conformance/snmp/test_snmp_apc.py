"""Recordings of real PDUs, served by a real agent over UDP and probed.

The expected numbers are computed by hand from the raw numbers in the recordings and the units of the vendors' MIBs:
PowerNet-MIB rPDU2 (power 0.01 kW, energy 0.1 kWh, current 0.1 A, −1 not supported) and PDU2-MIB (the recording's own
decimal digits: current 3, voltage, power and energy 0, power factor 2, frequency and temperature 1).
"""

import pytest

from collectors.contract.address import Address
from collectors.contract.frame import Quantity
from collectors.device.device import PolledDevice
from collectors.polling.drivers import driver_for
from collectors.tools.probe_device import ProbeReport, probe
from tests.conformance.captures import capture
from tests.conformance.snmp.snmp_coverage import coverages
from tests.snmprec_agent import read_snmprec, serving

pytestmark = [pytest.mark.anyio, pytest.mark.conformance, pytest.mark.timeout(300)]

PX3_OUTLETS_W = {
    1: 143, 2: 207, 3: 169, 4: 0, 5: 0, 6: 0, 7: 0, 8: 0, 9: 0, 10: 52, 11: 0, 12: 0,
    13: 390, 14: 0, 15: 0, 16: 0, 17: 0, 18: 0, 19: 52, 20: 0, 21: 56, 22: 52, 23: 0, 24: 550,
}  # fmt: skip
PX3_OUTLETS_KWH = {1: 5812.658, 2: 6564.342, 12: 0.620}


async def probed(name: str) -> ProbeReport:
    async with serving(read_snmprec(capture(f"snmp/snmprec/{name}.snmprec"))) as agent:
        return await probe(agent.url)


def values(report: ProbeReport) -> dict[str, float]:
    return {f"{r.point}:{r.quantity}": r.value for r in report.readings}


async def test_apc_ap8853():
    report = await probed("apc_ap8853")
    assert (report.profile, report.model) == ("apc-rpdu2", "AP8853")
    assert values(report) == {
        "inlet:power": 1140.0,  # 114
        "inlet:apparent_power": 1190.0,  # 119
        "inlet:power_factor": 0.96,  # 96
        "inlet:energy": 12_646_080_000.0,  # 35128 → 3512.8 kWh
        "inlet/l1:current": 4.9,  # 49
        "inlet/l1:voltage": 242.0,  # 242
        "inlet/l1:power": 1140.0,  # 114
        "inlet/l1:apparent_power": 1190.0,  # 119
        "inlet/l1:power_factor": 0.96,  # 96
        "bank/1:current": 0.0,  # 0
        "bank/2:current": 4.7,  # 47
    }
    assert set(report.missing) == {"bank/*", "outlet/*", "probe/1:temperature", "probe/1:humidity"}


async def test_apc_ap8959eu3():
    report = await probed("apc_ap8959eu3")
    assert (report.profile, report.model) == ("apc-rpdu2", "AP8959EU3")
    assert values(report) == {
        "inlet:power": 270.0,  # 27
        "inlet:apparent_power": 300.0,  # 30
        "inlet:power_factor": 0.82,  # 82
        "inlet:energy": 7_083_720_000.0,  # 19677 → 1967.7 kWh
        "inlet/l1:current": 1.3,  # 13
        "inlet/l1:voltage": 231.0,  # 231
        "inlet/l1:power": 250.0,  # 25
        "inlet/l1:apparent_power": 300.0,  # 30
        "inlet/l1:power_factor": 0.82,  # 82
    }


async def test_apc_ap7900b_measures_current_alone():
    report = await probed("apc_ap7900b")
    assert values(report) == {"inlet/l1:current": 2.7}  # everything else reads −1


async def test_raritan_px3_inlet_banks_and_probes():
    report = await probed("raritan-pdu_px3")
    assert (report.profile, report.vendor, report.model) == ("raritan-px2", "Raritan", "PX3-5493U-K2")
    found = values(report)
    inlet = {key: value for key, value in found.items() if key.startswith("inlet")}
    assert inlet == {
        "inlet:current": 7.467,  # 7467 mA
        "inlet:voltage": 229.0,
        "inlet:power": 1665.0,
        "inlet:apparent_power": 1751.0,
        "inlet:power_factor": 0.98,  # 98, two digits
        "inlet:energy": 266_607_633_600.0,  # 74057676 Wh
        "inlet:frequency": 50.0,  # 500, one digit
    }
    assert (found["bank/1:current"], found["bank/2:current"]) == (0.485, 0.333)
    assert (found["probe/1:temperature"], found["probe/2:temperature"]) == (23.1, 29.8)
    assert not any(key.startswith("probe/3") for key in found)  # a door contact is no thermometer


async def test_raritan_px3_outlets():
    report = await probed("raritan-pdu_px3")
    found = values(report)
    assert {n: found[f"outlet/{n}:power"] for n in range(1, 25)} == PX3_OUTLETS_W
    for n, kwh in PX3_OUTLETS_KWH.items():
        assert found[f"outlet/{n}:energy"] == pytest.approx(kwh * 3.6e6, rel=1e-12)
    assert (found["outlet/1:current"], found["outlet/2:current"]) == (0.633, 0.927)
    labels = {r.point: r.label for r in report.readings}
    assert labels["outlet/24"] == "DEVICE 1:PS1:Installed"
    assert sum(PX3_OUTLETS_W.values()) == 1671  # the inlet says 1665: 0.4 % apart


async def test_raritan_px2():
    report = await probed("raritan-pdu_px2-temp")
    assert values(report) == {
        "inlet:current": 3.497,
        "inlet:voltage": 209.0,
        "inlet:power": 673.0,
        "inlet:frequency": 60.0,
        "probe/1:temperature": 22.9,
        "probe/2:humidity": 15.0,
        "probe/3:temperature": 22.6,
        "probe/4:temperature": 23.7,
    }


def test_no_other_recording_is_taken_for_one_of_these():
    capture("snmp/snmprec")
    taken = {(c.capture, c.profile) for c in coverages().values() if c.profile in {"apc-rpdu2", "raritan-px2"}}
    assert taken == {
        ("apc_ap7900b", "apc-rpdu2"),
        ("apc_ap8853", "apc-rpdu2"),
        ("apc_ap8959eu3", "apc-rpdu2"),
        ("raritan-pdu_px2-temp", "raritan-px2"),
        ("raritan-pdu_px3", "raritan-px2"),
    }


async def test_px3_tells_what_its_outlets_and_breakers_may_carry():
    async with serving(read_snmprec(capture("snmp/snmprec/raritan-pdu_px3.snmprec"))) as agent:
        driver = await driver_for(PolledDevice("pdu-a", "raritan-px2", Address.parse(agent.url)))
        await driver.open()
        layouts = driver.layouts()
        await driver.close()
    rated = {s.point: s.rated for layout in layouts for s in layout.series if s.quantity is Quantity.CURRENT}
    assert {point: rated[point] for point in ("inlet", "bank/1", "outlet/1", "outlet/24")} == {
        "inlet": 32.0,  # "32A"
        "bank/1": 16.0,  # "16A"
        "outlet/1": 10.0,  # "10A"
        "outlet/24": 16.0,  # "16A"
    }
