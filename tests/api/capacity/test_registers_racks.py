"""Racks and PDUs whose inlets report energy registers alone, reckoned by hand: 1 Wh, read every 5 s."""

import pytest

from app.services.rollups.minute_rollups import refresh_minutes
from app.store.facility import Device, Model, Node, Rack

HOUR_MS = 3_600_000
WH = 3600.0
N = 721


@pytest.fixture
def racks(hall, deliver, start):
    """r2 by the registers of two PDUs, 1440 W and 720 W; r3 by one that moves 100 Wh in an hour."""
    hall.facility.upsert(
        [
            Rack(key="r2", capacity_w=5000.0),
            Rack(key="r3", capacity_w=5000.0),
            Model(key="pdu-model", rated_w=4000.0),
            *(
                Device(key=key, kind="pdu", rack=rack, model="pdu-model")
                for key, rack in (("a", "r2"), ("b", "r2"), ("c", "r3"))
            ),
            Node(key="x", model="m", rack="r2", feeds=("a/outlet/1",)),
        ],
        effective_ms=0,
    )
    for device, wh_per_reading in (("a", 2.0), ("b", 1.0), ("c", 100 / 720)):
        deliver(
            device, start, {"inlet:energy": [WH * int(wh_per_reading * i + 1e-9) for i in range(N)]}, 5, resolution=WH
        )
    deliver("a", start, {"outlet/1:energy": [WH * i for i in range(N)]}, 5, resolution=WH)
    return hall


def rows(client, level, start):
    found = client.get("/api/v1/headroom", params={"level": level, "from": start, "to": start + HOUR_MS}).json()
    return {row["key"]: row for row in found["rows" if "rows" in found else "items"]}


def test_headroom_of_racks_pdus_and_nodes(racks, client, start):
    found = rows(client, "rack", start)
    r2, r3 = found["r2"], found["r3"]
    assert (r2["observed_w"]["max"], r2["headroom_w"]) == (pytest.approx(2160.0), pytest.approx(2840.0))
    assert (r2["power_basis"], r2["max_over_s"]) == ("derived", 900.0)  # 720 W: 100 Wh in 500 s, and 80 are left
    assert (r3["observed_w"]["max"], r3["headroom_w"], r3["power_basis"]) == (None, None, "derived")
    pdus = rows(client, "pdu", start)
    assert pdus["a"]["observed_w"]["max"] == pytest.approx(1440.0)
    assert (pdus["a"]["max_over_s"], pdus["a"]["headroom_w"]) == (250.0, pytest.approx(2560.0))
    assert (pdus["c"]["observed_w"]["max"], pdus["c"]["headroom_w"]) == (None, None)
    assert rows(client, "node", start)["x"]["observed_w"]["max"] == pytest.approx(720.0)


def test_the_minutes_of_derived_power(racks, client, start):
    refresh_minutes(racks, "me")
    day_ms = start // 86_400_000 * 86_400_000
    seen = racks.minutes.observed(["rack/r2:power", "node/x:power", "pdu/a:power"], day_ms, day_ms + 86_400_000)
    assert {key: one.max for key, one in seen.items()} == {
        "rack/r2:power": pytest.approx(2160.0),
        "node/x:power": pytest.approx(720.0),
        "pdu/a:power": pytest.approx(1440.0),
    }


def test_the_pages_say_that_power_is_derived(racks, client, start, clock):
    clock.now = start + HOUR_MS
    rack = client.get("/api/v1/views/rack/r2", params={"from": start, "to": start + HOUR_MS}).json()
    assert "derived from registers, highest mean over" in str(rack["figures"]["stack"])
    node = client.get("/api/v1/views/node/x", params={"from": start, "to": start + HOUR_MS}).json()
    assert (node["stats"]["power_basis"], node["stats"]["energy_j"]) == ("derived", pytest.approx(720 * WH))
    assert ["Power", "derived from energy registers"] in node["source"]["facts"]


def test_minutes_are_computed_again_when_a_span_changes(hall, deliver, start):
    """200 W for 10 minutes and 2000 W for 5: until the 12th minute there are fewer than 100 steps, one span."""
    hall.facility.upsert([Rack(key="r9"), Device(key="z", kind="pdu", rack="r9")], effective_ms=0)
    wh = [int(200 / 720 * i) if i <= 120 else int(200 / 720 * 120 + 2000 / 720 * (i - 120)) for i in range(181)]
    for first, last in ((0, 60), (60, 130), (130, 181)):
        values = [WH * x for x in wh[first:last]]
        deliver("z", start + 5000 * first, {"inlet:energy": values}, 5, resolution=WH)
        refresh_minutes(hall, "me")
    found = hall.minutes.read(["pdu/z:power"], start, start + 900_000)["pdu/z:power"]
    # 33.3 Wh in 600 s and 66.7 in 120 s: 100 Wh in 720 s are 500 W; then 100 Wh in 180 s are 2000 W
    assert (wh[144], wh[180]) == (100, 200)
    assert found.mean.tolist() == pytest.approx([500.0] * 12 + [2000.0] * 3, rel=1e-4)
