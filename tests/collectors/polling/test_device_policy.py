"""Who changes the facility cannot read the collector's files and environment, nor make it ask where it must not."""

import asyncio
import socket

import httpx
import pytest
import uvloop

from app.services.facility import parse
from collectors.contract import CheckedResolution, RefusedAddress
from collectors.device import PolledDevice
from collectors.errors import ConfigError
from collectors.polling import device_policy
from collectors.protocols.snmp.udp import UdpSocket
from tests.paths import ROOT

SECRETS = '{"pdu": {"source": "env:PDU_COMMUNITY", "hosts": ["10.0.0.0/24", "*.pdu.example.org"]}}'


def device(address, **auth):
    return PolledDevice.from_wire({"key": "d", "address": address, "auth": auth})


@pytest.mark.parametrize("address", ["snmp://10.0.0.7", "snmp://a.pdu.example.org", "snmp://A.PDU.EXAMPLE.ORG"])
@pytest.mark.parametrize("reference", ["secret:pdu", "env:PDU_COMMUNITY"])
def test_a_secret_is_for_the_hosts_that_are_listed(address, reference):
    admitted = device_policy(secrets=SECRETS).admit(device(address, snmp="2c", community=reference))
    assert admitted.auth == {"snmp": "2c", "community": "env:PDU_COMMUNITY"}


@pytest.mark.parametrize(
    ("address", "reference"),
    [
        ("http://evil.example/metrics", "file:/etc/wattline/wattline.env"),
        ("http://10.0.0.7/metrics", "file:/etc/wattline/wattline.env"),
        ("http://10.0.0.7/metrics", "env:WATTLINE_TOKEN"),
        ("snmp://10.0.1.7", "env:PDU_COMMUNITY"),
        ("snmp://evil.example", "secret:pdu"),
        ("snmp://10.0.0.7.evil.example", "secret:pdu"),
        ("snmp://pdu.example.org.evil.example", "secret:pdu"),
        ("snmp://10.0.0.7", "secret:other"),
    ],
)
def test_no_other_secret_leaves(address, reference):
    with pytest.raises(ConfigError) as refused:
        device_policy(secrets=SECRETS).admit(device(address, token=reference))
    assert refused.value.code == "secret_refused"
    assert "WATTLINE_SECRETS" in refused.value.explanation


FACILITY = """
[devices.pdu]
address = "snmp://10.0.0.7"
auth = "ro"

[devices.other]
address = "snmp://10.0.0.8"

[auth.ro]
snmp = "2c"
community = "env:PDU_COMMUNITY"
"""


def test_the_collectors_own_facility_file_is_trusted_for_the_devices_that_it_names():
    policy = device_policy(trusted=parse(FACILITY, "facility.toml").secret_references)
    policy.admit(device("snmp://10.0.0.7", snmp="2c", community="env:PDU_COMMUNITY"))
    for address, reference in [("snmp://10.0.0.8", "env:PDU_COMMUNITY"), ("snmp://10.0.0.7", "env:WATTLINE_TOKEN")]:
        with pytest.raises(ConfigError, match="may not be sent"):
            policy.admit(device(address, community=reference))


@pytest.mark.parametrize(
    ("networks", "address", "allowed"),
    [
        ("", "http://169.254.169.254/latest/meta-data", False),  # where clouds have their metadata
        ("", "http://[fe80::1]/", False),
        ("", "http://[::ffff:169.254.169.254]/", False),
        ("", "http://0.0.0.0/", False),
        ("", "http://[fd00:ec2::254]/latest/meta-data", False),
        ("", "http://100.100.100.200/latest/meta-data", False),
        ("", "snmp://10.0.0.7", True),
        ("", "snmp://127.0.0.1:1161", True),
        ("10.0.0.0/8, *.pdu.example.org", "snmp://10.1.2.3", True),
        ("10.0.0.0/8, *.pdu.example.org", "snmp://a.pdu.example.org", True),
        ("10.0.0.0/8, *.pdu.example.org", "http://127.0.0.1:8000/", False),
        ("10.0.0.0/8, *.pdu.example.org", "http://metadata.google.internal/", False),
        ("10.0.0.0/8, *", "http://127.0.0.1/", False),  # a name is no address
        ("169.254.0.0/16", "http://169.254.1.1/", True),
        ("10.0.0.0/8", "modbus+serial:///dev/ttyUSB0", True),
    ],
)
def test_only_listed_networks_are_polled(networks, address, allowed):
    policy = device_policy(networks)
    if allowed:
        policy.admit(device(address))
    else:
        with pytest.raises(ConfigError) as refused:
            policy.admit(device(address))
        assert refused.value.code == "address_refused"


