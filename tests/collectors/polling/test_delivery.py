"""Delivery against a real HTTP server that a test scripts."""

import asyncio
import math

import httpx
import pytest

from collectors.contract.frame import Frame, Layout, Quantity, Series
from collectors.contract.wire import layout_from_wire
from collectors.delivery import Delivery, ServerClient
from collectors.delivery.outbox import Outbox
from collectors.errors import OutboxError, ServerDown
from tests.http_responder import Request, responding

pytestmark = pytest.mark.anyio


def layout(device: str) -> Layout:
    return Layout(device, "main", 10_000, (Series("inlet", Quantity.POWER),))


class FakeServer:
    """Knows layouts, stores frames, rejects the devices it is told to."""

    def __init__(self) -> None:
        self.layouts: dict[str, Layout] = {}
        self.stored: list[tuple[str, int, float | None]] = []
        self.rejects: dict[str, str] = {}
        self.unreadable: set[str] = set()
        self.down = 0

    def __call__(self, request: Request):
        if self.down:
            return self.down, {"detail": "resting", "code": "resting"}
        if request.path == "/api/v1/layouts":
            return self.learn(request.json()["layouts"])
        if request.path == "/api/v1/ingest":
            return self.ingest(request.json()["batches"])
        body = request.json()
        if any("bad" in str(row) for row in next(iter(body.values()))):
            return 422, {"detail": "bad note", "code": "invalid"}
        return 200, {}

    def learn(self, wires):
        rejected = []
        for i, wire in enumerate(wires):
            known, _ = layout_from_wire(wire)
            if self.rejects.get(known.device) == "unknown_device":
                rejected.append({"index": i, "code": "unknown_device", "detail": "no"})
            else:
                self.layouts[known.hash] = known
        return 200, {"layouts": [], "rejected": rejected}

    def ingest(self, batches):
        if any(batch["device"] in self.unreadable for batch in batches):
            return 422, {"detail": "cannot be read", "code": "invalid_body"}
        rejected = []
        for i, batch in enumerate(batches):
            if batch["device"] in self.rejects:
                rejected.append({"index": i, "code": self.rejects[batch["device"]], "detail": "no"})
            elif batch["layout"] not in self.layouts:
                rejected.append({"index": i, "code": "unknown_layout", "detail": "announce it"})
            else:
                self.stored += [(batch["device"], t, v) for t, v in zip(batch["t"], batch["values"][0], strict=True)]
        return 422 if rejected else 200, {"accepted": 0, "rejected": rejected}


@pytest.fixture
def box(tmp_path):
    outbox = Outbox(tmp_path / "outbox.sqlite")
    yield outbox
    outbox.close()


async def flush(box: Outbox, fake: FakeServer, times: int = 1) -> list[str]:
    """Deliver, and return the paths that were asked."""
    async with responding(fake) as server, httpx.AsyncClient(base_url=server.url) as client:
        delivery = Delivery(ServerClient(client, "collector-1"), box, clock=lambda: 99)
        for _ in range(times):
            await delivery.flush()
        return [request.path for request in server.requests]


async def test_layouts_first_then_frames_of_many_devices_in_one_request(box):
    fake = FakeServer()
    box.put([Frame(layout("pdu-1"), 1000, (1.0,)), Frame(layout("pdu-2"), 1000, (math.nan,))])
    paths = await flush(box, fake)
    assert paths == ["/api/v1/layouts", "/api/v1/ingest"]
    assert fake.stored == [("pdu-1", 1000, 1.0), ("pdu-2", 1000, None)]
    assert box.waiting == 0


async def test_a_layout_the_server_refuses_takes_its_frames_along_and_no_others(box):
    fake = FakeServer()
    fake.rejects = {"pdu-1": "unknown_device"}
    box.put([Frame(layout("pdu-1"), 1000, (1.0,)), Frame(layout("pdu-2"), 1000, (2.0,))])
    await flush(box, fake)
    assert fake.stored == [("pdu-2", 1000, 2.0)]
    assert box.dead.rows() == [("unknown_device", "no", 1000)]


async def test_a_rejected_batch_goes_to_the_dead_letters_and_the_rest_is_stored(box):
    fake = FakeServer()
    fake.rejects = {"pdu-1": "bad_value"}
    box.put([Frame(layout("pdu-1"), 1000, (1.0,)), Frame(layout("pdu-2"), 1000, (2.0,))])
    await flush(box, fake)
    assert fake.stored == [("pdu-2", 1000, 2.0)]
    assert box.dead.rows() == [("bad_value", "no", 1000)]
    assert box.waiting == 0


