"""A collector reads a device for an administrator: only where its operator allows it, in a limited time."""

import asyncio
from dataclasses import dataclass, field

import pytest

from collectors.errors import Unreachable
from collectors.polling import device_policy
from collectors.polling.probe_requests import ProbeRequests

pytestmark = pytest.mark.anyio

SECRETS = '{"pdu": {"source": "env:PDU_COMMUNITY", "hosts": ["10.0.0.0/24"]}}'


@dataclass
class Server:
    name: str = "west"
    sent: list[tuple[str, dict]] = field(default_factory=list)

    async def post(self, path, body):
        self.sent.append((path, body))


class Read:
    def __init__(self, url):
        self.url = url

    def to_json(self):
        return {"profile": "apc-rpdu2", "readings": []}


async def result(row, networks="10.0.0.0/24", secrets=SECRETS, limit_s=5.0, probe=None):
    server, asked = Server(), []

    async def reads(url, **given):
        asked.append((url, given))
        return Read(url)

    requests = ProbeRequests(server, device_policy(networks, secrets), probe or reads, limit_s)
    requests.start([{"id": "01", "profile": "auto", "auth": {}, **row}])
    while not server.sent:
        await asyncio.sleep(0)
    ((path, body),) = server.sent
    assert path == "/api/v1/collectors/west/probes/01"
    return body, asked


async def test_it_reads_an_address_in_a_listed_network():
    body, asked = await result({"address": "snmp://10.0.0.7", "auth": {"snmp": "2c", "community": "secret:pdu"}})
    assert body == {"report": {"profile": "apc-rpdu2", "readings": []}}
    auth = {"snmp": "2c", "community": "env:PDU_COMMUNITY"}
    assert asked == [("snmp://10.0.0.7", {"profile": "auto", "timeout_s": 5.0, "auth": auth})]


@pytest.mark.parametrize(
    ("row", "networks", "words"),
    [
        ({"address": "snmp://10.0.1.7"}, "10.0.0.0/24", "10.0.1.7 is not in WATTLINE_DEVICE_NETWORKS"),
        ({"address": "snmp://10.0.0.7"}, "", "10.0.0.7 is not in WATTLINE_DEVICE_NETWORKS of the collector"),
        ({"address": "http://169.254.169.254/latest"}, "", "169.254.169.254 is not in WATTLINE_DEVICE_NETWORKS"),
        ({"address": "http://[::ffff:169.254.169.254]/x"}, "10.0.0.0/8", "is not in WATTLINE_DEVICE_NETWORKS"),
        ({"address": "modbus+serial:///dev/sda?unit=1"}, "0.0.0.0/0", "/dev/sda is a serial port"),
        (
            {"address": "snmp://10.0.0.7", "profile": "./../../etc/x.toml"},
            "10.0.0.0/24",
            "is not the name of a profile",
        ),
        ({"address": "http://10.0.0.7", "auth": {"token": "file:/etc/shadow"}}, "10.0.0.0/24", "may not be sent to"),
        ({"address": "http://10.0.0.7", "auth": {"token": "env:HOME"}}, "10.0.0.0/24", "may not be sent to 10.0.0.7"),
    ],
)
async def test_nothing_else_is_asked(row, networks, words):
    body, asked = await result(row, networks)
    assert asked == []
    assert words in body["problem"]["detail"]
    assert body["problem"]["hint"]


async def test_a_device_that_does_not_answer_is_named():
    async def silent(url, **_):
        raise Unreachable("no answer in 5 s", "check community and version")

    body, _ = await result({"address": "snmp://10.0.0.7"}, probe=silent)
    assert body == {
        "problem": {
            "code": "device_timeout", "detail": "snmp://10.0.0.7: no answer in 5 s",
            "hint": "check community and version",
        }
    }  # fmt: skip


async def test_a_slow_device_ends_at_the_limit():
    async def slow(url, **_):
        await asyncio.Event().wait()

    body, _ = await result({"address": "snmp://10.0.0.7"}, limit_s=0.01, probe=slow)
    assert body["problem"]["code"] == "probe_timeout"
    assert "snmp://10.0.0.7" in body["problem"]["detail"]


async def test_an_internal_error_is_reported_without_its_text():
    async def broken(url, **_):
        raise RuntimeError("community hunter2")

    body, _ = await result({"address": "snmp://10.0.0.7"}, probe=broken)
    assert body["problem"]["code"] == "internal_error"
    assert "hunter2" not in str(body)
