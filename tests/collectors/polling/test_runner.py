"""A whole collector between real devices and a real HTTP server."""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from contextlib import asynccontextmanager

import httpx
import pytest
from pysnmp.proto.rfc1902 import Integer32

from app.domain.timeseries import rfc3339
from collectors.contract import Frame, wall_clock_ms
from collectors.delivery import Delivery, ServerClient, ServerClock
from collectors.delivery.outbox import Outbox
from collectors.device import Poll
from collectors.errors import ServerDown
from collectors.polling.drivers import driver_for
from collectors.polling.outbox_sink import OutboxSink
from collectors.polling.runner import collect
from tests.collectors.http.test_openmetrics import DCGM
from tests.collectors.polling.test_delivery import FakeServer, layout
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
        self.released = 0
        self.ahead_ms = 0
        self.holder = ""

    def __call__(self, request: Request):
        if self.down:
            return self.down, {"detail": "resting"}
        if request.path.partition("?")[0] == "/api/v1/collectors/west/lease":
            if request.method == "DELETE":
                self.released += 1
                return 204, ""
            if self.holder not in ("", request.json()["instance"]):
                return 409, {"detail": "another collector named west polls", "code": "collector_name_taken"}
            return 200, {
                "now": rfc3339(wall_clock_ms() + self.ahead_ms),
                "until": "2100-01-01T00:00:00Z",
                "devices": self.devices,
            }
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
async def collecting(url: str, path, trap_port: int | None = None, **options):
    stop = asyncio.Event()
    task = asyncio.create_task(collect(url, None, "west", path, stop, trap_port, **options))
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


async def test_a_device_that_leaves_the_facility_is_left_alone(tmp_path):
    async with hall() as (fake, server, one), collecting(server.url, tmp_path / "outbox.sqlite", lease_s=0.6):
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


async def test_a_collector_that_stops_gives_its_devices_back(tmp_path):
    async with hall() as (fake, server, _), collecting(server.url, tmp_path / "outbox.sqlite"):
        await until(lambda: fake.stored_of("one") >= 1)
        assert fake.released == 0
    assert fake.released == 1


async def test_a_collector_polls_nothing_while_another_one_of_its_name_does(tmp_path, caplog):
    path = tmp_path / "outbox.sqlite"
    async with hall() as (fake, server, one), collecting(server.url, path, lease_s=0.6):
        await until(lambda: fake.stored_of("one") >= 1)
        fake.holder = "another"
        await until(lambda: "polling nothing: another collector named west polls" in caplog.text)
        asked = len(one.requests)
        box = Outbox(path)
        fake.holder = box.instance()  # the other one stopped
        box.close()
        await until(lambda: len(one.requests) > asked)
    assert caplog.text.count("polling nothing") == 1


async def test_readings_are_held_while_the_clock_is_ahead_of_the_server(tmp_path):
    """The server's clock is an hour behind: nothing is lost and nothing stored with a time that may be wrong."""
    path = tmp_path / "outbox.sqlite"
    async with hall() as (fake, server, one):
        fake.ahead_ms = -3_600_000
        async with collecting(server.url, path):
            await polled(one, 3)
            await until(lambda: any(e["kind"] == "clock_ahead" for e in fake.events))
        assert fake.stored == []
        box = Outbox(path)
        held = {g.device: g for g in box.dead.groups() if g.code == "clock_ahead"}
        assert held["one"].count >= 2
        assert abs(held["one"].offset_ms - 3_600_000) < 5_000
        assert box.dead.replay() == sum(g.count for g in held.values())
        box.close()
        fake.ahead_ms = 0
        async with collecting(server.url, path):
            await until(lambda: fake.stored_of("one") >= 4)
    assert len([e for e in fake.events if e["kind"] == "clock_ahead"]) == 1