async def test_frames_from_the_future_are_sent_again_and_never_dead(box):
    fake = FakeServer()
    fake.rejects = {"pdu-1": "future_time"}
    box.put([Frame(layout("pdu-1"), 1000, (1.0,)), Frame(layout("pdu-2"), 1000, (2.0,))])
    await flush(box, fake)
    assert fake.stored == [("pdu-2", 1000, 2.0)]
    assert (box.dead.rows(), box.waiting) == ([], 1)
    fake.rejects = {}
    await flush(box, fake)
    assert fake.stored == [("pdu-2", 1000, 2.0), ("pdu-1", 1000, 1.0)]
    assert box.waiting == 0


async def test_of_a_batch_stored_in_part_only_the_rest_is_kept(box):
    """Frames at 1 s … 5 s: 1 s is too old for good, 4 s and 5 s are from the future; 2 s and 3 s are stored."""
    old = {"index": 0, "code": "before_retention", "detail": "too old", "t": 1000, "t_last": 1000}
    future = {"index": 0, "code": "future_time", "detail": "ahead", "t": 4000, "t_last": 5000}

    def partly(request: Request):
        return (422, {"rejected": [old, future]}) if request.path == "/api/v1/ingest" else (200, {"rejected": []})

    box.put([Frame(layout("pdu-1"), t, (1.0,)) for t in range(1000, 6000, 1000)])
    await flush(box, partly)
    assert box.dead.rows() == [("before_retention", "too old", 1000)]
    assert box.batches(10) == []
    assert box.resume() == 2
    (left,) = box.batches(10)
    assert left.t_ms == (4000, 5000)


async def test_many_new_layouts_are_announced_in_batches_and_resumed(box):
    """600 layouts, 50 a request. The server stops answering at the 8th: 350 are known and not sent again."""
    fake = FakeServer()
    sizes = []

    def tired(request: Request):
        if request.path == "/api/v1/layouts":
            sizes.append(len(request.json()["layouts"]))
            if len(sizes) == 8:
                return 503, {"detail": "busy", "code": "database_busy"}
        return fake(request)

    box.put([Frame(layout(f"pdu-{n}"), 1000, (1.0,)) for n in range(600)])
    with pytest.raises(ServerDown):
        await flush(box, tired)
    assert len(fake.layouts) == 350
    await flush(box, tired)
    assert sizes == [50] * 13
    assert (len(fake.layouts), len(fake.stored), box.waiting) == (600, 600, 0)


async def test_a_full_disk_does_not_end_delivery(box, monkeypatch):
    fake = FakeServer()
    box.put([Frame(layout("pdu-1"), 1000, (1.0,))])
    broken = [OutboxError("outbox: database or disk is full")] * 2

    def acknowledge(ids, real=box.acknowledge):
        if broken:
            raise broken.pop()
        real(ids)

    monkeypatch.setattr(box, "acknowledge", acknowledge)
    monkeypatch.setattr("collectors.delivery.delivery.random.uniform", lambda low, high: 0.01)
    async with responding(fake) as server, httpx.AsyncClient(base_url=server.url) as client:
        task = asyncio.create_task(Delivery(ServerClient(client, "collector-1"), box).run())
        for _ in range(200):
            await asyncio.sleep(0.01)
            if not box.waiting:
                break
        assert not task.done()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert box.waiting == 0


async def test_what_is_to_be_sent_again_stays_and_the_rest_is_not_sent_twice(box):
    rows = [{"index": 0, "code": "database_busy", "detail": "busy", "retryable": True}]

    def busy(request: Request):
        return (503, {"rejected": rows}) if request.path == "/api/v1/ingest" else (200, {"rejected": []})

    box.put([Frame(layout("pdu-1"), 1000, (1.0,)), Frame(layout("pdu-2"), 1000, (2.0,))])
    with pytest.raises(ServerDown, match="busy"):
        await flush(box, busy)
    assert box.dead.rows() == []
    (left,) = box.batches(10)
    assert (left.layout.device, left.t_ms) == ("pdu-1", (1000,))


