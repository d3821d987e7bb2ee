"""Rated, usable and observed, against a hall reckoned by hand."""

import numpy as np
import pytest

from app.services.rollups.minute_rollups import refresh_minutes
from app.store.facility import Breaker, Device, Rack
from app.store.timeseries.readings import FrameBatch
from collectors.contract import Layout, Quantity, Series

N = 361


@pytest.fixture
def measured(hall, deliver, start):
    """An hour: n1 at 500 W with one reading of 1200 W; n2 at 300 W, silent in its second half; currents of the PDU."""
    deliver(
        "pdu-a",
        start,
        {
            "outlet/1:power": [1200.0 if i == 90 else 500.0 for i in range(N)],
            "outlet/2:power": [300.0 if i < 180 else None for i in range(N)],
            "inlet:power": [3000.0] * N,
            "inlet/l1:current": [20.0] * N,
            "inlet/l2:current": [30.0 if i == 90 else 10.0 for i in range(N)],
            "inlet/l3:current": [5.0] * N,
        },
        accuracy_pct=1.0,
    )
    return hall


def rows(client, level, start):
    answer = client.get(f"/api/v1/headroom?level={level}&from={start}&to={start + 3_600_000}")
    assert answer.status_code == 200, answer.text
    return {row["key"]: row for row in answer.json()["items"]}


def test_nodes_are_held_against_their_rating(client, measured, start):
    found = rows(client, "node", start)
    n1 = found["n1"]
    assert (n1["rated_w"], n1["budget_w"], n1["usable_w"]) == (2000.0, 1500.0, 1500.0)
    assert n1["observed_w"] == {"max": 1200.0, "p99": 500.0, "median": 500.0}
    assert (n1["headroom_w"], n1["headroom_pct"]) == (800.0, 40.0)
    assert (n1["coverage"], n1["max_at"], n1["source"]) == (1.0, "2026-11-20T10:15:00Z", "pdu")
    assert (n1["method"], n1["caliber"], n1["k"]) == ("integral", "actual", 2)
    assert n1["uncertainty_pct"] == pytest.approx(2 / 3**0.5, rel=1e-6)
    assert found["n2"]["coverage"] == pytest.approx(0.5, abs=1e-6)
    n3 = found["n3"]
    assert (n3["observed_w"]["max"], n3["headroom_w"], n3["caliber"]) == (None, None, "unavailable")


def test_racks_are_held_against_their_supply(client, measured, start):
    row = rows(client, "rack", start)["r1"]
    assert (row["rated_w"], row["usable_w"], row["observed_w"]["max"]) == (10_000.0, 10_000.0, 3000.0)
    assert (row["headroom_w"], row["headroom_pct"]) == (7000.0, 70.0)


def test_a_pdu_is_held_against_the_amperes_of_its_most_loaded_line(client, measured, start):
    row = rows(client, "pdu", start)["pdu-a"]
    assert row["limit_a"] == 40.0  # 50 A × 0.8
    assert row["usable_va"] == pytest.approx(3**0.5 * 208 * 40)
    assert row["usable_w"] is None  # a breaker knows no watts
    assert row["observed_w"]["median"] == 3000.0
    assert row["observed_a"] == {"max": 30.0, "p99": 10.0, "median": 10.0}
    assert (row["headroom_a"], row["headroom_pct"], row["headroom_w"]) == (10.0, 25.0, None)
    assert row["max_at"] == "2026-11-20T10:15:00Z"


def test_every_line_has_a_row(client, measured, start):
    found = rows(client, "phase", start)
    assert {key: row["observed_a"]["max"] for key, row in found.items()} == {
        "pdu-a/inlet/l1": 20.0, "pdu-a/inlet/l2": 30.0, "pdu-a/inlet/l3": 5.0,
    }  # fmt: skip
    assert {row["limit_a"] for row in found.values()} == {40.0}
    assert found["pdu-a/inlet/l1"]["headroom_pct"] == 50.0


def test_a_model_is_its_node_that_drew_most(client, measured, start):
    row = rows(client, "model", start)["m"]
    assert (row["observed_w"]["max"], row["headroom_w"]) == (1200.0, 800.0)
    assert row["coverage"] == pytest.approx(0.5, abs=1e-6)  # 1, ½ and 0 of three nodes


