import asyncio

import pytest

from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.errors import BadAnswer, ConfigError, Unidentified, Unreachable
from collectors.polling.drivers import driver_for, identify
from collectors.protocols.snmp.driver import SnmpDriver
from collectors.tools.probe_device import probe
from tests.collectors.agents import apc_rows, modbus_server, snmp_device
from tests.collectors.http.test_openmetrics import DCGM
from tests.collectors.modbus.modbus_wire import gateway
from tests.collectors.modbus.test_modbus import floats, pm5000_registers
from tests.http_responder import responding
from tests.snmprec_agent import serving

pytestmark = pytest.mark.anyio


async def test_an_agent_is_known_by_its_object_id():
    async with serving(apc_rows()) as agent:
        assert (await identify(snmp_device(agent.url, "auto"))).name == "apc-rpdu2"
        assert isinstance(await driver_for(snmp_device(agent.url, "auto")), SnmpDriver)


async def test_an_agent_that_tells_no_object_id_is_known_by_what_it_has():
    rows = [row for row in apc_rows() if row[0] != "1.3.6.1.2.1.1.2.0"]
    async with serving(rows) as agent:
        assert (await identify(snmp_device(agent.url, "auto"))).name == "apc-rpdu2"


async def test_a_stranger_is_described():
    rows = [("1.3.6.1.2.1.1.1.0", 4, "a printer"), ("1.3.6.1.2.1.1.2.0", 6, "1.3.6.1.4.1.11.2.3.9.1")]
    async with serving(rows) as agent:
        with pytest.raises(Unidentified, match=r"1\.3\.6\.1\.4\.1\.11\.2\.3\.9\.1.*a printer"):
            await identify(snmp_device(agent.url, "auto"))


async def test_a_relative_is_named_as_the_closest():
    rows = [("1.3.6.1.2.1.1.2.0", 6, "1.3.6.1.4.1.13742.6.9")]
    async with serving(rows) as agent:
        with pytest.raises(Unidentified) as caught:
            await identify(snmp_device(agent.url, "auto"))
    tried = f"wattline probe {agent.url} --profile raritan-px2"
    assert caught.value.hint == f"closest profile: raritan-px2 (try it: {tried})"


async def test_meters_by_their_registers():
    async with modbus_server(pm5000_registers()) as url:
        assert (await identify(PolledDevice("m", "auto", Address.parse(url)))).name == "schneider-pm5000"
    async with modbus_server({3109: floats(0.0)}, {5: [2], 999: [0], 1041: [0], 1083: [0]}) as url:
        assert (await identify(PolledDevice("m", "auto", Address.parse(url)))).name == "schneider-bcpm"
    async with modbus_server({0: [0]}, {0: [0]}) as url:
        with pytest.raises(Unidentified):
            await identify(PolledDevice("m", "auto", Address.parse(url)))


async def test_a_busy_meter_is_not_taken_for_another():
    async with gateway(lambda request: asyncio.sleep(0, request.exception(6))) as served:
        with pytest.raises(BadAnswer, match="the unit is busy"):
            await identify(PolledDevice("m", "auto", Address.parse(served.unit(3))))
    async with gateway(lambda request: asyncio.sleep(0, request.exception(2))) as served:
        with pytest.raises(Unidentified) as caught:
            await identify(PolledDevice("m", "auto", Address.parse(served.unit(3))))
    assert caught.value.hint == "is unit 3 right? If so, name the profile in the facility"


async def test_an_address_without_metrics():
    async with responding(lambda request: (200, "<html>see /metrics</html>")) as server:
        with pytest.raises(Unidentified, match="has no metrics") as caught:
            await identify(PolledDevice("n", "auto", Address.parse(f"{server.url}/")))
    assert "/metrics" in caught.value.hint


async def test_exporters_by_their_metrics():
    async with responding(lambda request: (200, DCGM)) as server:
        assert (await identify(PolledDevice("n", "auto", Address.parse(f"{server.url}/metrics")))).name == "dcgm"
    async with responding(lambda request: (200, "up 1\n")) as server:
        with pytest.raises(Unidentified, match="1 metrics"):
            await identify(PolledDevice("n", "auto", Address.parse(f"{server.url}/metrics")))


async def test_a_profile_of_another_protocol():
    with pytest.raises(ConfigError, match="is for snmp"):
        await driver_for(PolledDevice("m", "apc-rpdu2", Address.parse("modbus://127.0.0.1")))


async def test_a_profile_that_does_not_exist():
    with pytest.raises(ConfigError, match="no device profile 'apc'"):
        await driver_for(PolledDevice("m", "apc", Address.parse("snmp://127.0.0.1")))


async def test_probe_tells_what_was_read_and_what_not():
    async with serving(apc_rows()) as agent:
        report = await probe(agent.url)
    body = report.to_json()
    assert (body["profile"], body["vendor"], body["model"]) == ("apc-rpdu2", "APC by Schneider Electric", "AP8659")
    assert {"point": "inlet", "quantity": "power", "value": 1140.0, "unit": "W"} in body["readings"]
    assert {"point": "inlet/l1", "quantity": "current", "value": 4.9, "unit": "A"} in body["readings"]
    assert {"point": "outlet/2", "quantity": "power", "value": 200.0, "unit": "W"} in body["readings"]
    assert "inlet:apparent_power" in body["missing"]
    assert "bank/*" in body["missing"]


async def test_probe_of_no_one():
    with pytest.raises(Unreachable):
        await probe("snmp://127.0.0.1:1", timeout_s=0.2)
