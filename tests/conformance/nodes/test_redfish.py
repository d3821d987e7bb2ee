"""Every Redfish mock-up that is kept, served by a real HTTP server; expected numbers read off the JSON of the resource
named beside them (W, V, A, Hz, J, °C)."""

import json

import pytest

from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.errors import BadAnswer
from collectors.polling.drivers import driver_for
from tests.conformance.captures import capture
from tests.redfish_service import Service, collection, crawl, mockup, root, serving

pytestmark = [pytest.mark.conformance, pytest.mark.anyio]

CHASSIS = "/redfish/v1/Chassis"


async def read(resources, options="", profile="auto"):
    """What the collector's own driver reads of a service: profile, model, values by series, driver, notes."""
    async with serving(Service(resources)) as url:
        driver = await driver_for(PolledDevice("bmc", profile, Address.parse(url + options)))
        try:
            await driver.open()
            layouts = driver.layouts()
            poll = await driver.read({layout.group for layout in layouts})
        finally:
            await driver.close()
    rows = [(series, value) for f in poll.frames for series, value in zip(f.layout.series, f.values, strict=True)]
    found = {series.key: value for series, value in rows if value == value}
    return driver, found, {series.key: series for series, _ in rows}, poll.notes


def loaded(path):
    return json.loads(capture(path).read_text())


def with_power(chassis, power):
    """A service with one chassis of which a capture has the chassis and its Power."""
    at = chassis["@odata.id"]
    body = {**chassis, "Power": {"@odata.id": f"{at}/Power"}}
    return {"/redfish/v1": root(), CHASSIS: collection(at), at: body, f"{at}/Power": power}


async def test_every_mock_up_is_here():
    assert {path.name for path in capture("redfish").iterdir() if path.is_dir()} == {
        "ceems", "dmtf_public_rackmount1", "dmtf_wip_rackpdu", "hpe_ilo", "kepler_mockups", "lambdalabs", "sushy",
        "supermicro_gb300", "telegraf",
        "ipmi",  # test_ipmi
        "_redfish_ctl_provenance",  # where the crawls come from
    }  # fmt: skip
    assert {path.name for path in capture("redfish/lambdalabs").iterdir() if path.is_dir()} == {
        "docs", "gb300_happypath", "powershelf_liteon", "powershelf_none",
        "golden",  # test_expositions
    }  # fmt: skip


async def test_hpe_ilo():
    driver, found, series, notes = await read(crawl(capture("redfish/hpe_ilo")))
    assert (driver.vendor, driver.model, notes) == ("HPE", "ProLiant DL380a Gen11", [])
    assert found == {
        "total:power": 565.0,  # Chassis/1/Power PowerControl[0].PowerConsumedWatts = 222 + 200 + 86 + 57 below
        "average:power": 521.0,  # PowerControl[0].PowerMetrics.AverageConsumedWatts, IntervalInMin 20
        "psu/1:voltage": 209.0,  # Power PowerSupplies[].LineInputVoltage
        "psu/2:voltage": 209.0,
        "psu/3:voltage": 208.0,
        "psu/4:voltage": 208.0,
        "psu-output/1:power": 222.0,  # Power PowerSupplies[].LastPowerOutputWatts
        "psu-output/2:power": 200.0,
        "psu-output/3:power": 86.0,
        "psu-output/4:power": 57.0,
    }
    assert series["average:power"].sensor == "average over 20 min"
    assert series["total:power"].sensor == "the BMC's present reading"


