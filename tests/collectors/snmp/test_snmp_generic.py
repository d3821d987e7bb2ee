"""Standard MIBs: read where no profile of a maker fits, and beside one for what it lacks, each value once."""

import pytest

from collectors.contract.frame import Quantity
from collectors.polling.drivers import identify
from collectors.profiles.registry import find
from collectors.protocols.snmp.driver import SnmpDriver
from collectors.protocols.snmp.places import Places
from tests.collectors.agents import apc_rows, by_key, snmp_device
from tests.snmprec_agent import serving

pytestmark = pytest.mark.anyio
INTEGER, TEXT, OBJECT_ID, GAUGE = 2, 4, 6, 66
UPS, SENSOR, ENTITY = "1.3.6.1.2.1.33.1", "1.3.6.1.2.1.99.1.1.1", "1.3.6.1.2.1.47.1.1.1.1"
DELL = "1.3.6.1.4.1.674.10902.2"


async def read_all(rows, profile=None):
    """Profile, readings, labels and notes of an agent with these rows."""
    async with serving(rows) as agent:
        device = snmp_device(agent.url, "auto", timeout_s=2.0)
        found = find(profile) if profile else await identify(device)
        driver = SnmpDriver(device, found)
        await driver.open()
        poll = await driver.read({layout.group for layout in driver.layouts()})
        await driver.close()
    values = {key: value for frame in poll.frames for key, value in by_key(frame).items()}
    labels = {series.key: series.label for frame in poll.frames for series in frame.layout.series}
    return found.name, values, labels, poll


def ups_mib(lines: int = 1):
    rows = [
        (f"{UPS}.2.5.0", INTEGER, 545),
        (f"{UPS}.2.7.0", INTEGER, 25),
        (f"{UPS}.4.1.0", INTEGER, 3),
        (f"{UPS}.4.2.0", INTEGER, 499),
    ]
    for n in range(1, lines + 1):
        rows += [
            (f"{UPS}.3.3.1.2.{n}", INTEGER, 500),
            (f"{UPS}.3.3.1.3.{n}", INTEGER, 230),
            (f"{UPS}.4.4.1.2.{n}", INTEGER, 229),
            (f"{UPS}.4.4.1.3.{n}", INTEGER, 15),
            (f"{UPS}.4.4.1.4.{n}", INTEGER, 310),
            (f"{UPS}.4.4.1.5.{n}", INTEGER, 12),
        ]
    return rows


async def test_a_dell_ups_is_read_by_its_own_objects_and_by_ups_mib():
    dell = [
        ("1.3.6.1.2.1.1.2.0", OBJECT_ID, DELL),
        (f"{DELL}.120.2.6.0", INTEGER, 307),
        (f"{DELL}.120.2.9.0", INTEGER, 355),
    ]
    name, values, _, _ = await read_all([*dell, *ups_mib()])
    assert name == "dell-ups"
    assert values == {
        "output/hour:power": 307.0,
        "output:apparent_power": 355.0,
        "battery:voltage": 54.5,
        "battery:temperature": 25.0,
        "output:frequency": pytest.approx(49.9),
        "input/l1:frequency": 50.0,
        "input/l1:voltage": 230.0,
        "output/l1:voltage": 229.0,
        "output/l1:current": 1.5,
        "output/l1:power": 310.0,
        "output/l1:utilization": 12.0,
    }


APC = "1.3.6.1.4.1.318.1.1.1"


async def test_the_more_precise_source_is_read_and_each_value_once():
    apc = [
        ("1.3.6.1.2.1.1.2.0", OBJECT_ID, "1.3.6.1.4.1.318.1.3.27"),
        (f"{APC}.4.1.1.0", INTEGER, 2),
        (f"{APC}.4.3.1.0", GAUGE, 2294),
        (f"{APC}.4.3.2.0", GAUGE, 500),
        (f"{APC}.3.3.1.0", GAUGE, 2301),
        (f"{APC}.2.3.4.0", INTEGER, 547),
    ]
    name, values, _, _ = await read_all([*apc, *ups_mib()])
    assert name == "apc-ups"
    assert values["output:voltage"] == pytest.approx(229.4)
    assert values["battery:voltage"] == pytest.approx(54.7)
    assert not {"output/l1:voltage", "input/l1:voltage"} & values.keys()
    assert values["output/l1:current"] == 1.5
    _, three, _, _ = await read_all([*apc, *ups_mib(lines=3)])
    assert {f"output/l{n}:voltage" for n in (1, 2, 3)} <= three.keys()
    assert [key for key in three if key.endswith("frequency") and key.startswith("output")] == ["output:frequency"]