async def test_a_body_that_cannot_be_read_is_split_until_the_culprit_is_alone(box):
    fake = FakeServer()
    fake.unreadable = {"pdu-2"}
    box.put([Frame(layout(f"pdu-{n}"), 1000, (float(n),)) for n in (1, 2, 3)])
    await flush(box, fake)
    assert [device for device, _, _ in fake.stored] == ["pdu-1", "pdu-3"]
    assert box.dead.rows() == [("invalid_body", "cannot be read", 1000)]


@pytest.mark.parametrize("status", [500, 503, 429, 401, 404])
async def test_a_server_that_is_down_or_locked_loses_nothing(box, status):
    fake = FakeServer()
    fake.down = status
    box.put([Frame(layout("pdu-1"), 1000, (1.0,))])
    with pytest.raises(ServerDown):
        await flush(box, fake)
    assert box.waiting == 1
    assert box.dead.rows() == []
    fake.down = 0
    await flush(box, fake)
    assert fake.stored == [("pdu-1", 1000, 1.0)]


async def test_no_server_listens(box):
    async with responding(FakeServer()) as server:
        url = server.url
    box.put([Frame(layout("pdu-1"), 1000, (1.0,))])
    async with httpx.AsyncClient(base_url=url) as client:
        with pytest.raises(ServerDown, match=r"not reachable: \S+"):
            await Delivery(ServerClient(client, "c"), box).flush()
    assert box.waiting == 1


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (httpx.ReadTimeout(""), "no answer in time"),
        (httpx.ConnectTimeout(""), "no connection in time"),
        (httpx.RemoteProtocolError(""), "the connection was closed without an answer"),
        (httpx.ConnectError("Connection refused"), "Connection refused"),
        (httpx.UnsupportedProtocol(""), "UnsupportedProtocol"),
    ],
)
async def test_the_reason_why_the_server_is_not_reachable_is_named(error, reason):
    def fail(request):
        raise error

    async with httpx.AsyncClient(base_url="http://server", transport=httpx.MockTransport(fail)) as client:
        with pytest.raises(ServerDown) as caught:
            await ServerClient(client, "c").post("/x", {})
    assert caught.value.detail == f"http://server is not reachable: {reason}"


async def test_a_server_that_forgot_the_layout_is_sent_it_again(box):
    fake = FakeServer()
    box.put([Frame(layout("pdu-1"), 1000, (1.0,))])
    await flush(box, fake)
    fake.layouts.clear()
    box.put([Frame(layout("pdu-1"), 2000, (2.0,))])
    await flush(box, fake)
    assert [t for _, t, _ in fake.stored] == [1000, 2000]


async def test_a_server_that_never_learns_the_layout_ends_it(box):
    fake = FakeServer()
    fake.rejects = {"pdu-1": "unknown_layout"}
    box.put([Frame(layout("pdu-1"), 1000, (1.0,))])
    await flush(box, fake)
    assert [code for code, _, _ in box.dead.rows()] == ["unknown_layout"]


async def test_polls_and_events_and_one_bad_among_them(box):
    fake = FakeServer()
    box.put_note("poll", {"device": "pdu-1", "t": 1, "duration_ms": 5, "code": "device_timeout", "detail": ""})
    box.put_note("poll", {"device": "bad", "t": 2, "duration_ms": 5, "code": "x", "detail": ""})
    box.put_note("event", {"device": "pdu-1", "t": 1, "kind": "device_lost"})
    paths = await flush(box, fake)
    assert paths == ["/api/v1/polls"] * 3 + ["/api/v1/events"]
    assert box.notes("poll", 9) == box.notes("event", 9) == []
    assert [code for code, _, _ in box.dead.rows()] == ["invalid"]


async def test_the_token_goes_with_every_request(box):
    fake = FakeServer()
    box.put_note("event", {"t": 1, "kind": "outbox_full"})
    headers = {"Authorization": "Bearer t0ken"}
    async with responding(fake) as server, httpx.AsyncClient(base_url=server.url, headers=headers) as client:
        await Delivery(ServerClient(client, "c"), box).flush()
    assert server.requests[0].headers["authorization"] == "Bearer t0ken"


@pytest.mark.parametrize("steps", range(5))
async def test_it_ends_when_it_is_woken_in_the_same_moment(box, steps):
    async with httpx.AsyncClient(base_url="http://127.0.0.1:1") as client:
        delivery = Delivery(ServerClient(client, "collector-1"), box)
        task = asyncio.create_task(delivery.run())
        await asyncio.sleep(0.02)  # nothing waits: it sleeps
        delivery.wake()
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=2)
    assert done
    assert task.cancelled()
