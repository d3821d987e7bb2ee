"""Rack PDUs, power shelves and a BMC with the names of the Redfish standard, over real HTTP; the numbers are ours."""

import pytest

from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.polling.drivers import driver_for, identify
from collectors.profiles.profile import Profile
from tests.redfish_service import Service, collection, root, serving

pytestmark = pytest.mark.anyio

V1 = "/redfish/v1"
EQUIPMENT = f"{V1}/PowerEquipment"
PDU = f"{EQUIPMENT}/RackPDUs/1"
SHELF = f"{EQUIPMENT}/PowerShelves/1"
CHASSIS = f"{V1}/Chassis/shelf"


def to(path):
    return {"@odata.id": path}


def reading(value, **more):
    return {"Reading": value, **more}


def power(watts, va=None, var=None, factor=None):
    told = {"Reading": watts, "ApparentVA": va, "ReactiveVAR": var, "PowerFactor": factor}
    return {name: value for name, value in told.items() if value is not None}


def equipment(kind, unit, parts, **told):
    """A service with one unit of a kind and its parts by path behind it; members of a collection have a slash."""
    links = {name.partition("/")[0]: to(f"{unit}/{name.partition('/')[0]}") for name in parts}
    found = {
        V1: root(PowerEquipment=EQUIPMENT),
        EQUIPMENT: {kind: to(f"{EQUIPMENT}/{kind}")},
        f"{EQUIPMENT}/{kind}": collection(unit),
        unit: {**to(unit), "Manufacturer": "Contoso", "Model": "Z1", **told, **links},
    }
    for name, body in parts.items():
        at = f"{unit}/{name}"
        found[at] = {**to(at), **body}
        if "/" in name:
            members = [f"{unit}/{other}" for other in parts if other.startswith(f"{name.partition('/')[0]}/")]
            found[at.rpartition("/")[0]] = collection(*members)
    return found


async def read(resources, profile="auto"):
    """The driver and every value of one poll by series."""
    async with serving(Service(resources)) as url:
        driver = await driver_for(PolledDevice("pdu-1", profile, Address.parse(url)))
        try:
            await driver.open()
            poll = await driver.read({layout.group for layout in driver.layouts()})
        finally:
            await driver.close()
    assert poll.notes == []
    rows = [(series, value) for f in poll.frames for series, value in zip(f.layout.series, f.values, strict=True)]
    return driver, {series.key: value for series, value in rows if value == value}


async def known_as(resources):
    async with serving(Service(resources)) as url:
        found: Profile = await identify(PolledDevice("pdu-1", "auto", Address.parse(url)))
    return found.name


THREE_PHASE = {
    "Metrics": {
        "PowerWatts": power(5100, 5200, 300, 0.98), "EnergykWh": reading(12.5), "TemperatureCelsius": reading(44),
    },
    "Mains/AC1": {
        "PowerWatts": power(5100, 5200, 300, 0.98), "EnergykWh": reading(12.5), "FrequencyHz": reading(50.1),
        "PolyPhaseVoltage": {
            "Line1ToNeutral": reading(230.5), "Line2ToNeutral": reading(231.5), "Line3ToNeutral": reading(None),
            "Line1ToLine2": reading(399.0), "Line2ToLine3": reading(400.0), "Line3ToLine1": reading(401.0),
        },
        "PolyPhaseCurrentAmps": {"Line1": reading(8.5), "Line2": reading(7.5), "Neutral": reading(1.25)},
        "PolyPhasePowerWatts": {
            "Line1ToNeutral": power(1900, 1950, -90, 0.97), "Line2ToNeutral": power(1700, 1725, 60, 0.99),
        },
    },
    "Branches/A": {
        "PowerWatts": power(1900, 1950, -90, 0.97), "CurrentAmps": reading(8.5), "Voltage": reading(230.5),
        "FrequencyHz": reading(50.1), "EnergykWh": reading(4.0),
    },
    "Outlets/A1": {
        "PowerWatts": power(190, 195, 9, 0.97), "CurrentAmps": reading(0.85), "Voltage": reading(230.5),
        "FrequencyHz": reading(50.1), "EnergykWh": reading(0.5),
    },
    "Outlets/A2": {"Status": {"State": "Absent"}, "PowerWatts": power(0)},
}  # fmt: skip