async def test_a_profile_that_reads_the_standard_itself_decides_alone():
    rows = [("1.3.6.1.2.1.1.2.0", OBJECT_ID, "1.3.6.1.4.1.2254.2.5"), *ups_mib()]
    rows = [(oid, tag, 2301 if oid.startswith(f"{UPS}.3.3.1.3") else value) for oid, tag, value in rows]
    name, values, _, _ = await read_all(rows)
    assert (name, values["input/l1:voltage"]) == ("delta-ups", pytest.approx(230.1))


def sensors():
    """ENTITY-SENSOR-MIB of RFC 3433: type, scale, precision, value, status."""
    rows = []
    for n, (kind, scale, digits, value, status) in {
        1: (8, 9, 1, 245, 1),
        2: (6, 10, 2, 125, 1),
        3: (4, 9, 1, 2301, 2),
        4: (10, 9, 0, 4200, 1),
    }.items():
        for column, number in enumerate((kind, scale, digits, value, status), 1):
            rows.append((f"{SENSOR}.{column}.{n}", INTEGER, number))
    return [*rows, (f"{ENTITY}.7.1", TEXT, "Inlet air"), (f"{ENTITY}.7.2", TEXT, ""), (f"{ENTITY}.2.2", TEXT, "Feed A")]


async def test_any_agent_with_entity_sensors_is_read_and_labelled_by_entity_mib():
    name, values, labels, _ = await read_all(sensors())
    assert (name, find(name).is_generic) == ("entity-sensor", True)
    assert {key: value for key, value in values.items() if value == value} == {
        "sensor/1:temperature": pytest.approx(24.5),
        "sensor/2:power": pytest.approx(1250.0),
    }
    assert (labels["sensor/1:temperature"], labels["sensor/2:power"]) == ("Inlet air", "Feed A")


async def test_a_sensor_without_a_place_adds_only_quantities_that_nothing_else_reads():
    name, values, _, poll = await read_all([*apc_rows(), *sensors()])
    assert name == "apc-rpdu2"
    added = {
        series.key for frame in poll.frames if frame.layout.group == "entity-sensor" for series in frame.layout.series
    }
    assert added == {"sensor/3:voltage"}
    assert {"inlet:power", "probe/1:temperature"} <= values.keys()


async def test_energy_objects_are_read_in_their_own_magnitude_and_only_where_they_are_measured():
    power, attributes = "1.3.6.1.2.1.229.1.2.1", "1.3.6.1.2.1.230.1.1.1"
    rows = [
        (f"{power}.1.1", INTEGER, 2875), (f"{power}.3.1", INTEGER, -1), (f"{power}.5.1", INTEGER, 3),
        (f"{power}.1.2", INTEGER, 60), (f"{power}.3.2", INTEGER, 0), (f"{power}.5.2", INTEGER, 5),
        (f"{attributes}.2.1", INTEGER, 2304), (f"{attributes}.3.1", GAUGE, 1), (f"{attributes}.4.1", INTEGER, 4998),
        (f"{attributes}.5.1", INTEGER, -1), (f"{attributes}.9.1", INTEGER, 3010),
        (f"{ENTITY}.7.1", TEXT, "Chassis 1"),
    ]  # fmt: skip
    name, values, labels, _ = await read_all(rows)
    assert name == "energy-object"
    assert {key: value for key, value in values.items() if value == value} == {
        "entity/1:power": pytest.approx(287.5),
        "entity/1:voltage": pytest.approx(230.4),
        "entity/1:current": 1.0,
        "entity/1:frequency": pytest.approx(49.98),
        "entity/1:apparent_power": pytest.approx(301.0),
    }
    assert labels["entity/1:power"] == "Chassis 1"


