"""A range of loopback addresses with agents on some of them, asked politely; what is written can be applied."""

import asyncio
import time
import tomllib
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from app.server.launch import apply_facility
from app.settings import Settings
from app.store.database.engine import migrate, open_engine
from collectors.errors import ConfigError
from collectors.tools.discover_devices import DiscoveredDevice, addresses, discover, facility_toml
from tests.collectors.agents import OBJECT_ID, STRING, apc_rows
from tests.snmprec_agent import SnmprecAgent, serving

pytestmark = pytest.mark.anyio
PRINTER = [("1.3.6.1.2.1.1.1.0", STRING, "a printer"), ("1.3.6.1.2.1.1.2.0", OBJECT_ID, "1.3.6.1.4.1.11.2.3.9.1")]


@asynccontextmanager
async def hall(devices, community: str = "public"):
    """Agents at addresses of one port; yields the port and the agents by address."""
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(serving([]))
        found = {}
        for host, rows in devices.items():
            loop = asyncio.get_running_loop()
            transport, agent = await loop.create_datagram_endpoint(
                lambda rows=rows: SnmprecAgent(rows, community), local_addr=(host, first.port)
            )
            stack.push_async_callback(agent.gone.wait)
            stack.callback(transport.close)
            found[host] = agent
        yield first.port, found


def test_a_range_is_its_hosts():
    assert addresses("127.0.0.0/30") == ["127.0.0.1", "127.0.0.2"]
    assert addresses("127.0.0.9") == ["127.0.0.9"]
    assert len(addresses("127.0.0.0/16")) == 65_534


@pytest.mark.parametrize(("given", "code"), [("127.0.0.0/15", "range_too_large"), ("the hall", "bad_range")])
def test_a_range_that_is_refused(given, code):
    with pytest.raises(ConfigError) as caught:
        addresses(given)
    assert caught.value.code == code


async def test_what_answers_is_found_and_can_be_applied(tmp_path, monkeypatch):
    monkeypatch.setenv("PDUS", "s3cret")
    auth = {"snmp": "2c", "community": "env:PDUS"}
    async with hall({"127.0.0.18": apc_rows(), "127.0.0.20": PRINTER, "127.0.0.21": apc_rows()}, "s3cret") as (port, _):
        hosts = addresses("127.0.0.16/29")
        found = [one async for one in discover(hosts, auth, port, hosts_a_second=1000, timeout_s=0.3)]
    by_host = {one.host: one for one in found}
    assert by_host.keys() == {"127.0.0.18", "127.0.0.20", "127.0.0.21"}
    assert by_host["127.0.0.18"] == DiscoveredDevice(
        "127.0.0.18", "apc-rpdu2", "APC by Schneider Electric", "AP8659", "pdu"
    )
    assert "no profile fits" in by_host["127.0.0.20"].problem

    path = tmp_path / "facility.toml"
    path.write_text(facility_toml(found, "lab", auth, port), encoding="utf-8")
    written = tomllib.loads(path.read_text("utf-8"))
    assert written["devices"]["pdu-127-0-0-18"]["address"] == f"snmp://127.0.0.18:{port}"
    assert written["auth"]["discovered"] == auth
    assert "s3cret" not in path.read_text("utf-8")
    settings = Settings(data_dir=tmp_path)
    engine = open_engine(settings.database_url)
    migrate(engine)
    engine.dispose()
    changes = apply_facility(settings, path, dry_run=True)
    assert {"device", "site", "auth"} <= {change.kind for change in changes}


async def test_one_that_is_silent_costs_two_datagrams_and_holds_up_no_one():
    async with hall({"127.0.0.18": apc_rows(), "127.0.0.19": apc_rows()}) as (port, agents):
        agents["127.0.0.18"].silent = True
        heard = []
        agents["127.0.0.18"].datagram_received = lambda data, addr: heard.append(data)
        hosts = ["127.0.0.18", "127.0.0.19"]
        found = [one async for one in discover(hosts, {}, port, hosts_a_second=1000, timeout_s=0.2)]
    assert [one.host for one in found] == ["127.0.0.19"]
    assert len(heard) == 2


async def test_so_many_a_second_at_most():
    began = []

    async def note(n: int) -> None:
        began.append((n, time.monotonic()))

    async with hall({"127.0.0.18": apc_rows()}) as (port, agents):
        asked = agents["127.0.0.18"].requests
        [one async for one in discover(["127.0.0.18"] * 3, {}, port, hosts_a_second=50, timeout_s=0.3)]
    assert len([kind for kind, oids in asked if (1, 3, 6, 1, 2, 1, 1, 2, 0) in oids]) == 3


def test_what_a_device_says_of_itself_cannot_break_the_file():
    odd = DiscoveredDevice("10.0.0.7", "apc-rpdu2", "APC", 'AP" \n[nodes.x]\\', "pdu")
    text = facility_toml([odd, DiscoveredDevice("10.0.0.8", problem="no\nprofile")], "lab", {})
    written = tomllib.loads(text)
    assert written.keys() == {"site", "devices"}
    assert written["devices"]["pdu-10-0-0-7"]["label"] == 'APC AP"  [nodes.x]\\'