async def test_a_three_phase_rack_pdu():
    driver, found = await read(equipment("RackPDUs", PDU, THREE_PHASE))
    assert (driver.vendor, driver.model) == ("Contoso", "Z1")
    assert found == {
        "inlet:power": 5100.0, "inlet:apparent_power": 5200.0, "inlet:reactive_power": 300.0,
        "inlet:power_factor": 0.98, "inlet:energy": 45e6,  # 12.5 kWh
        "main/AC1:power": 5100.0, "main/AC1:apparent_power": 5200.0, "main/AC1:reactive_power": 300.0,
        "main/AC1:power_factor": 0.98, "main/AC1:energy": 45e6, "main/AC1:frequency": 50.1,
        "main/AC1/l1:voltage": 230.5, "main/AC1/l1:current": 8.5, "main/AC1/l1:power": 1900.0,
        "main/AC1/l1:apparent_power": 1950.0, "main/AC1/l1:reactive_power": -90.0, "main/AC1/l1:power_factor": 0.97,
        "main/AC1/l2:voltage": 231.5, "main/AC1/l2:current": 7.5, "main/AC1/l2:power": 1700.0,
        "main/AC1/l2:apparent_power": 1725.0, "main/AC1/l2:reactive_power": 60.0, "main/AC1/l2:power_factor": 0.99,
        "main/AC1/line-to-line/1:voltage": 399.0, "main/AC1/line-to-line/2:voltage": 400.0,
        "main/AC1/line-to-line/3:voltage": 401.0, "main/AC1/n:current": 1.25,
        "branch/A:power": 1900.0, "branch/A:apparent_power": 1950.0, "branch/A:reactive_power": -90.0,
        "branch/A:power_factor": 0.97, "branch/A:current": 8.5, "branch/A:voltage": 230.5,
        "branch/A:frequency": 50.1, "branch/A:energy": 14.4e6,
        "outlet/A1:power": 190.0, "outlet/A1:apparent_power": 195.0, "outlet/A1:reactive_power": 9.0,
        "outlet/A1:power_factor": 0.97, "outlet/A1:current": 0.85, "outlet/A1:voltage": 230.5,
        "outlet/A1:frequency": 50.1, "outlet/A1:energy": 1.8e6,
    }  # fmt: skip


async def test_probes_of_the_draft():
    metrics = {
        "TemperatureSensors": [
            reading(24.5, ReadingUnits="C", PhysicalContext="Cabinet"),
            reading(51.0, ReadingUnits="C", PhysicalContext="Chassis"),
        ],
        "HumiditySensors": [reading(40, ReadingUnits="%", PhysicalContext="Cabinet")],
    }
    _, found = await read(equipment("RackPDUs", PDU, {"Metrics": metrics}))
    assert found == {"probe/1:temperature": 24.5, "probe/1:humidity": 40.0}


SUPPLY = {
    "InputPowerWatts": reading(700), "OutputPowerWatts": reading(665), "InputVoltage": reading(240.5),
    "InputCurrentAmps": reading(2.95), "FrequencyHz": reading(50.1), "EnergykWh": reading(3.0),
    "TemperatureCelsius": reading(47),
}  # fmt: skip

ONE_SHELF = {
    "Metrics": {"PowerWatts": power(1500, 1520, 80, 0.99), "EnergykWh": reading(7.5)},
    "Mains/AC1": {
        "Voltage": reading(240.5), "CurrentAmps": reading(6.25), "PowerWatts": power(1500, 1520, 80, 0.99),
        "FrequencyHz": reading(50.1),
    },
    "Branches/DC": {
        "VoltageType": "DC", "Voltage": reading(48.5), "CurrentAmps": reading(29.0), "PowerWatts": power(1406.5),
        "EnergykWh": reading(6.5),
    },
    "Branches/AUX": {"VoltageType": "AC", "CurrentAmps": reading(0.5), "PowerWatts": power(100, 120, None, 0.83)},
    "Outlets/A1": {"Voltage": reading(240.5), "CurrentAmps": reading(0.5), "PowerWatts": power(100)},
}  # fmt: skip

SHELF_VALUES = {
    "inlet:power": 1500.0, "inlet:apparent_power": 1520.0, "inlet:reactive_power": 80.0, "inlet:power_factor": 0.99,
    "inlet:energy": 27e6,  # 7.5 kWh
    "main/AC1:voltage": 240.5, "main/AC1:current": 6.25, "main/AC1:power": 1500.0, "main/AC1:apparent_power": 1520.0,
    "main/AC1:reactive_power": 80.0, "main/AC1:power_factor": 0.99, "main/AC1:frequency": 50.1,
    "output/DC:voltage": 48.5, "output/DC:current": 29.0, "output/DC:power": 1406.5, "output/DC:energy": 23.4e6,
    "branch/AUX:current": 0.5, "branch/AUX:power": 100.0, "branch/AUX:apparent_power": 120.0,
    "branch/AUX:power_factor": 0.83,
    "outlet/A1:voltage": 240.5, "outlet/A1:current": 0.5, "outlet/A1:power": 100.0,
    "psu/2:power": 700.0, "psu/2:voltage": 240.5, "psu/2:current": 2.95, "psu/2:frequency": 50.1,
    "psu/2:energy": 10.8e6, "psu-output/2:power": 665.0,
}  # fmt: skip


