"""The demo hall in the real server: facility file, history, jobs, and the published figures out of the API."""

from pathlib import Path

import httpx
import pytest

from app.server.application import create_app
from app.services.facility.apply_facility import apply
from app.services.facility.file import load
from app.settings import Settings
from app.store.database.engine import Engine
from collectors.contract import DAY_MS
from collectors.simulator.api_client import ApiClient
from collectors.simulator.history import deliver, lacking
from collectors.simulator.plant.facility_layout import DEMO
from collectors.simulator.plant.faults import AWAY
from collectors.simulator.plant.plant import Plant
from collectors.simulator.plant.schedule import occurrences
from collectors.simulator.scheduler import Scheduler

LATER_MS = 10 * 60_000


@pytest.fixture
def now_ms(plant: Plant) -> int:
    """Ten minutes after the end of a ResNet-152 run with batch 4096."""
    week = occurrences(plant.runs, 1_792_000_000_000 - 7 * DAY_MS, 1_792_000_000_000)
    return next(o.end_ms for o in week if o.run.work.key == "resnet152-b4096") + LATER_MS


@pytest.fixture
def transport(sqlite_engine: Engine, tmp_path: Path, now_ms: int) -> httpx.ASGITransport:
    app = create_app(Settings(data_dir=tmp_path), lambda: now_ms, sqlite_engine)
    apply(app.state.stores, load(DEMO))
    return httpx.ASGITransport(app=app, client=("127.0.0.1", 0))


@pytest.mark.anyio
async def test_the_paper_comes_out_of_the_api(plant: Plant, transport: httpx.ASGITransport, now_ms: int):
    client = ApiClient("http://127.0.0.1", transport=transport)
    pieces = await lacking(client, plant, now_ms, 0.25)
    assert {piece.device for piece in pieces} == set(plant.facility.devices)
    await deliver(client, plant, pieces, now_ms)
    left = [piece for piece in await lacking(client, plant, now_ms, 0.25) if piece.device not in AWAY]
    assert {piece.minutes for piece in left} == {0}

    scheduler = Scheduler(client, plant, now_ms - DAY_MS // 4)
    await scheduler.load()
    assert await scheduler.advance(now_ms) >= 1
    again = Scheduler(client, plant, now_ms - DAY_MS // 4)
    await again.load()
    assert await again.advance(now_ms) == 0

    job = next(job for job in (await client.jobs("bnl")).values() if job["name"] == "resnet152-b4096")
    summary = job["summary"]
    assert summary["power_w"]["median"] == pytest.approx(6260, rel=0.005)
    assert summary["power_w"]["max"] == pytest.approx(6480, rel=0.005)
    assert summary["energy_kwh"] == pytest.approx(30, rel=0.005)
    assert summary["duration_s"] == pytest.approx(4.8 * 3600)
    assert summary["coverage"] == pytest.approx(1.0)
    assert summary["source"] == "pdu"
    await client.close()
