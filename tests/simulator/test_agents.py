"""Each agent through the collector's own driver over a real socket, and what the drivers never ask."""

import asyncio
from dataclasses import replace

import httpx
import numpy as np
import pytest
from pyasn1.codec.ber import decoder, encoder
from pysnmp.proto import api

from collectors.contract.address import Address
from collectors.contract.frame import Quantity as Q
from collectors.errors import CollectorError, ConfigError
from collectors.polling.drivers import driver_for
from collectors.profiles.registry import find
from collectors.protocols.modbus.client import ModbusClient
from collectors.simulator.agents.agents import AgentSet, polled
from collectors.simulator.agents.snmp_agent import SnmpAgent
from collectors.simulator.agents.snmp_table import numbers_of
from collectors.simulator.plant.facility_layout import FacilityLayout
from collectors.simulator.plant.plant import Plant

NOW = 1_792_000_800_000
V2C = api.PROTOCOL_MODULES[api.SNMP_VERSION_2C]
# what the last digit of each device is worth, half of it: PowerNet-MIB, PDU2-MIB with the digits told,
# powers of ten of the meter, decimals of the exposition
HALF_STEP = {
    "pdu-r07-a": {"inlet:power": 5, "inlet:energy": 180_000, "inlet/l1:current": 0.05, "outlet/1:power": 0.5},
    "pdu-r07-f": {"inlet:power": 0.5, "inlet:energy": 1800, "inlet/l3:current": 5e-4, "outlet/1:power_factor": 0.005},
    "pdu-r08-a": {"outlet/22:power": 0.5, "bank/6:current": 0.05, "probe/1:temperature": 0.05},
    "meter-r09": {"branch/1:power": 0.5, "branch/3:energy": 1800, "branch/2:current": 0.005},
    "hgx-01-exporter": {"gpu/0:power": 5e-4, "gpu/7:energy": 5e-4, "gpu/3:utilization": 0.5},
}


@pytest.mark.anyio
@pytest.mark.parametrize("device", HALF_STEP)
async def test_a_driver_reads_what_the_plant_says(plant: Plant, device: str):
    agents = AgentSet(plant, lambda: NOW)
    await agents.start([device], any_port=True)
    driver = await driver_for(polled(plant.facility.devices[device], agents.ports[device]))
    try:
        await driver.open()
        assert driver.missing == ()
        poll = await driver.read({"main", "environment"})
    finally:
        await driver.close()
        await agents.stop()
    read = {s.key: v for frame in poll.frames for s, v in zip(frame.layout.series, frame.values, strict=True)}
    for key, half_step in HALF_STEP[device].items():
        point, _, quantity = key.partition(":")
        true = plant.value(device, point, Q(quantity), np.array([NOW]))[0]
        assert read[key] == pytest.approx(true, abs=half_step * 1.000001, rel=0)


@pytest.mark.anyio
async def test_labels_ratings_and_identity_are_reported(plant: Plant):
    agents = AgentSet(plant, lambda: NOW)
    await agents.start(["pdu-r07-f", "hgx-01-exporter"], any_port=True)
    layouts = {}
    for device, port in agents.ports.items():
        driver = await driver_for(polled(plant.facility.devices[device], port))
        await driver.open()
        layouts[device] = {s.key: s for s in driver.layouts()[0].series}
        meter = driver.layouts()[0].meter
        await driver.close()
        assert meter in ("Raritan PX3-5902V", "NVIDIA dcgm")
    await agents.stop()
    assert layouts["pdu-r07-f"]["outlet/1:power"].label == "hgx-03"
    assert layouts["pdu-r07-f"]["bank/2:current"].rated == 20
    assert layouts["hgx-01-exporter"]["gpu/0:power"].label.startswith("GPU-")