async def test_dmtf_rack_mount_server():
    resources = mockup(capture("redfish/dmtf_public_rackmount1")) | {"/redfish/v1": root()}
    driver, found, _, notes = await read(resources)
    assert (driver.vendor, driver.model, notes) == ("Contoso", "3500RX", [])
    assert found == {
        "total:power": 374.0,  # Chassis/1U/EnvironmentMetrics PowerWatts.Reading, not the 344 of the retired Power
        "total:power_limit": 500.0,  # EnvironmentMetrics PowerLimitWatts.SetPoint
        "environment:temperature": 39.0,  # EnvironmentMetrics TemperatureCelsius
        "average:power": 319.0,  # Power PowerControl[0].PowerMetrics.AverageConsumedWatts, IntervalInMin 30
        "psu/Bay1:power": 937.4,  # PowerSubsystem/PowerSupplies/Bay1/Metrics InputPowerWatts
        "psu/Bay1:energy": 325675 * 3.6e6,  # … EnergykWh
        "psu/Bay1:voltage": 230.2,  # … InputVoltage
        "psu/Bay1:current": 5.19,  # … InputCurrentAmps
        "psu/Bay1:frequency": 60.0,  # … FrequencyHz
        "psu/Bay1:temperature": 43.9,  # … TemperatureCelsius
        "psu-output/Bay1:power": 937.4,  # … OutputPowerWatts
        "voltage/1:voltage": 12.0,  # Power Voltages[0].ReadingVolts
        "voltage/2:voltage": 5.0,
        "sensor/TotalPower:power": 374.0,  # Sensors/TotalPower
        "sensor/PS1InputPower:power": 374.0,  # Sensors/PS1InputPower
        "sensor/TotalEnergy:energy": 325675 * 3.6e6,  # Sensors/TotalEnergy, kW.h
        "sensor/PS1Energy:energy": 7855 * 3.6e6,  # Sensors/PS1Energy, kW.h
    }  # Bay2 is absent, and Sensors/CPU1Power is no member of the collection


async def test_kepler_servers_behind_one_service():
    resources = mockup(capture("redfish/kepler_mockups/public-rackmount")) | {"/redfish/v1": root()}
    _, found, _, notes = await read(resources)
    assert [note.kind for note in notes] == ["whole_unknown"]
    assert "1U, 2U, 4U each report a power" in notes[0].detail
    assert not {"total:power", "psu/1:power"} & set(found)  # three servers: no point may stand for one node
    assert found["chassis/1U/total:power"] == 344.0  # Chassis/1U/Power PowerControl[0].PowerConsumedWatts
    assert found["chassis/2U/total:power"] == 450.0
    assert found["chassis/4U/total:power"] == 750.0


@pytest.mark.parametrize(
    ("chassis", "total", "average", "control", "output"),
    [("1U", 344.0, 319.0, 45.0, 325.0), ("2U", 450.0, 420.0, 65.0, 425.0), ("4U", 750.0, 720.0, 95.0, 725.0)],
)
async def test_kepler_one_chassis_asked_for(chassis, total, average, control, output):
    resources = mockup(capture("redfish/kepler_mockups/public-rackmount")) | {"/redfish/v1": root()}
    _, found, _, notes = await read(resources, f"?chassis={chassis}")
    assert notes == []
    assert found["total:power"] == total  # Power PowerControl[0].PowerConsumedWatts
    assert found["average:power"] == average  # … PowerMetrics.AverageConsumedWatts
    assert found["control/2:power"] == control  # PowerControl[1], never added to the first
    assert found["psu-output/1:power"] == output  # PowerSupplies[0].LastPowerOutputWatts
    assert not any(key.startswith("chassis/") for key in found)