@pytest.mark.parametrize(
    ("networks", "now", "refused"),
    [
        ("", "169.254.169.254", "a.pdu.example.org (169.254.169.254) is a link-local address"),
        ("*.pdu.example.org", "169.254.169.254", "is a link-local address"),  # the name was listed, not this network
        ("*.pdu.example.org, 169.254.0.0/16", "169.254.1.1", ""),
        ("", "10.0.0.7", ""),
        ("", None, ""),  # polling it fails, and says why
    ],
)
def test_a_name_that_leads_to_metadata_is_refused_before_each_connection(monkeypatch, networks, now, refused):
    def resolved(host, *_, **__):
        if now is None:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_DGRAM, 17, "", (now, 0))]

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    found = ""
    try:
        asyncio.run(device_policy(networks).check_resolved(device("http://a.pdu.example.org/metrics")))
    except ConfigError as error:
        found = error.explanation
    assert found.partition(" or one of")[0].endswith(refused)
    assert bool(found) == bool(refused)


@pytest.mark.parametrize(
    "text",
    ["x", "[]", '{"a": "env:X"}', '{"a": {"source": "X", "hosts": ["h"]}}', '{"a": {"source": "env:X", "hosts": []}}',
     '{"a": {"source": "env:X", "hosts": "h"}}', '{"a": {"source": "env:X", "hosts": ["h"], "host": "x"}}'],
)  # fmt: skip
def test_a_setting_that_cannot_be_read_is_named(text):
    with pytest.raises(ConfigError, match="WATTLINE_SECRETS cannot be read"):
        device_policy(secrets=text)


def test_no_client_follows_redirects():
    """httpx follows none unless asked to: a device or a webhook cannot send us, with a token, to another host."""
    sources = [path for top in ("app", "collectors") for path in (ROOT / top).rglob("*.py")]
    assert [path.name for path in sources if "follow_redirects" in path.read_text("utf-8")] == []


class Rebound:
    """A resolver whose first answer for a name is this machine, and each later one a cloud's metadata."""

    async def getaddrinfo(self, host, port, **options):
        if host not in ("device.example", b"device.example"):
            return await super().getaddrinfo(host, port, **options)
        self.asked = getattr(self, "asked", 0) + 1
        address = "127.0.0.1" if self.asked == 1 else "169.254.169.254"
        return [(socket.AF_INET, options.get("type") or socket.SOCK_STREAM, 0, "", (address, port or 0))]


class PlainLoop(CheckedResolution, Rebound, asyncio.SelectorEventLoop):
    """Of the server that sends alerts."""


class FastLoop(CheckedResolution, Rebound, uvloop.Loop):
    """Of a collector."""


@pytest.mark.parametrize("loop", [PlainLoop, FastLoop])
def test_what_was_checked_is_what_is_connected_to(loop):
    async def connect():
        device_policy("").check_connections("http://wattline.example:8000")
        async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            _, writer = await asyncio.open_connection("device.example", port)  # resolved once
            writer.close()
            for again in (
                lambda: asyncio.open_connection("device.example", port),
                lambda: UdpSocket.connect("device.example", port),
            ):
                with pytest.raises(RefusedAddress, match=r"device.example \(169.254.169.254\) is a link-local"):
                    await again()
            async with httpx.AsyncClient() as client:
                with pytest.raises(httpx.ConnectError, match="is a link-local address"):
                    await client.get(f"http://device.example:{port}/")
            with pytest.raises(ConfigError, match="is a link-local address"):
                await device_policy("").check_resolved(device("http://device.example/metrics"))
        return asyncio.get_running_loop().asked

    with asyncio.Runner(loop_factory=loop) as runner:
        assert runner.run(connect()) == 5


def test_the_server_may_have_any_address():
    async def connect():
        device_policy("").check_connections("http://device.example:8000")
        await asyncio.get_running_loop().getaddrinfo("device.example", 1)
        return await asyncio.get_running_loop().getaddrinfo("device.example", 1)

    with asyncio.Runner(loop_factory=PlainLoop) as runner:
        assert runner.run(connect())[0][4][0] == "169.254.169.254"