def ask(agent: SnmpAgent, pdu, oids, community="public"):
    """One request answered in memory: pairs of OID and value, and the error status."""
    V2C.apiPDU.set_defaults(pdu)
    V2C.apiPDU.set_varbinds(pdu, [(oid, V2C.null) for oid in oids])
    message = V2C.Message()
    V2C.apiMessage.set_defaults(message)
    V2C.apiMessage.set_community(message, community)
    V2C.apiMessage.set_pdu(message, pdu)
    answer = agent.answer(encoder.encode(message))
    if answer is None:
        return None
    response = V2C.apiMessage.get_pdu(decoder.decode(answer, asn1Spec=V2C.Message())[0])
    pairs = [(tuple(oid), value) for oid, value in V2C.apiPDU.get_varbinds(response)]
    return pairs, int(V2C.apiPDU.get_error_status(response))


def agent_of(plant: Plant, device: str, now_ms: int = NOW) -> SnmpAgent:
    described = plant.facility.devices[device]
    return SnmpAgent(plant, described, find(described.profile), lambda: now_ms)


DESCRIPTION, OBJECT_ID, UPTIME = ((1, 3, 6, 1, 2, 1, 1, i, 0) for i in (1, 2, 3))


def test_the_system_group(plant: Plant):
    pairs, status = ask(agent_of(plant, "pdu-r07-a"), V2C.GetRequestPDU(), [DESCRIPTION, OBJECT_ID, UPTIME])
    assert status == 0
    assert b"MN:AP8867" in bytes(pairs[0][1])
    assert tuple(pairs[1][1])[:9] == (1, 3, 6, 1, 4, 1, 318, 1, 3)
    # 10 ms since 2024-01-01; 32 bits of them begin again after 497.1 days
    assert int(pairs[2][1]) == (NOW - 1_704_067_200_000) // 10 - 2 * 2**32


def test_a_hundred_values_in_one_answer(plant: Plant):
    agent = agent_of(plant, "pdu-r08-a")
    oids = sorted(agent.table)[-100:]
    pairs, status = ask(agent, V2C.GetRequestPDU(), oids)
    assert status == 0
    assert [oid for oid, _ in pairs] == oids


def test_get_next_walks_every_oid_once_and_ends(plant: Plant):
    agent = agent_of(plant, "pdu-r07-a")
    seen, at = [], (1, 3)
    while True:
        ((oid, value),), _ = ask(agent, V2C.GetNextRequestPDU(), [at])
        if isinstance(value, V2C.EndOfMibView):
            break
        seen.append(oid)
        at = oid
    assert seen == sorted({*agent.table, UPTIME})


def test_get_bulk_repeats_and_stops_at_the_end(plant: Plant):
    agent = agent_of(plant, "pdu-r07-a")
    bulk = V2C.GetBulkRequestPDU()
    V2C.apiBulkPDU.set_defaults(bulk)
    V2C.apiBulkPDU.set_max_repetitions(bulk, 4)
    V2C.apiBulkPDU.set_varbinds(bulk, [((1, 3), V2C.null)])
    message = V2C.Message()
    V2C.apiMessage.set_defaults(message)
    V2C.apiMessage.set_pdu(message, bulk)
    answer = decoder.decode(agent.answer(encoder.encode(message)), asn1Spec=V2C.Message())[0]
    pairs = V2C.apiPDU.get_varbinds(V2C.apiMessage.get_pdu(answer))
    assert [tuple(oid) for oid, _ in pairs] == sorted({*agent.table, UPTIME})[:4]


def test_what_is_not_there_is_no_such_instance(plant: Plant):
    ((_, value),), status = ask(agent_of(plant, "pdu-r07-a"), V2C.GetRequestPDU(), [(1, 3, 6, 1, 4, 1, 99999, 1)])
    assert status == 0
    assert isinstance(value, V2C.NoSuchInstance)


def test_writing_is_refused_and_strangers_hear_nothing(plant: Plant):
    agent = agent_of(plant, "pdu-r07-a")
    _, status = ask(agent, V2C.SetRequestPDU(), [DESCRIPTION])
    assert status == 17  # notWritable, RFC 3416
    assert ask(agent, V2C.GetRequestPDU(), [DESCRIPTION], "private") is None
    assert agent.answer(b"\x30\x03rubbish") is None