async def test_power_over_ethernet_and_board_sensors():
    poe, lm = "1.3.6.1.2.1.105.1.3.1.1", "1.3.6.1.4.1.2021.13.16"
    rows = [
        (f"{poe}.2.1", GAUGE, 370), (f"{poe}.3.1", INTEGER, 1), (f"{poe}.4.1", GAUGE, 214),
        (f"{poe}.3.2", INTEGER, 2), (f"{poe}.4.2", GAUGE, 7),
        (f"{lm}.2.1.2.1", TEXT, "Core 0"), (f"{lm}.2.1.3.1", GAUGE, 41000), (f"{lm}.4.1.3.1", GAUGE, 11880),
    ]  # fmt: skip
    name, values, labels, _ = await read_all(rows)
    assert name == "power-ethernet"
    assert {key: value for key, value in values.items() if value == value} == {
        "poe/1:power": 214.0,
        "board/temperature/1:temperature": pytest.approx(41.0),
        "board/voltage/1:voltage": pytest.approx(11.88),
    }
    assert labels["board/temperature/1:temperature"] == "Core 0"


async def test_a_profile_that_fits_in_part_is_used_and_says_so():
    without_probe = [row for row in apc_rows() if not row[0].endswith("26.4.3.1.1.1")]
    name, values, _, poll = await read_all(without_probe)
    assert (name, values["inlet:power"]) == ("apc-rpdu2", 1140.0)
    assert [note.kind for note in poll.notes] == ["profile_fits_in_part"]
    assert "apc-rpdu2" in poll.notes[0].detail
    assert (await read_all(apc_rows()))[3].notes == []


@pytest.mark.parametrize(
    ("known", "point", "repeats"),
    [
        ("output", "output/l1", True),
        ("output/1/l1", "output/l1", True),
        ("ups/1/output", "output", True),
        ("inlet/l1", "input/l1", True),
        ("output/l2", "output/l1", False),
        ("bypass", "output", False),
    ],
)
def test_one_place_under_several_names(known, point, repeats):
    one_line = Places([(point, Quantity.VOLTAGE)])
    assert Places([(known, Quantity.VOLTAGE)]).has(point, Quantity.VOLTAGE, one_line) is repeats


def test_the_whole_of_three_lines_is_not_the_first_of_them():
    three = Places((f"output/l{n}", Quantity.POWER) for n in (1, 2, 3))
    assert not Places([("output", Quantity.POWER)]).has("output/l1", Quantity.POWER, three)
    assert Places([("output", Quantity.FREQUENCY)]).has("output/l3", Quantity.FREQUENCY, three)


async def test_a_standard_voltage_that_contradicts_the_makers_is_not_read_anywhere():
    """This card serves UPS-MIB in tenths of a volt: 229.4 V of its maker's objects are 2294 there."""
    apc = [
        ("1.3.6.1.2.1.1.2.0", OBJECT_ID, "1.3.6.1.4.1.318.1.3.27"),
        (f"{APC}.4.1.1.0", INTEGER, 2),
        (f"{APC}.4.3.1.0", GAUGE, 2294),
    ]
    tenths = {f"{UPS}.4.4.1.2.1": 2294, f"{UPS}.3.3.1.3.1": 2301}
    rows = [(oid, tag, tenths.get(oid, value)) for oid, tag, value in ups_mib()]
    _, values, _, _ = await read_all([*apc, *rows])
    assert values["output:voltage"] == pytest.approx(229.4)
    assert "input/l1:voltage" not in values
    assert values["output/l1:power"] == 310.0


async def test_an_agent_that_drops_requests_for_what_it_lacks_is_read_all_the_same():
    async with serving(apc_rows()) as agent:
        answer = agent.datagram_received
        standard = bytes([0x2B, 6, 1, 2, 1, 33])  # 1.3.6.1.2.1.33
        agent.datagram_received = lambda data, addr: None if standard in data else answer(data, addr)
        driver = SnmpDriver(snmp_device(agent.url, timeout_s=0.3), find("apc-rpdu2"))
        await driver.open()
        poll = await driver.read({layout.group for layout in driver.layouts()})
        await driver.close()
    assert by_key(poll.frames[0])["inlet:power"] == 1140.0
    assert poll.notes == []
