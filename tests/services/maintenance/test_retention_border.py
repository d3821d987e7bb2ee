"""Nothing before the retention border is computed again: late readings, late jobs, edited ends, corrected cords."""

from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.server.application import create_app
from app.services.invalidation import readings_changed
from app.services.jobs import refresh
from app.services.maintenance import retire
from app.services.rollups.minute_rollups import refresh_minutes
from app.settings import Keep, Settings
from app.store.database.engine import Engine
from app.store.facility import Device, Node, Rack, Site
from app.store.timeseries.compaction import seal
from app.store.timeseries.readings import FrameBatch
from collectors.contract import DAY_MS, HOUR_MS
from collectors.contract.frame import Layout, Quantity, Series

FIRST = 20_000 * DAY_MS  # 2024-10-04
SERIES = (Series("inlet", Quantity.POWER), Series("probe/1", Quantity.TEMPERATURE))
LAYOUT = Layout("pdu", "main", 600_000, SERIES)
ACCOUNTS = "/api/v1/accounts?by=node&from=2024-10-04&to=2024-10-08"


class Clock:
    now = FIRST + 5 * DAY_MS

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(sqlite_engine: Engine, tmp_path: Path, clock: Clock) -> TestClient:
    """Four days of 250 W; accounts and a job of the second day are computed, then the readings are deleted."""
    keep = {"power": Keep(full_days=20), "environment": Keep(full_days=365)}
    app = create_app(Settings(data_dir=tmp_path, keep=keep), clock, sqlite_engine)
    stores = app.state.stores
    place = {"site": "s", "rack": "r"}
    stores.facility.upsert(
        [
            Site(key="s"),
            Rack(key="r", site="s"),
            Device(key="pdu", kind="pdu", **place),
            Node(key="n", feeds=("pdu/inlet",), **place),
        ]
    )
    t = FIRST + 600_000 * np.arange(4 * 144, dtype=np.int64)
    stores.frames.write([FrameBatch(LAYOUT, t, np.column_stack([np.full(len(t), 250.0), np.full(len(t), 20.0)]))])
    seal(stores.engine, clock.now)
    while refresh_minutes(stores, "me"):
        pass
    client = TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)
    client.post("/api/v1/jobs", json=job("early", 26, 28)).raise_for_status()
    # 0.25 kW for four days
    assert energies(client) == pytest.approx({"idle": 23.5 * 3.6e6, "jobs": 0.5 * 3.6e6})
    clock.now += 60 * DAY_MS
    seal(stores.engine, clock.now)
    retire(stores, "me", stores.settings)
    samples = stores.frames.read(["pdu/inlet:power"], 0, FIRST + 5 * DAY_MS)["pdu/inlet:power"]
    assert len(samples.t_ms) == 0
    return client


def job(name: str, start_h: float, end_h: float) -> dict[str, object]:
    start, end = (FIRST + round(hours * HOUR_MS) for hours in (start_h, end_h))
    return {"cluster": "c", "job_id": name, "start": start, "end": end, "nodes": [{"node": "n"}]}


def energies(client: TestClient) -> dict[str, float]:
    """Line → J, of the four days."""
    answer = client.get(ACCOUNTS)
    assert answer.status_code == 200, answer.text
    return {line["line"]: line["energy_j"] for line in answer.json()["items"]}


def send(client: TestClient, t: list[int], watts: list[float | None], celsius: list[float | None]) -> dict:
    rows = [
        {"point": "inlet", "quantity": "power", "unit": "W"},
        {"point": "probe/1", "quantity": "temperature", "unit": "°C"},
    ]
    body = {"device": "pdu", "interval_s": 600, "series": rows, "t": t, "values": [watts, celsius]}
    return client.post("/api/v1/ingest", json=body).json()


def test_a_late_frame_is_rejected_for_good_and_counted(client, clock):
    before = energies(client)
    late, now = FIRST + 30 * HOUR_MS, clock.now - 600_000
    answer = send(client, [late, late + 300_000, now], [900.0, None, 250.0], [None, 21.0, 22.0])
    (rejected,) = answer["rejected"]
    assert (rejected["code"], rejected["retryable"], rejected["index"]) == ("before_retention", False, 0)
    assert "1 frames" in rejected["detail"]
    assert "2024-11-18T00:00:00Z" in rejected["detail"]  # 20 days before 2024-12-08
    assert answer["accepted"] == 2  # a temperature of that time is still kept
    stores = client.app.state.stores
    found = stores.frames.read(["pdu/inlet:power", "pdu/probe/1:temperature"], late, clock.now)
    assert found["pdu/inlet:power"].v.tolist() == [250.0]
    assert {21.0, 22.0} <= set(found["pdu/probe/1:temperature"].v.tolist())
    assert 'wattline_frames_total{fate="before_retention"} 1.0' in client.get("/metrics").text
    assert energies(client) == before
    again = send(client, [late], [900.0], [None])
    assert (again["accepted"], [one["code"] for one in again["rejected"]]) == (0, ["before_retention"])