def test_an_agent_that_is_away_keeps_silent(plant: Plant):
    full_hour = NOW - NOW % 3_600_000
    for minute, there in ((39, True), (40, False), (42, False), (43, True)):
        agent = agent_of(plant, "pdu-r08-b", full_hour + minute * 60_000)
        assert (ask(agent, V2C.GetRequestPDU(), [DESCRIPTION]) is not None) is there


@pytest.mark.anyio
async def test_a_port_that_is_taken_is_named(plant: Plant):
    agent = agent_of(plant, "pdu-r07-b")
    port = await agent.start("127.0.0.1", 0)
    device = replace(
        plant.facility.devices["pdu-r07-a"], address=replace(plant.facility.devices["pdu-r07-a"].address, port=port)
    )
    agents = AgentSet(Plant(FacilityLayout({"pdu-r07-a": device}, plant.facility.nodes)), lambda: NOW)
    try:
        with pytest.raises(ConfigError, match=rf"pdu-r07-a cannot listen on 127.0.0.1:{port}") as refusal:
            await agents.start()
        assert "another demo" in refusal.value.hint
    finally:
        await agents.stop()
        await agent.stop()


@pytest.mark.anyio
async def test_a_meter_can_not_be_written_and_has_no_registers_beyond_its_map(plant: Plant):
    agents = AgentSet(plant, lambda: NOW)
    await agents.start(["meter-r09"], any_port=True)
    client = ModbusClient(Address.parse(f"modbus://127.0.0.1:{agents.ports['meter-r09']}?unit=1"), 2)
    await client.open()
    try:
        assert await client.read("input", 5, 1) == [0]  # orientation, by which the meter is recognised
        assert await client.read("input", 999, 2) == [0xFFFE, 0xFFFE]  # amperes in hundredths
        with pytest.raises(CollectorError):
            await client.read("input", 60_000, 2)
    finally:
        await client.close()
        await agents.stop()


@pytest.mark.anyio
async def test_an_exposition_is_served_at_its_path_only(plant: Plant):
    agents = AgentSet(plant, lambda: NOW)
    await agents.start(["hgx-01-exporter"], any_port=True)
    base = f"http://127.0.0.1:{agents.ports['hgx-01-exporter']}"
    async with httpx.AsyncClient() as http:
        found = await http.get(f"{base}/metrics")
        missing = await http.get(f"{base}/")
        posted = await http.post(f"{base}/metrics")
    await agents.stop()
    assert found.status_code == 200
    assert found.text.count("\nDCGM_FI_DEV_POWER_USAGE{") == 8
    assert 'modelName="NVIDIA H100 80GB HBM3"' in found.text
    assert missing.status_code == posted.status_code == 404


@pytest.mark.anyio
async def test_a_client_that_says_nothing_is_let_go(plant: Plant):
    agents = AgentSet(plant, lambda: NOW)
    await agents.start(["hgx-01-exporter"], any_port=True)
    _, writer = await asyncio.open_connection("127.0.0.1", agents.ports["hgx-01-exporter"])
    writer.write(b"GET")
    writer.close()
    await writer.wait_closed()
    await agents.stop()


@pytest.mark.parametrize(
    ("pattern", "point", "numbers"),
    [
        ("[unit/{unit}/]outlet/{number}", "outlet/12", {"unit": 1, "number": 12}),
        ("[unit/{unit}/]outlet/{number}", "unit/2/outlet/7", {"unit": 2, "number": 7}),
        ("[unit/{unit}/]inlet[/{inlet}]/l{pole}", "inlet/l3", {"unit": 1, "inlet": 1, "pole": 3}),
        ("[unit/{unit}/]inlet[/{inlet}]", "inlet/l3", None),
        ("gpu/{gpu}", "outlet/1", None),
    ],
)
def test_the_numbers_of_a_point(pattern: str, point: str, numbers: dict[str, int] | None):
    assert numbers_of(pattern, point) == numbers