async def test_gb300_tray():
    """The crawl left the chassis themselves out; here each links to what the crawl has of it."""
    resources = crawl(capture("redfish/supermicro_gb300"))
    for member in resources[CHASSIS]["Members"]:
        at = member["@odata.id"]
        parts = {name: {"@odata.id": f"{at}/{name}"} for name in ("EnvironmentMetrics", "Sensors", "PowerSubsystem")}
        resources[at] = {"@odata.id": at} | {n: p for n, p in parts.items() if p["@odata.id"] in resources}
    _, found, series, notes = await read(resources)
    assert [note.kind for note in notes] == ["whole_unknown"]
    assert "total:power" not in found
    gpus = {f"chassis/HGX_GPU_{n}/total:power": watts for n, watts in enumerate((231.958, 238.549, 242.524, 241.242))}
    assert {key: found[key] for key in gpus} == gpus  # Chassis/HGX_GPU_n/EnvironmentMetrics PowerWatts
    assert found["chassis/HGX_GPU_0/total:energy"] == 230057772.094  # … EnergyJoules, not EnergykWh
    assert found["chassis/HGX_CPU_0/total:energy"] == 98522328.913
    assert found["chassis/HGX_CPU_0/total:power_limit"] == 300.0
    assert found["chassis/HGX_Chassis_0/sensor/HGX_Chassis_0_TotalGPU_Power_0:power"] == 954.41
    assert series["chassis/HGX_GPU_0/total:energy"].sensor == "counter"
    _, asked, _, notes = await read(resources, "?chassis=Chassis_0")
    assert notes == []
    assert asked == {
        "total:power": 1349.263802,  # Chassis/Chassis_0/EnvironmentMetrics PowerWatts
        "sensor/Chassis_0_TotalHSC_Power_0:power": 1355.398772,  # its sensor, crawled at another moment
    }


async def test_lite_on_power_shelf():
    driver, found, _, _ = await read(mockup(capture("redfish/lambdalabs/powershelf_liteon/redfish/v1")))
    assert (driver.vendor, driver.model) == ("LITE-ON TECHNOLOGY CORP.", "PF-1333-7RB")
    assert found["inlet:power"] == 4252.0  # Chassis/powershelf/Sensors power_chassis_input_power
    assert found["output:power"] == 3928.0  # power_chassis_output_power
    assert [found[f"psu/{n}:power"] for n in range(1, 7)] == [759.0, 689.0, 683.0, 754.0, 688.0, 677.0]  # power_pN_pin
    assert [found[f"psu-output/{n}:power"] for n in range(1, 7)] == [711.0, 625.0, 621.0, 698.0, 642.0, 633.0]
    assert found["psu/1:voltage"] == 240.25  # voltage_p0_vin
    assert found["psu/6:current"] == 2.84  # current_p5_iin
    assert found["output:voltage"] == 49.73
    assert found["psu-output/1:voltage"] == 49.85  # voltage_p0_vout; with 14.23 A it makes the 711 W within 0.3 %
    assert found["psu-output/1:current"] == 14.23  # current_p0_iout
    assert found["psu-intake/1:temperature"] == 26.5  # temperature_p0_ambient
    assert found["psu-exhaust/1:temperature"] == 49.25  # temperature_p0_exhaust
    assert driver.missing == (  # Delta's alone
        "psu/*:energy",
        "inlet/l1:voltage",
        "inlet/l1:current",
        "inlet/l2:voltage",
        "inlet/l2:current",
        "inlet/l3:voltage",
        "inlet/l3:current",
        "psu/*:power_factor",
    )


async def test_a_server_that_measures_nothing():
    with pytest.raises(BadAnswer) as raised:
        await read(mockup(capture("redfish/lambdalabs/powershelf_none/redfish/v1")))
    assert raised.value.code == "nothing_to_read"


async def test_a_service_without_chassis():
    resources = mockup(capture("redfish/lambdalabs/gb300_happypath/redfish/v1"))
    with pytest.raises(BadAnswer) as raised:
        await read(resources, profile="redfish-server")
    assert raised.value.code == "nothing_to_read"


