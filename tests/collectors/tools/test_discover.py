"""A range of loopback addresses with agents on some of them, asked politely; what is written can be applied."""

import asyncio
import os
import subprocess
import sys
import time
import tomllib
from collections import Counter
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from typer.testing import CliRunner

from app import cli
from app.server.launch import apply_facility
from app.settings import Settings
from app.store.database.engine import migrate, open_engine
from collectors.errors import AccessDenied, ConfigError, Unreachable
from collectors.profiles.registry import find
from collectors.tools.discover_devices import DiscoveredDevice, addresses, device_kind, discover, facility_toml
from collectors.tools.probe_device import probe
from tests.collectors.agents import OBJECT_ID, STRING, apc_rows
from tests.collectors.snmp.test_snmp_v3 import agent as v3_agent
from tests.paths import ROOT
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


async def test_one_that_is_silent_costs_three_datagrams_and_holds_up_no_one():
    async with hall({"127.0.0.18": apc_rows(), "127.0.0.19": apc_rows()}) as (port, agents):
        agents["127.0.0.18"].silent = True
        heard = []
        agents["127.0.0.18"].datagram_received = lambda data, addr: heard.append(data)
        hosts = ["127.0.0.18", "127.0.0.19"]
        found = [one async for one in discover(hosts, {}, port, hosts_a_second=1000, timeout_s=0.2)]
    assert [one.host for one in found] == ["127.0.0.19"]
    assert len(heard) == 3  # two requests, and one that asks for an SNMPv3 engine


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


async def test_closed_ports_silence_and_a_wrong_community_are_counted_apart():
    unanswered = Counter()
    async with hall({"127.0.0.18": apc_rows(), "127.0.0.19": apc_rows()}, "s3cret") as (port, agents):
        agents["127.0.0.19"].silent = True
        hosts = ["127.0.0.18", "127.0.0.19", "127.0.0.20"]
        options = {"hosts_a_second": 1000, "timeout_s": 0.2, "community": "s3cret", "unanswered": unanswered}
        found = [one async for one in discover(hosts, {}, port, **options)]
    assert [one.profile for one in found] == ["apc-rpdu2"]
    assert unanswered == {"device_timeout": 1, "port_closed": 1}


async def test_a_closed_port_is_named():
    async with serving([]) as agent:
        port = agent.port
    with pytest.raises(Unreachable, match=f"UDP port {port} is closed") as caught:
        await probe(f"snmp://127.0.0.1:{port}", timeout_s=0.4)
    assert caught.value.code == "port_closed"


@pytest.mark.parametrize("profile", ["auto", "apc-rpdu2"])
async def test_an_agent_that_speaks_snmpv3_shows_that_the_community_is_wrong(profile):
    async with v3_agent() as address:
        with pytest.raises(AccessDenied, match="does not answer this community") as caught:
            await probe(address.url, "wrong", profile, timeout_s=0.6)
    assert caught.value.code == "wrong_community"
    async with serving(apc_rows()) as agent:
        with pytest.raises(Unreachable, match="did not answer") as silent:
            await probe(agent.url, "wrong", profile, timeout_s=0.4)
    assert "do not answer a wrong community" in silent.value.hint


@pytest.mark.parametrize(
    ("profile", "kind"),
    [
        ("apc-rpdu2", "pdu"),
        ("apc-ups", "ups"),
        ("gude-esb-7213", "sensor"),
        ("apc-environment", "sensor"),
        ("eltek-smartpack2", "meter"),
    ],
)
def test_the_kind_of_a_device_follows_from_its_profile(profile, kind):
    assert device_kind(find(profile)) == kind


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--community", "env:NO_SUCH_VARIABLE"), "environment variable NO_SUCH_VARIABLE is not set"),
        (("--community", "file:/no/such/file"), "the secret file /no/such/file cannot be read"),
        (("--out", "/no/such/folder/facility.toml"), "/no/such/folder is not a folder"),
    ],
)
def test_a_mistake_in_the_options_is_one_line_and_no_traceback(options, problem):
    command = [sys.executable, "-m", "app.cli", "discover", "127.0.0.16/28", "--go", "--port", "9", *options]
    ended = subprocess.run(command, cwd=ROOT, env={**os.environ}, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert problem in ended.stderr
    assert "Traceback" not in ended.stderr + ended.stdout


async def test_a_community_in_plain_text_is_used_and_not_written():
    async with hall({"127.0.0.18": apc_rows()}, "s3cret") as (port, _):
        command = ["discover", "127.0.0.18", "--go", "--port", str(port), "--community", "s3cret", "--timeout", "0.4"]
        result = await asyncio.to_thread(CliRunner().invoke, cli.app, command)
    assert result.exit_code == 0, result.output
    assert 'profile = "apc-rpdu2"' in result.output
    assert 'community = "env:SNMP_COMMUNITY"' in result.output
    assert "s3cret" not in result.output
