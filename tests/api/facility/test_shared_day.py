"""Facility pages that are open at once share the power of the last day for a second, and nothing else."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.server.application import create_app
from app.services.access import start_session
from app.services.pages import facility_day
from app.settings import Settings
from app.store.access import User
from app.store.facility import Rack
from app.store.jobs import Job, JobNode
from tests.api.conftest import Clock
from tests.api.hall import HOUR_MS, NOW, build, readings
from tests.checked_client import client_of


@pytest.fixture
def clock() -> Clock:
    found = Clock()
    found.now = NOW
    return found


@pytest.fixture
def app(sqlite_engine, tmp_path, clock) -> FastAPI:
    app = create_app(Settings(data_dir=tmp_path, host="0.0.0.0", jobs_of_others="hidden"), clock, sqlite_engine)
    build(app.state.stores)
    return app


@pytest.fixture
def reads(monkeypatch) -> list[int]:
    """The lengths [ms] of the windows that were read."""
    found: list[int] = []
    read = facility_day.read_facility_day

    def counted(stores, facility, racks, latest, window):
        found.append(window.length_ms)
        return read(stores, facility, racks, latest, window)

    monkeypatch.setattr(facility_day, "read_facility_day", counted)
    return found


def client_named(app: FastAPI, name: str) -> TestClient:
    stores = app.state.stores
    assert stores.users.create(User(name, ("researcher",)))
    client = client_of(app)
    client.cookies.set("wattline_session", start_session(stores, name, "")[0])
    return client


def test_the_day_is_read_once_a_second(app, clock, reads):
    client = client_named(app, "ada")
    energy_j = [client.get("/api/v1/facility").json()["total"]["energy_j"] for _ in range(3)]
    assert energy_j == [pytest.approx(3_000 * 3_600)] * 3
    assert reads == [24 * HOUR_MS]
    app.state.stores.frames.write(
        [readings(pdu, range(NOW + 10_000, NOW + 60_001, 10_000)) for pdu in ("pdu-a", "pdu-b")]
    )
    clock.now = NOW + 60_000
    assert client.get("/api/v1/facility").json()["total"]["energy_j"] == pytest.approx(3_000 * 3_660)
    assert reads == [24 * HOUR_MS] * 2


def test_another_window_or_another_facility_is_read_at_once(app, reads):
    client = client_named(app, "ada")
    client.get("/api/v1/facility")
    client.get("/api/v1/facility?window=1h")
    client.get(f"/api/v1/facility?from={NOW - HOUR_MS}&to={NOW - HOUR_MS // 2}")
    client.get(f"/api/v1/facility?from={NOW - HOUR_MS}&to={NOW - HOUR_MS // 2}")
    assert reads == [24 * HOUR_MS, HOUR_MS, HOUR_MS // 2]
    app.state.stores.facility.upsert([Rack(key="r2", site="lab")])
    racks = client.get("/api/v1/facility").json()["racks"]
    assert [rack["key"] for rack in racks] == ["r1", "r2"]
    assert len(reads) == 4


def test_what_a_user_may_not_see_and_what_changes_is_read_for_each(app, clock, reads):
    ada, bob = client_named(app, "ada"), client_named(app, "bob")

    def named(client: TestClient) -> list[str]:
        changes = client.get("/api/v1/facility").json()["changes"]
        return [one["what"] for one in changes if one["kind"].startswith("job")]

    assert (named(ada), named(bob)) == ([], [])
    job = Job(name="secret-run", user="bob", start_ms=NOW - HOUR_MS, nodes=(JobNode("n1"),))
    app.state.stores.jobs.create(job)
    assert named(bob) == ["secret-run"]
    assert "secret-run" not in ada.get("/api/v1/facility").text
    assert reads == [24 * HOUR_MS]