async def test_dmtf_rack_pdu():
    driver, found, _, _ = await read(mockup(capture("redfish/dmtf_wip_rackpdu")))
    assert (driver.vendor, driver.model) == ("Contoso", "ZAP4000")
    assert found["inlet:power"] == 6438.0  # PowerEquipment/RackPDUs/1/Metrics PowerSensor
    assert found["inlet:apparent_power"] == 6300.0
    assert [found[f"branch/{n}:power"] for n in "ABC"] == [937.4, 977.8, 816.5]  # Branches/n PowerSensor
    assert found["branch/B:apparent_power"] == 1104.2
    assert found["outlet/A1:power"] == 197.4  # Outlets/A1 PowerSensor
    assert found["outlet/B1:power_factor"] == 0.63
    assert found["outlet/C3:current"] == 1.74
    assert [found[f"main/AC1/l{n}:current"] for n in (1, 2, 3)] == [
        8.02,
        8.66,
        6.91,
    ]  # Mains/AC1 PolyPhaseCurrentSensors
    assert [found[f"main/AC1/l{n}:voltage"] for n in (1, 2, 3)] == [117.8, 116.6, 118.5]
    assert found["main/AC1:frequency"] == 60.0
    assert not [key for key in found if key.endswith(":energy")]  # told in "kW", which is no energy
    assert not [key for key in found if key.startswith(("outlet/A4", "outlet/A5"))]  # not monitored


async def test_telegraf_dell():
    chassis, power = (loaded(f"redfish/telegraf/dell/dell_{name}.json") for name in ("chassis", "power"))
    driver, found, _, _ = await read(with_power(chassis, power))
    assert (driver.vendor, driver.model) == ("Dell Inc.", "PowerEdge R640")
    assert found["total:power"] == 429.0  # Power PowerControl[0].PowerConsumedWatts
    assert found["average:power"] == 426.0  # IntervalInMin 1
    assert found["psu-output/1:power"] == 203.0  # PowerSupplies[0].PowerOutputWatts; LastPowerOutputWatts is null
    assert found["psu/1:voltage"] == 206.0
    assert "psu/1:power" not in found  # PowerInputWatts 900 is Range1MaxInputPowerWatts, the rating


@pytest.mark.parametrize("name", ["chassis", "power"])
async def test_telegraf_dell_broken_json(name):
    chassis, power = (loaded(f"redfish/telegraf/dell/dell_{part}.json") for part in ("chassis", "power"))
    resources = with_power(chassis, power)
    at = chassis["@odata.id"] if name == "chassis" else f"{chassis['@odata.id']}/Power"
    resources[at] = capture(f"redfish/telegraf/dell/dell_{name}invalid.json").read_text()
    with pytest.raises(BadAnswer) as raised:
        await read(resources, profile="redfish-server")
    assert raised.value.code == "nothing_to_read"


async def test_sushy_enclosure_of_blades():
    """The power of an enclosure: supplies and no PowerControl, so that nothing stands for a node."""
    at = f"{CHASSIS}/MultiBladeEncl"
    blade = loaded("redfish/sushy/chassis.json")
    resources = with_power({"@odata.id": at}, loaded("redfish/sushy/power.json"))
    resources |= {blade["@odata.id"]: blade, CHASSIS: collection(at, blade["@odata.id"])}
    _, found, _, _ = await read(resources)
    assert found == {
        "psu/1:voltage": 220.0,  # Power PowerSupplies[0].LineInputVoltage
        "psu/2:voltage": 222.0,
        "psu-output/1:power": 650.0,  # … LastPowerOutputWatts
        "psu-output/2:power": 635.0,
    }


async def test_ceems_two_chassis():
    one, two = (loaded(f"redfish/ceems/chassis_{n}.json") for n in (1, 2))
    resources = with_power(one, loaded("redfish/ceems/chassis_1_power.json"))
    resources |= with_power(two, loaded("redfish/ceems/chassis_2_power.json"))
    resources |= {"/redfish/v1": loaded("redfish/ceems/service_root.json")}
    resources[CHASSIS] = collection(one["@odata.id"], two["@odata.id"])
    _, found, _, notes = await read(resources)
    assert [note.kind for note in notes] == ["whole_unknown"]
    assert found["chassis/Chassis-1/total:power"] == 344.0  # Power PowerControl[0]
    assert found["chassis/Chassis-1/control/2:power"] == 53.0  # PowerControl[1]
    assert found["chassis/Chassis-2/total:power"] == 1696.0
    assert found["chassis/Chassis-2/average:power"] == 1734.0
