import numpy as np
import pytest

from collectors.contract import DAY_MS
from collectors.errors import ServerRefused
from collectors.polling.drivers import driver_for
from collectors.simulator.agents.agents import AgentSet, polled
from collectors.simulator.api_client import ApiClient
from collectors.simulator.history import HistorySlice, deliver, holes, lacking, minutes, slices
from collectors.simulator.plant.facility_layout import FacilityLayout, read_facility_layout
from collectors.simulator.plant.plant import Plant
from tests.simulator.fake_server import FakeServer

HOUR_MS = 3_600_000
NOW = 1_792_000_800_000  # 2026-10-14T18:00:00Z
assert NOW % HOUR_MS == 0
SOME = ("pdu-r07-f", "pdu-r08-b", "meter-r09", "horeka-green-01-exporter")


@pytest.fixture(scope="module")
def small() -> Plant:
    facility = read_facility_layout()
    return Plant(FacilityLayout({key: facility.devices[key] for key in SOME}, facility.nodes))


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


@pytest.fixture
async def client(server: FakeServer):
    client = ApiClient("http://demo", transport=server.transport())
    yield client
    await client.close()


def test_what_lacks_of_a_window():
    assert holes(None, 0, 100) == [(0, 100)]
    assert holes((0, 99), 0, 100) == []
    assert holes((40, 60), 0, 100) == [(0, 40), (61, 100)]
    assert holes((-50, 60), 0, 100) == [(61, 100)]
    assert holes((-50, -10), 0, 100) == [(0, 100)]
    assert holes((30, 400), 0, 100) == [(0, 30)]


def test_minutes_are_full_ones_inside_the_window():
    assert minutes(1, 180_000).tolist() == [60_000, 120_000]
    assert minutes(60_000, 60_001).tolist() == [60_000]


def test_the_newest_slice_comes_first_and_nothing_is_lost():
    pieces = list(slices("d", [(5 * DAY_MS // 2, 7 * DAY_MS)]))
    assert pieces == [
        HistorySlice("d", 6 * DAY_MS, 7 * DAY_MS),
        HistorySlice("d", 4 * DAY_MS, 6 * DAY_MS),
        HistorySlice("d", 5 * DAY_MS // 2, 4 * DAY_MS),
    ]


@pytest.mark.anyio
async def test_a_day_of_history_arrives_whole(small: Plant, server: FakeServer, client: ApiClient):
    seen: list[tuple[int, int]] = []
    pieces = await lacking(client, small, NOW, 1)
    sent = await deliver(client, small, pieces, NOW, lambda done, total: seen.append((done, total)))
    assert sent == 4 * 1440
    assert seen[-1] == (4 * 1440, 4 * 1440)
    assert server.intervals == {60.0}
    rows = server.frames["pdu-r07-f", "main"]
    assert sorted(rows) == list(range(NOW - DAY_MS, NOW, 60_000))
    assert ("pdu-r07-f", "environment") in server.frames


@pytest.mark.anyio
async def test_a_device_that_was_away_has_gaps(small: Plant, server: FakeServer, client: ApiClient):
    await deliver(client, small, [HistorySlice("pdu-r08-b", NOW - HOUR_MS, NOW)], NOW)
    times = sorted(server.frames["pdu-r08-b", "main"])
    assert len(times) == 57
    assert not {NOW - 20 * 60_000, NOW - 19 * 60_000, NOW - 18 * 60_000} & set(times)


@pytest.mark.anyio
async def test_a_second_start_fills_only_what_came_after(small: Plant, server: FakeServer, client: ApiClient):
    await deliver(client, small, await lacking(client, small, NOW, 1), NOW)
    later = NOW + 30 * 60_000
    pieces = await lacking(client, small, later, 1)
    assert {(piece.start_ms, piece.end_ms) for piece in pieces} == {(NOW - 60_000 + 1, later)}
    assert await deliver(client, small, pieces, later) == 4 * 30
    assert await lacking(client, small, later, 1) == [
        HistorySlice(device, later - 60_000 + 1, later) for device in SOME
    ]  # less than a minute: nothing to send
    assert await deliver(client, small, await lacking(client, small, later, 1), later) == 0
    assert server.duplicates == 0


@pytest.mark.anyio
async def test_a_start_that_was_cut_short_is_made_up_for(small: Plant, server: FakeServer, client: ApiClient):
    pieces = await lacking(client, small, NOW, 5)
    await deliver(client, small, pieces[:5], NOW)
    await deliver(client, small, await lacking(client, small, NOW, 5), NOW)
    for device in SOME:
        times = sorted(server.frames[device, "main"])
        assert times == [t for t in range(NOW - 5 * DAY_MS, NOW, 60_000) if small.answers(device, np.array([t]))[0]]
    assert server.duplicates == 0


@pytest.mark.anyio
async def test_a_refusal_names_the_device(small: Plant, server: FakeServer, client: ApiClient):
    server.refuse = "meter-r09"
    with pytest.raises(ServerRefused, match="meter-r09"):
        await deliver(client, small, [HistorySlice("meter-r09", NOW - HOUR_MS, NOW)], NOW)


@pytest.mark.anyio
@pytest.mark.parametrize("device", SOME)
async def test_history_holds_what_a_live_poll_would_have_read(
    small: Plant, server: FakeServer, client: ApiClient, device: str
):
    then = NOW - 7 * 60_000
    await deliver(client, small, [HistorySlice(device, then, then + 1)], NOW)
    agents = AgentSet(small, lambda: then)
    await agents.start([device], any_port=True)
    driver = await driver_for(polled(small.facility.devices[device], agents.ports[device]))
    try:
        await driver.open()
        poll = await driver.read({"main", "environment"})
    finally:
        await driver.close()
        await agents.stop()
    for frame in poll.frames:
        stream = (device, frame.layout.group)
        assert server.series[stream] == [series.key for series in frame.layout.series]
        np.testing.assert_array_equal(server.frames[stream][then], frame.values)