def with_chassis_supplies(resources, **chassis):
    supplies = f"{CHASSIS}/PowerSubsystem/PowerSupplies"
    return resources | {
        f"{V1}/Chassis": collection(CHASSIS),
        CHASSIS: {**to(CHASSIS), "PowerSubsystem": to(f"{CHASSIS}/PowerSubsystem"), **chassis},
        f"{CHASSIS}/PowerSubsystem": {"PowerSupplies": to(supplies)},
        supplies: collection(f"{supplies}/2"),
        f"{supplies}/2": {"Metrics": to(f"{supplies}/2/Metrics")},
        f"{supplies}/2/Metrics": SUPPLY,
    }


async def test_a_power_shelf_with_its_supplies_below_the_chassis():
    _, found = await read(with_chassis_supplies(equipment("PowerShelves", SHELF, ONE_SHELF)))
    assert found == SHELF_VALUES


async def test_a_power_shelf_with_its_supplies_below_itself():
    parts = ONE_SHELF | {"PowerSupplies/2": {"Metrics": to(f"{SHELF}/PowerSupplies/2/Metrics")}}
    resources = equipment("PowerShelves", SHELF, parts)
    driver, found = await read(resources | {f"{SHELF}/PowerSupplies/2/Metrics": SUPPLY})
    assert (driver.vendor, driver.model) == ("Contoso", "Z1")
    assert found == SHELF_VALUES


async def test_a_shelf_power_without_direction_is_no_inlet():
    parts = {"Metrics": {"PowerWatts": power(1500), "EnergykWh": reading(7.5)}}
    _, found = await read(equipment("PowerShelves", SHELF, parts))
    assert found == {"total:power": 1500.0, "total:energy": 27e6}


async def test_sensors_of_a_shelf():
    parts = {
        "Sensors/in": {"ReadingType": "Power", "Reading": 1500, "ReadingUnits": "W"},
        "Sensors/out": {"ReadingType": "EnergykWh", "Reading": 7.5, "ReadingUnits": "kW.h"},
        "Sensors/air": {"ReadingType": "Temperature", "Reading": 25, "ReadingUnits": "Cel"},
    }
    _, found = await read(equipment("PowerShelves", SHELF, parts))
    assert found == {"sensor/in:power": 1500.0, "sensor/out:energy": 27e6}


async def test_what_is_known_as_what():
    shelf = with_chassis_supplies(equipment("PowerShelves", SHELF, ONE_SHELF))
    delta = with_chassis_supplies(shelf, Manufacturer="Delta", ChassisType="Shelf")
    assert await known_as(shelf) == "redfish-power-equipment-shelf"
    assert await known_as(delta) == "redfish-powershelf"  # whose sensors say more than the tree
    assert await known_as(equipment("RackPDUs", PDU, THREE_PHASE)) == "redfish-pdu"


async def test_what_a_bmc_tells_beside_its_power():
    supply = SUPPLY | {"InputPowerWatts": power(700, 720, 50, 0.97)}
    resources = with_chassis_supplies({V1: root()}, EnvironmentMetrics=to(f"{CHASSIS}/EnvironmentMetrics"))
    resources[f"{CHASSIS}/EnvironmentMetrics"] = {"PowerWatts": power(690, 710, 40, 0.97)}
    resources[f"{CHASSIS}/PowerSubsystem/PowerSupplies/2/Metrics"] = supply
    _, found = await read(resources, "redfish-server")
    assert found == {
        "total:power": 690.0, "total:apparent_power": 710.0, "total:reactive_power": 40.0, "total:power_factor": 0.97,
        "psu/2:power": 700.0, "psu/2:apparent_power": 720.0, "psu/2:reactive_power": 50.0, "psu/2:power_factor": 0.97,
        "psu/2:voltage": 240.5, "psu/2:current": 2.95, "psu/2:frequency": 50.1, "psu/2:energy": 10.8e6,
        "psu/2:temperature": 47.0, "psu-output/2:power": 665.0,
    }  # fmt: skip
