"""A server's clock that is set back freezes nothing: latest and live values, states, alerts, locks, leases, figures."""

import pytest

from app.services.alerts.evaluation import evaluate
from app.services.devices.leases import lease
from app.services.jobs import refresh
from app.services.live import LiveView
from app.services.timeseries import read_latest
from app.store.database import acquire_task_lock, writing

HOUR_MS = 3_600_000
BACK = [HOUR_MS, 30 * 24 * HOUR_MS]


@pytest.fixture(params=BACK)
def set_back(request, hall, clock, deliver):
    """10 A on line 1 for a minute, then the clock goes back."""
    deliver("pdu-a", clock.now - 60_000, {"inlet/l1:current": [10.0] * 7, "outlet/1:power": [500.0] * 7})
    assert read_latest(hall).value("pdu-a/outlet/1:power") == 500.0

    def step():
        clock.now -= request.param

    return step


def test_the_next_poll_is_the_latest_and_older_values_do_not_count(hall, clock, deliver, set_back):
    live = LiveView(hall)
    assert live.snapshot().nodes["n1"].power.known_w == 500.0
    set_back()
    assert read_latest(hall).value("pdu-a/outlet/1:power") is None
    assert live.snapshot().devices["pdu-a"].state == "silent"
    deliver("pdu-a", clock.now - 5_000, {"inlet/l1:current": [11.0], "outlet/1:power": [600.0]})
    clock.now += 1000
    assert live.snapshot().nodes["n1"].power.known_w == 600.0
    assert live.snapshot().devices["pdu-a"].state == "ok"
    late = clock.now - 60_000
    deliver("pdu-a", late, {"inlet/l1:current": [12.0], "outlet/1:power": [700.0]})
    assert read_latest(hall).value("pdu-a/outlet/1:power") == 600.0


def test_readings_of_the_time_that_comes_again_stay(hall, clock, deliver, set_back):
    before = hall.frames.read(["pdu-a/outlet/1:power"], 0, 1 << 50)["pdu-a/outlet/1:power"]
    first = clock.now - 60_000
    set_back()
    deliver("pdu-a", clock.now, {"inlet/l1:current": [1.0], "outlet/1:power": [1.0]})
    clock.now = first
    deliver("pdu-a", first, {"inlet/l1:current": [2.0] * 2, "outlet/1:power": [2.0] * 2})
    after = hall.frames.read(["pdu-a/outlet/1:power"], first, 1 << 50)["pdu-a/outlet/1:power"]
    known = dict(zip(after.t_ms.tolist(), after.v.tolist(), strict=True))
    assert [known[t] for t in before.t_ms.tolist()] == before.v.tolist()


def alerts(client):
    return {one["rule"] for one in client.get("/api/v1/alerts").json()["items"]}


def test_alerts_open_and_end_as_before(client, hall, clock, deliver, set_back):
    evaluate(hall, "a server that is gone")
    bad = {"point": "input/l1", "quantity": "current", "unit": "A"}
    for i in range(62):
        t = clock.now - 620_000 + 10_000 * i
        body = {"device": "pdu-a", "group": "in", "interval_s": 10, "series": [bad], "t": [t], "values": [[65_535.0]]}
        client.post("/api/v1/ingest", json=body).raise_for_status()
    evaluate(hall, "a server that is gone")
    assert "reading_refused" in alerts(client)
    set_back()
    for _ in range(60):  # 10 minutes at 50 A, above 80 % of 50 A; nothing is refused any more
        deliver("pdu-a", clock.now, {"inlet/l1:current": [50.0], "outlet/1:power": [500.0]})
        evaluate(hall, "me")
        clock.now += 10_000
    assert "circuit_load" in alerts(client)
    assert "reading_refused" not in alerts(client)


def test_refused_readings_are_counted_again(client, hall, clock, set_back):
    bad = {"point": "input/l1", "quantity": "current", "unit": "A"}
    set_back()
    for _ in range(62):
        body = {"device": "pdu-a", "group": "in", "interval_s": 10, "series": [bad], "t": [clock.now]}
        client.post("/api/v1/ingest", json=body | {"values": [[65_535.0]]}).raise_for_status()
        evaluate(hall, "me")
        clock.now += 10_000
    assert "reading_refused" in alerts(client)


def test_locks_and_leases_from_the_future_are_not_in_force(hall, clock, set_back):
    with writing(hall.engine) as connection:
        assert acquire_task_lock(connection, "task", "gone", clock.now, 60_000)
    assert lease(hall, "gone", 60_000)[1]
    set_back()
    with writing(hall.engine) as connection:
        assert acquire_task_lock(connection, "task", "me", clock.now, 60_000)
    assert [one.device.key for one in lease(hall, "me", 60_000)[1]] == ["pdu-a"]
    with writing(hall.engine) as connection:
        assert not acquire_task_lock(connection, "task", "other", clock.now + 1000, 60_000)
    assert lease(hall, "other", 60_000)[1] == []


def test_figures_computed_ahead_are_computed_again(client, hall, clock, deliver, register, set_back):
    begin = clock.now - 31 * 24 * HOUR_MS
    deliver("pdu-a", begin, {"inlet/l1:current": [10.0] * 7, "outlet/1:power": [500.0] * 7})
    job = register(cluster="c", job_id="1", start=begin, end=begin + 30_000, nodes=[{"node": "n1"}])
    assert job["summary"]["energy_j"] == pytest.approx(500 * 30)
    set_back()
    deliver("pdu-a", begin + 5_000, {"inlet/l1:current": [10.0], "outlet/1:power": [1500.0]})
    clock.now += 1000
    refresh(hall, "me", 10)
    again = client.get(f"/api/v1/jobs/{job['id']}").json()["summary"]["energy_j"]
    assert again == pytest.approx(500 * 30 + 5 * 1000)  # a triangle of 1000 W over 10 s
    assert hall.jobs.outdated(10) == []
