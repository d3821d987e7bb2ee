"""A chassis of two nodes on every page: shared, counted once, and lost when too few PSUs are left."""

import numpy as np
import pytest

from app.server.application import create_app
from app.services.rollups.minute_rollups import refresh_minutes
from app.settings import Settings
from app.store.facility import Device, Node
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series
from tests.api.hall import HOUR_MS, NOW, build
from tests.checked_client import client_of

BODY = {"key": "quad", "nodes": ["c1", "c2"], "feeds": ["pdu-a/outlet/4", "pdu-b/outlet/4"], "split": "bmc"}


@pytest.fixture
def client(engine, tmp_path):
    """The hall of two nodes, and two sleds whose BMCs say 300 and 100 W; outlet 3 of each PDU delivers 250 W."""
    app = create_app(Settings(data_dir=tmp_path), now_ms=lambda: NOW, engine=engine)
    stores = app.state.stores
    build(stores)
    stores.facility.upsert(
        [
            *(Node(key=key, site="lab", rack="r1", model="m", position_u=u) for key, u in (("c1", 5), ("c2", 7))),
            *(Device(key=f"{key}-bmc", kind="bmc", node=key, site="lab") for key in ("c1", "c2")),
        ]
    )
    t = np.arange(NOW - HOUR_MS, NOW + 1, 10_000)

    def told(device, **watts):
        series = tuple(Series(point.replace("_", "/"), Quantity.POWER) for point in watts)
        values = np.tile(list(watts.values()), (len(t), 1))
        stores.frames.write([FrameBatch(Layout(device, "sleds", 10_000, series), t, values)])

    for key, watts in (("c1", 300.0), ("c2", 100.0)):
        told(f"{key}-bmc", total=watts)
    # the hall's own layout holds outlet 3 at 0 W; these PDUs report a fourth
    for key in ("pdu-a", "pdu-b"):
        told(key, outlet_4=250.0)
    return client_of(app, raise_server_exceptions=False)


def test_created_shown_changed_and_ended(client):
    made = client.post("/api/v1/supplies", json=BODY)
    assert (made.status_code, made.headers["location"]) == (201, "/api/v1/supplies/quad")
    assert client.get("/api/v1/supplies").json()["items"][0]["nodes"] == ["c1", "c2"]
    view = client.get("/api/v1/views/node/c1").json()
    # 500 W, 3 : 1
    assert view["draw"]["power_w"] == pytest.approx(375.0)
    assert view["stats"]["max_w"] == pytest.approx(375.0)
    assert [cord["device"] for cord in view["cords"]] == ["pdu-a", "pdu-b"]
    facts = dict(view["source"]["facts"])
    assert facts["Supply"] == "quad, shared by 2 nodes, split by their BMCs"
    assert client.get("/api/v1/views/node/c2").json()["draw"]["power_w"] == pytest.approx(125.0)
    changed = client.patch(f"/api/v1/supplies/quad?effective={NOW - 2 * HOUR_MS}", json={"split": "none"})
    assert changed.json()["split"] == "none"
    alone = client.get("/api/v1/views/node/c1").json()
    assert (alone["source"]["kind"], alone["draw"]["power_w"]) == ("bmc", 300.0)
    assert dict(alone["source"]["facts"])["Wall"].startswith("supplies.quad powers 2 nodes together")
    assert client.delete("/api/v1/nodes/c1").json()["code"] == "in_use"
    assert client.delete("/api/v1/supplies/quad").status_code == 204


def test_a_job_on_a_sled_relies_on_its_share(client):
    client.post("/api/v1/supplies", json=BODY)
    body = {"name": "sled", "nodes": [{"node": "c1"}], "start": NOW - HOUR_MS, "end": NOW}
    summary = client.post("/api/v1/jobs", json=body).json()["summary"]
    assert summary["energy_j"] == pytest.approx(375.0 * 3600)
    assert (summary["source"], summary["method"], summary["coverage"]) == ("pdu", "integral", 1.0)
    assert summary["uncertainty_pct"] is None


def test_the_minutes_know_it_too(client):
    client.post("/api/v1/supplies", json=BODY)
    stores = client.app.state.stores
    while refresh_minutes(stores, "test"):
        pass
    end = NOW // 60_000 * 60_000
    found = stores.minutes.read(["node/c1:power", "node/c2:power"], end - 600_000, end)
    assert np.allclose(found["node/c1:power"].mean, 375.0)
    assert np.allclose(found["node/c2:power"].mean, 125.0)
    row = next(r for r in client.get("/api/v1/headroom?level=node").json()["items"] if r["key"] == "c1")
    assert row["observed_w"]["max"] == pytest.approx(375.0)


def test_a_failed_feed_is_carried_or_not(client):
    client.post("/api/v1/supplies", json=BODY | {"psus": {"n": 1, "m": 1}})
    feeds = client.get("/api/v1/views/rack/r1").json()["feeds"]
    # 1500 W of the two nodes on B, the same from A, and 250 W of the chassis: the hall's inlet of B tells 1500 W
    assert feeds["failover"]["A"]["title"] == "If A fails, pdu-b carries the rack"
    assert feeds["pdus"][1]["failover_text"]["A"] == "carries up to 3.25\u2009kW"
    client.patch("/api/v1/supplies/quad", json={"psus": {"n": 2, "m": 0}})
    feeds = client.get("/api/v1/views/rack/r1").json()["feeds"]
    assert feeds["failover"]["A"]["title"] == "If A fails, c1 and c2 would lose power"
    assert feeds["pdus"][1]["failover_text"]["A"] == "carries up to 3.00\u2009kW"