async def test_a_step_of_the_clock_is_an_event(tmp_path):
    now, steady = [1_000_000], [5_000]
    clock = ServerClock(lambda: now[0], lambda: steady[0])
    box = Outbox(tmp_path / "outbox.sqlite")
    async with httpx.AsyncClient() as client:
        delivery = Delivery(ServerClient(client, "west"), box)
        sink = OutboxSink(box, delivery, "west", lambda: now[0], clock)
        sink.check_clock()
        now[0] -= 3_600_000
        sink.check_clock()
        sink.check_clock()
        steady[0] += 3_000
        now[0] += 3_000
        sink.check_clock()
    (event,) = box.notes("event", 10)
    assert (event.body["kind"], event.body["subject"]) == ("clock_step", "west")
    assert event.body["detail"] == "the clock of collector west was set by -3600.0 s"
    box.close()


async def test_readings_from_before_the_first_lease_are_held_when_the_clock_proves_wrong(tmp_path):
    now, steady = [10_000_000], [5_000]
    clock = ServerClock(lambda: now[0], lambda: steady[0])
    box = Outbox(tmp_path / "outbox.sqlite")
    async with httpx.AsyncClient() as client:
        sink = OutboxSink(box, Delivery(ServerClient(client, "west"), box), "west", lambda: now[0], clock)
        sink.frames([Frame(layout("pdu-1"), now[0], (1.0,))], 1)
        clock.observe(now[0] - 3_600_000, steady[0], steady[0])
        sink.check_clock()
    assert box.batches(10) == []
    (group,) = box.dead.groups()
    assert (group.code, group.offset_ms) == ("clock_ahead", 3_600_000)
    assert [note.body["kind"] for note in box.notes("event", 10)] == ["clock_ahead"]
    box.close()


async def test_after_a_kill_polling_resumes_with_the_next_poll(tmp_path, monkeypatch):
    """A collector that ended without a farewell starts again: nothing that it left makes it wait."""
    path = tmp_path / "outbox.sqlite"

    async def killed(*_):
        raise ServerDown("killed")

    async with hall() as (_, server, one):
        with monkeypatch.context() as patch:
            patch.setattr(ServerClient, "release", killed)
            async with collecting(server.url, path):
                await polled(one, 2)
        seen, leases = len(one.requests), len(server.asked("/api/v1/collectors/west/lease"))
        async with collecting(server.url, path):
            await until(lambda: len(one.requests) > seen)
            assert len(server.asked("/api/v1/collectors/west/lease")) - leases <= 2
            await polled(one, 1)
            assert len(server.asked("/api/v1/collectors/west/lease")) - leases <= 2


class Deaf:
    """A driver whose read swallows every cancellation."""

    model, vendor, missing = "", "", ()
    reads = 0

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    def layouts(self):
        return [layout("deaf")]

    async def read(self, groups):
        self.reads += 1
        while not self.released.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await self.released.wait()
        return Poll([Frame(layout("deaf"), wall_clock_ms(), (1.0,))])


async def test_no_lease_no_poll_whatever_a_driver_does(tmp_path, caplog):
    """A poller whose cancellation is swallowed holds nothing up: its device is given up, the others are polled."""
    deaf = Deaf()
    deaf.released = asyncio.Event()

    async def factory(device):
        return deaf if device.key == "deaf" else await driver_for(device)

    async with responding(lambda request: (200, DCGM)) as one:
        fake = Facility([exporter("deaf", one.url) | {"interval_s": 0.2}, exporter("one", one.url)])
        async with (
            responding(fake) as server,
            collecting(server.url, tmp_path / "outbox.sqlite", lease_s=0.6, factory=factory),
        ):
            await until(lambda: deaf.reads == 1 and fake.stored_of("one") >= 1)
            fake.devices = []
            renewed = len(server.asked("/api/v1/collectors/west/lease"))
            await until(lambda: len(server.asked("/api/v1/collectors/west/lease")) >= renewed + 4)
            await polls_settled(one)
            before = len(one.requests)
            deaf.released.set()
            renewed = len(server.asked("/api/v1/collectors/west/lease"))
            await until(lambda: len(server.asked("/api/v1/collectors/west/lease")) >= renewed + 8)
            assert (len(one.requests), deaf.reads) == (before, 1)
    assert fake.stored_of("deaf") == 0
    assert any("poll deaf does not stop" in r.message for r in caplog.records)


async def polls_settled(exporter) -> None:
    seen = -1
    while seen != len(exporter.requests):
        seen = len(exporter.requests)
        await asyncio.sleep(0.3)