def test_days_before_the_border_stay_whatever_changes_around_them(client, clock):
    before = energies(client)
    stores = client.app.state.stores
    readings_changed(stores, stores.facility.history(), ["pdu"], FIRST, FIRST + 2 * DAY_MS)
    client.post("/api/v1/jobs", json=job("late", 30, 32)).raise_for_status()
    stores.facility.upsert([Rack(key="r2", site="s")])
    params = {"effective": FIRST + 36 * HOUR_MS}
    moved = client.patch("/api/v1/nodes/n", json={"rack": "r2", "feeds": []}, params=params)
    assert moved.status_code == 200
    refresh(stores, "me", 10)
    assert energies(client) == before


def test_a_job_registered_there_has_no_energy_and_an_earlier_one_keeps_its_own(client, clock):
    late = client.post("/api/v1/jobs", json=job("late", 30, 32)).json()
    assert (late["summary"]["energy_j"], late["summary"]["coverage"]) == (None, 0.0)
    (early,) = client.get("/api/v1/jobs?job_id=early").json()["items"]
    assert early["summary"]["energy_j"] == pytest.approx(0.5 * 3.6e6)


def test_the_end_of_a_job_from_there_cannot_change(client, clock):
    (early,) = client.get("/api/v1/jobs?job_id=early").json()["items"]
    answer = client.patch(f"/api/v1/jobs/{early['id']}", json={"end": FIRST + 29 * HOUR_MS})
    assert (answer.status_code, answer.json()["code"]) == (409, "before_retention")
    named = client.patch(f"/api/v1/jobs/{early['id']}", json={"name": "first"})
    assert named.json()["summary"]["energy_j"] == pytest.approx(0.5 * 3.6e6)


def test_a_job_that_overlaps_the_border_has_no_energy(client, clock):
    """Half of its readings are there: a figure of that half would look like one of the whole."""
    border_h = (clock.now - 20 * DAY_MS - FIRST) / HOUR_MS
    t = [clock.now - 20 * DAY_MS + 600_000 * i for i in range(12)]
    assert send(client, t, [250.0] * 12, [20.0] * 12)["accepted"] == 12
    answer = client.post("/api/v1/jobs", json=job("across", border_h - 1, border_h + 1)).json()
    assert answer["summary"]["energy_j"] is None


def test_a_cord_corrected_there_changes_nothing_and_the_answer_says_so(client, clock):
    before = energies(client)
    params = {"effective": "2024-10-05T00:00:00Z"}
    answer = client.patch("/api/v1/nodes/n", json={"feeds": []}, params=params).json()
    (warning,) = answer["warnings"]
    assert "readings before 2024-11-18T00:00:00Z are deleted" in warning
    assert "warnings" not in client.patch("/api/v1/nodes/n", json={"feeds": ["pdu/inlet"]}).json()
    text = '[devices.pdu]\nkind = "pdu"\nrack = "r"\n[nodes.n]\nrack = "r"\nfeeds = []\n'
    headers = {"content-type": "text/toml"}
    applied = client.post("/api/v1/facility", content=text, params=params, headers=headers).json()
    assert applied["changes"]
    assert any("2024-11-18" in one for one in applied["warnings"])
    assert energies(client) == before


def test_an_object_deleted_there_leaves_the_accounts_and_the_answer_says_so(client, clock):
    before = energies(client)
    stores = client.app.state.stores
    stores.facility.upsert([Rack(key="r2", site="s"), Rack(key="r3", site="s")])
    answer = client.delete("/api/v1/racks/r2", params={"effective": "2024-10-05T00:00:00Z"})
    assert answer.status_code == 200
    assert "readings before 2024-11-18T00:00:00Z are deleted" in answer.json()["warnings"][0]
    assert client.delete("/api/v1/racks/r3").status_code == 204
    assert energies(client) == before
