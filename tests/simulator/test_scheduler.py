import pytest

from collectors.simulator.api_client import ApiClient
from collectors.simulator.plant.plant import Plant
from collectors.simulator.plant.schedule import occurrences
from collectors.simulator.scheduler import Scheduler
from tests.simulator.fake_server import FakeServer

NOW = 1_792_000_800_000
HOUR_MS, DAY_MS = 3_600_000, 86_400_000


async def advance(server: FakeServer, plant: Plant, now_ms: int, from_ms: int = NOW - 2 * DAY_MS) -> int:
    """One fresh start of the scheduler, as after a restart."""
    client = ApiClient("http://demo", transport=server.transport())
    scheduler = Scheduler(client, plant, from_ms)
    await scheduler.load()
    new = await scheduler.advance(now_ms)
    await client.close()
    return new


@pytest.mark.anyio
async def test_past_jobs_are_closed_and_present_ones_run(plant: Plant):
    server = FakeServer()
    new = await advance(server, plant, NOW)
    assert new == len(server.jobs) > 10
    for job in server.jobs.values():
        ended = job["end"] is not None
        assert job["state"] == ("completed" if ended else "running")
        assert job["submit"] < NOW
        assert not ended or job["end"] <= NOW
    assert any(job["end"] is None for job in server.jobs.values())


@pytest.mark.anyio
async def test_a_second_start_registers_nothing_twice(plant: Plant):
    server = FakeServer()
    await advance(server, plant, NOW)
    assert await advance(server, plant, NOW) == 0


@pytest.mark.anyio
async def test_jobs_that_ended_while_no_one_looked_are_closed_at_their_end(plant: Plant):
    server = FakeServer()
    await advance(server, plant, NOW)
    running = {id_: job for id_, job in server.jobs.items() if job["end"] is None}
    assert running
    ends = {(o.run.cluster, o.job_id): o.end_ms for o in occurrences(plant.runs, NOW - DAY_MS, NOW + DAY_MS)}
    later = NOW + 9 * DAY_MS
    await advance(server, plant, later, later - 2 * DAY_MS)
    for id_, job in running.items():
        assert server.jobs[id_]["state"] == "completed"
        assert server.jobs[id_]["end"] == ends[job["cluster"], job["job_id"]]


@pytest.mark.anyio
async def test_a_job_says_what_it_ran_and_on_what(plant: Plant):
    server = FakeServer()
    await advance(server, plant, NOW, NOW - 6 * DAY_MS)
    by_name = {job["name"]: job for job in server.jobs.values()}
    resnet = by_name["resnet152-b512"]
    assert resnet["tags"] == {
        "paper": "latif-2024", "node_type": "8xh100", "task": "training", "model": "resnet152", "batch_size": "512",
        "repeat": resnet["tags"]["repeat"],
    }  # fmt: skip
    assert resnet["nodes"][0]["gpus"] == list(range(8))
    mixed = by_name["health-training-cpu-mix"]
    assert mixed["tags"]["use_case"] == "health"
    assert mixed["tags"]["node_type"] == "cpu-mix"
    assert mixed["tags"]["shortened"] == "true"
    assert mixed["nodes"] == [{"node": "horeka-green-01", "exclusive": True, "cores": 76}]


@pytest.mark.anyio
async def test_live_steps_start_and_end_jobs_as_the_clock_passes(plant: Plant):
    server = FakeServer()
    client = ApiClient("http://demo", transport=server.transport())
    scheduler = Scheduler(client, plant, NOW - DAY_MS)
    await scheduler.load()
    await scheduler.advance(NOW)
    before = len(server.jobs)
    for step in range(1, 25):
        await scheduler.advance(NOW + step * HOUR_MS)
    await client.close()
    end = NOW + 24 * HOUR_MS
    expected = [o for o in occurrences(plant.runs, NOW - DAY_MS, end) if o.start_ms >= NOW - DAY_MS]
    assert len(server.jobs) == len(expected) > before
    running = {job["job_id"] for job in server.jobs.values() if job["end"] is None}
    assert running == {o.job_id for o in expected if o.end_ms > end}
