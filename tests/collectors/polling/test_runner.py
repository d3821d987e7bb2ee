"""A whole collector between real devices and a real HTTP server."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import asynccontextmanager

import pytest
from pysnmp.proto.rfc1902 import Integer32

from collectors.delivery.outbox import Outbox
from collectors.polling.runner import collect
from tests.collectors.http.test_openmetrics import DCGM
from tests.collectors.polling.test_delivery import FakeServer
from tests.collectors.snmp.trap_senders import first_version, send
from tests.http_responder import Request, responding

pytestmark = pytest.mark.anyio


class Facility(FakeServer):
    """Hands out devices and keeps what is reported."""

    def __init__(self, devices: list[dict[str, object]]) -> None:
        super().__init__()
        self.devices = devices
        self.polls: list[dict[str, object]] = []
        self.events: list[dict[str, object]] = []

    def __call__(self, request: Request):
        if self.down:
            return self.down, {"detail": "resting"}
        if request.path == "/api/v1/collectors/west/lease":
            return 200, {"until": "2100-01-01T00:00:00Z", "devices": self.devices}
        if request.path == "/api/v1/polls":
            self.polls += request.json()["polls"]
        if request.path == "/api/v1/events":
            self.events += request.json()["events"]
        return super().__call__(request)

    def stored_of(self, device: str) -> int:
        return sum(1 for name, _, _ in self.stored if name == device)


def exporter(key: str, url: str) -> dict[str, object]:
    return {"key": key, "profile": "dcgm", "address": f"{url}/metrics", "interval_s": 1, "timeout_s": 1, "auth": None}


async def until(condition: Callable[[], bool], naps: int = 400) -> None:
    for _ in range(naps):
        if condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it did not happen")


async def polled(exporter, times: int) -> None:
    """Wait for so many more polls of an exporter."""
    enough = len(exporter.requests) + times
    await until(lambda: len(exporter.requests) >= enough)


@asynccontextmanager
async def collecting(url: str, path, trap_port: int | None = None):
    stop = asyncio.Event()
    task = asyncio.create_task(collect(url, None, "west", path, stop, trap_port))
    try:
        yield task
    finally:
        stop.set()
        await task


@asynccontextmanager
async def hall():
    """Exporters that answer, one address where nobody does, and the server that knows them."""
    async with responding(lambda request: (200, DCGM)) as one, responding(lambda request: (200, DCGM)) as two:
        async with responding(lambda request: (200, "")) as gone:
            dead = exporter("dead", gone.url)
        fake = Facility([exporter("one", one.url), dead, exporter("two", two.url)])
        async with responding(fake) as server:
            yield fake, server, one


async def test_one_dead_of_three_disturbs_no_other(tmp_path):
    async with hall() as (fake, server, _), collecting(server.url, tmp_path / "outbox.sqlite"):
        await until(lambda: min(fake.stored_of("one"), fake.stored_of("two")) >= 2 and len(fake.polls) >= 2)
    assert fake.stored_of("dead") == 0  # a failed poll is never a reading
    assert {poll["device"] for poll in fake.polls} == {"dead"}
    assert {poll["code"] for poll in fake.polls} == {"no_connection"}
    assert all(isinstance(poll["t"], int) for poll in fake.polls)


async def test_what_was_read_while_the_server_was_down_arrives_after_a_restart(tmp_path):
    path = tmp_path / "outbox.sqlite"
    async with hall() as (fake, server, one):
        async with collecting(server.url, path):
            await until(lambda: fake.stored_of("one") >= 1)
            fake.down = 503
            before = fake.stored_of("one")
            await polled(one, 3)
        kept = Outbox(path)
        waiting = kept.waiting
        kept.close()
        assert waiting >= 2
        assert fake.stored_of("one") == before
        fake.down = 0
        async with collecting(server.url, path):
            await until(lambda: len(fake.stored) >= 2 * before + waiting)
    times = [t for device, t, _ in fake.stored if device == "one"]
    assert len(times) == len(set(times))


async def test_a_collector_without_server_goes_on_with_the_devices_it_knew(tmp_path):
    path = tmp_path / "outbox.sqlite"
    async with hall() as (fake, server, one):
        async with collecting(server.url, path):
            await until(lambda: fake.stored_of("one") >= 1)
        fake.down = 503
        async with collecting(server.url, path):
            await polled(one, 3)
        kept = Outbox(path)
        assert kept.waiting >= 2
        kept.close()


async def test_a_device_that_leaves_the_facility_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("collectors.polling.runner._RENEW_S", 0.2)
    async with hall() as (fake, server, one), collecting(server.url, tmp_path / "outbox.sqlite"):
        await until(lambda: fake.stored_of("one") >= 1)
        fake.devices = [row for row in fake.devices if row["key"] == "two"]
        await until(lambda: len(server.asked("/api/v1/collectors/west/lease")) >= 5)
        left, two = len(one.requests), fake.stored_of("two")
        await until(lambda: fake.stored_of("two") >= two + 2)
        assert len(one.requests) == left


async def test_a_device_with_a_wrong_address_is_an_event(tmp_path):
    fake = Facility([{"key": "odd", "profile": "dcgm", "address": "gopher://x"}])
    async with responding(fake) as server, collecting(server.url, tmp_path / "outbox.sqlite"):
        await until(lambda: bool(fake.events))
    assert [(e["device"], e["kind"]) for e in fake.events] == [("odd", "device_misconfigured")]


async def test_a_notification_becomes_an_event_at_the_server(tmp_path):
    address = {"key": "pdu-1", "profile": "apc-rpdu2", "address": "snmp://127.0.0.9:1", "timeout_s": 0.2}
    fake = Facility([address])
    with socket.socket(socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("", 0))
        port = free.getsockname()[1]
    datagram = first_version("1.3.6.1.4.1.318", 269, [("1.3.6.1.4.1.318.1.1.12.3.3.1.1.1.8", Integer32(8))])

    def heard() -> bool:
        send(datagram, port, "127.0.0.9").close()
        return any(e["kind"] == "outlet_off" for e in fake.events)

    async with responding(fake) as server, collecting(server.url, tmp_path / "outbox.sqlite", port):
        await until(heard)
    event = next(e for e in fake.events if e["kind"] == "outlet_off")
    assert (event["device"], event["subject"], event["severity"]) == ("pdu-1", "outlet/8", "warning")
