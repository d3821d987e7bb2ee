"""A node whose only meter is its BMC: from the Redfish service over the collector's driver to the answer of the API."""

import pytest

from app.store.facility import Device as FacilityDevice
from app.store.facility import Node
from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.profiles.registry import find
from collectors.protocols.redfish.driver import RedfishDriver
from tests.redfish_service import Service, collection, root, serving

ONE = "/redfish/v1/Chassis/1"


async def frames_of(powers, start):
    """What the driver reads, poll after poll 10 s apart."""
    power = {"PowerControl": [{"PowerConsumedWatts": 0, "PowerMetrics": {"AverageConsumedWatts": 9999}}]}
    service = Service(
        {
            "/redfish/v1": root(),
            "/redfish/v1/Chassis": collection(ONE),
            ONE: {"@odata.id": ONE, "Power": {"@odata.id": f"{ONE}/Power"}},
            f"{ONE}/Power": power | {"PowerSupplies": [{"PowerInputWatts": 400}, {"PowerInputWatts": 400}]},
        }
    )
    now = [start]
    async with serving(service) as url:
        driver = RedfishDriver(
            PolledDevice("m1-bmc", "redfish-server", Address.parse(url)), find("redfish-server"), lambda: now[0]
        )
        await driver.open()
        found = []
        for watts in powers:
            power["PowerControl"][0]["PowerConsumedWatts"] = watts
            found += (await driver.read({"main", "supplies"})).frames
            now[0] += 10_000
        await driver.close()
    return found


@pytest.mark.anyio
async def test_the_power_of_a_node_comes_from_its_bmc(client, hall, start):
    hall.facility.upsert(
        [Node(key="m1", bmc="redfish://10.0.2.1"), FacilityDevice(key="m1-bmc", kind="bmc", node="m1")]
    )
    frames = await frames_of([500.0, 520.0, None, 540.0], start)
    for layout in {frame.layout.hash: frame.layout for frame in frames}.values():
        mine = [frame for frame in frames if frame.layout.hash == layout.hash]
        columns = [[None if v != v else v for v in column] for column in zip(*(f.values for f in mine), strict=True)]
        batch = layout.to_wire() | {"t": [frame.t_ms for frame in mine], "values": columns}
        answer = client.post("/api/v1/ingest", json=batch)
        assert answer.json()["rejected"] == [], answer.text
    answer = client.get(f"/api/v1/nodes/m1/curve?from={start}&to={start + 40_000}").json()
    assert answer["source"] == "bmc"
    (total,) = [one for one in answer["series"] if one["key"] == "total"]
    # the chassis, neither its average nor its supplies; the poll without a number is no zero
    assert {v for v in total["v"] if v is not None} == {500.0, 520.0, 540.0}