def test_the_last_day_unless_a_window_is_given(client, measured):
    found = client.get("/api/v1/headroom").json()
    assert found["level"] == "node"
    n1 = next(row for row in found["items"] if row["key"] == "n1")
    assert n1["coverage"] == pytest.approx(3610 / 86_400)


def test_what_has_no_inlet_is_the_sum_of_its_branches(client, hall, deliver, start):
    hall.facility.upsert([Device(key="panel", kind="meter", breaker=Breaker(amps=16.0, phases=3, volts=400.0))])
    deliver(
        "panel", start, {"branch/1:power": [400.0] * N, "branch/2:power": [250.0] * N, "branch/2/l1:power": [9.0] * N}
    )
    row = rows(client, "pdu", start)["panel"]
    assert row["observed_w"]["max"] == 650.0
    assert (row["limit_a"], row["observed_a"]["max"], row["headroom_pct"]) == (16.0, None, None)
    assert row["usable_va"] == pytest.approx(3**0.5 * 400 * 16)


@pytest.mark.parametrize("level", ["node", "rack", "pdu", "phase", "model"])
def test_many_things_are_reported_out_of_their_minutes(client, measured, start, level, monkeypatch):
    by_samples = rows(client, level, start)
    while refresh_minutes(measured, "me"):
        pass
    monkeypatch.setattr("app.services.headroom.headroom_row.MANY_DAYS", 0)
    by_minutes = rows(client, level, start)
    assert by_minutes.keys() == by_samples.keys()
    for key, told in by_minutes.items():
        exact = by_samples[key]
        assert (told["basis"], told["quantiles_within_pct"]) == ("minutes", 0.5)
        assert (exact["basis"], exact["quantiles_within_pct"]) == ("samples", 0.0)
        for name in ("rated_w", "headroom_w", "headroom_a", "headroom_pct", "caliber"):
            assert told[name] == exact[name], (key, name)
        # the peaks end one minute and begin the next
        assert told["max_at"] in (exact["max_at"], "2026-11-20T10:14:00Z")
        assert told["coverage"] == pytest.approx(exact["coverage"], abs=2e-4)
        for quantity in ("observed_w", "observed_a"):
            assert told[quantity]["max"] == exact[quantity]["max"]
            median = exact[quantity]["median"]
            assert told[quantity]["median"] == (None if median is None else pytest.approx(median, rel=0.005))
    if level == "node":  # one reading of 1200 W among 500 W, on the whole minute: the triangle is shared by two minutes
        assert by_minutes["n1"]["observed_w"]["p99"] == pytest.approx(500 + 700 * 10 / 2 / 60, rel=0.005)
        assert by_minutes["n1"]["uncertainty_pct"] == pytest.approx(2 / 3**0.5, rel=1e-6)


@pytest.mark.parametrize("many_days", [100, 0], ids=["samples", "minutes"])
def test_a_row_is_the_sum_of_its_racks_with_readings(client, measured, start, many_days, monkeypatch):
    measured.facility.upsert([Rack(key=key, site="lab", room="hall", row="z") for key in ("r8", "r9")], effective_ms=0)
    measured.facility.upsert(
        [Device(key="pdu-z", kind="pdu", site="lab", rack="r8", address="snmp://127.0.0.1", interval_s=10.0)],
        effective_ms=0,
    )
    layout = Layout("pdu-z", "main", 10_000, (Series("inlet", Quantity.POWER),))
    t_ms = start + 10_000 * np.arange(N)
    measured.frames.write([FrameBatch(layout, t_ms, np.full((N, 1), 700.0))])
    while refresh_minutes(measured, "me"):
        pass
    monkeypatch.setattr("app.services.headroom.headroom_row.MANY_DAYS", many_days)
    row = rows(client, "row", start)["hall/z"]
    assert row["observed_w"] == {"max": 700.0, "p99": 700.0, "median": 700.0}
    assert row["coverage"] == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("query", ["level=floor", "from=5&to=4"])
def test_what_cannot_be_asked_is_refused(client, hall, query):
    answer = client.get(f"/api/v1/headroom?{query}")
    assert answer.status_code == 422
    assert answer.json()["hint"]
