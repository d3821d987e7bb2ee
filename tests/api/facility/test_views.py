"""What the pages are given, against a hall reckoned by hand."""

from __future__ import annotations

import numpy as np
import pytest

from app.server.application import create_app
from app.settings import Settings
from app.store.devices.health import DeviceEvent
from app.store.jobs.job import Job, JobNode
from tests.api.hall import HOUR_MS, NOW, build, readings
from tests.checked_client import client_of


@pytest.fixture
def app(sqlite_engine, tmp_path):
    return create_app(Settings(data_dir=tmp_path), now_ms=lambda: NOW, engine=sqlite_engine)


@pytest.fixture
def stores(app):
    build(app.state.stores)
    return app.state.stores


@pytest.fixture
def client(app):
    with client_of(app) as client:
        yield client


def test_the_facility(client, stores) -> None:
    view = client.get("/api/v1/facility").json()
    assert view["site"] == {"key": "lab", "label": "The lab", "timezone": "UTC"}
    assert view["title"] == "The facility draws 15\u2009% of its usable power"  # 3 of 20 kW
    total = view["total"]
    assert (total["usable_w"], total["max_w"]) == (20_000, 3_000)
    assert total["energy_j"] == pytest.approx(3_000 * 3_600)
    assert total["coverage"] == pytest.approx(1 / 24)
    rack = view["racks"][0]
    assert (rack["power_w"], rack["t"], rack["interval_s"]) == (3_000, "2025-11-20T12:00:00Z", 10)
    assert rack["imbalance_pct"] == pytest.approx(50)  # 3, 2, 1 A: 1 A from the mean of 2
    assert rack["inlet_c"] == 22.5
    assert view["titles"]["imbalance"] == "R1 is out of balance"
    assert view["devices"]["title"] == "All 2 devices respond"
    assert view["figures"]["day"]["data"][0]["name"] == "facility"


def test_a_silent_device_is_named_and_its_rack_is_known_in_part(sqlite_engine, tmp_path) -> None:
    late = NOW + 10 * 60_000
    app = create_app(Settings(data_dir=tmp_path), now_ms=lambda: late, engine=sqlite_engine)
    build(app.state.stores)
    app.state.stores.frames.write([readings("pdu-b", np.arange(NOW + 10_000, late + 1, 10_000))])
    view = client_of(app).get("/api/v1/facility").json()
    assert view["devices"]["title"] == "pdu-a is silent"
    assert view["devices"]["silent"] == [
        {"key": "pdu-a", "rack": "r1", "since": "2025-11-20T12:00:00Z", "reason": ""}
    ]  # fmt: skip
    rack = view["racks"][0]
    assert (rack["power_w"], rack["known_w"], rack["last_known_w"]) == (None, 1_500, 1_500)
    assert view["total"]["gaps"] == 2  # before the first reading, and since


def test_what_changed_last(client, stores) -> None:
    made = stores.jobs.create(
        Job(name="train", start_ms=NOW - HOUR_MS, end_ms=NOW - 60_000, state="completed", nodes=(JobNode("n1"),))
    )
    changes = client.get("/api/v1/facility").json()["changes"]
    assert [(c["kind"], c["text"]) for c in changes] == [
        ("job_ended", "ended on n1 after 59\u2009min 00\u2009s"),
        ("job_started", "started on n1"),
    ]
    assert changes[0]["href"] == f"/jobs/{made}"


def test_what_a_device_reported_names_the_device_and_its_part(client, stores) -> None:
    told = [("pdu-9", "bank/1"), ("pdu-9", ""), ("n1-bmc", "n1")]
    stores.health.record_events(
        [DeviceEvent(NOW - 1 - i, "alarm", device, part) for i, (device, part) in enumerate(told)]
    )
    changes = client.get("/api/v1/facility").json()["changes"]
    assert [c["what"] for c in changes[:3]] == ["pdu-9 bank/1", "pdu-9", "n1"]


def test_an_unknown_site(client, stores) -> None:
    answer = client.get("/api/v1/facility?site=moon")
    assert answer.status_code == 404
    assert answer.json()["hint"] == "one of lab"


def test_a_rack(client, stores) -> None:
    view = client.get("/api/v1/views/rack/r1").json()
    draw = {"power_w": 3_000, "t": "2025-11-20T12:00:00Z", "usable_w": 20_000, "rated_w": 10_000, "other_w": 0}
    assert draw.items() <= view["draw"].items()
    assert view["draw"]["missing"] == {"count": 0, "keys": []}
    assert [(n["key"], n["power_w"], n["max_w"], n["rated_w"]) for n in view["nodes"]] == [
        ("n1", 2_000, 2_000, 5_000),
        ("n2", 1_000, 1_000, 5_000),
    ]
    assert view["elevation"]["title"] == "38 of 42U are free"
    assert [(f["at"], f["high"]) for f in view["elevation"]["free"]] == [(5, 38)]
    assert [t["name"] for t in view["figures"]["stack"]["data"]] == ["n2", "n1", "all nodes"]


def test_headroom_counts_the_nodes_on_one_basis(client, stores) -> None:
    room = client.get("/api/v1/views/rack/r1?margin=0").json()["headroom"]
    bases = {b["key"]: (b["each_w"], b["now_w"], b["additional"]) for b in room["bases"]}
    assert bases["rated"] == (5_000, 10_000, 2)
    assert bases["observed_max"] == (2_000, 4_000, 8)
    assert bases["budget"] == (None, None, None)


def test_the_margin_of_the_site_is_offered_first(client, stores) -> None:
    room = client.get("/api/v1/views/rack/r1").json()["headroom"]
    assert room["margin_pct"] == 0.0
    assert room["margins"][:2] == [
        {"value": "", "label": "site, 0\u2009%"},
        {"value": "rated", "label": "as rated, 50\u2009%"},
    ]
    rated = client.get("/api/v1/views/rack/r1?margin=rated").json()["headroom"]
    assert rated["margin_pct"] == pytest.approx(50)
    assert {b["key"]: b["additional"] for b in rated["bases"]}["rated"] == 0


def test_feeds_now_and_if_one_fails(client, stores) -> None:
    feeds = client.get("/api/v1/views/rack/r1").json()["feeds"]
    assert [p["key"] for p in feeds["pdus"]] == ["pdu-a", "pdu-b"]
    line = feeds["pdus"][1]["lines"][0]
    assert (line["name"], line["now_a"]) == ("L1", 3.0)
    # pdu-b takes over 1 500 W and carries twice what it did; with itself gone there is nothing to say of it
    assert line["failover_a"]["A"] == pytest.approx(6.0)
    assert line["failover_a"]["B"] is None
    assert feeds["pdus"][1]["failover_text"]["A"] == "carries up to 3.00\u2009kW"
    assert feeds["failover"]["A"]["title"] == "If A fails, pdu-b carries the rack"
    assert feeds["measured"]["title"] == "Either feed can carry the rack alone"


def test_a_node(client, stores) -> None:
    view = client.get("/api/v1/views/node/n1").json()
    assert view["draw"]["power_w"] == 2_000
    stats = view["stats"]
    assert (stats["max_w"], stats["headroom_w"], stats["headroom_pct"]) == (2_000, 3_000, 60)
    assert stats["energy_j"] == pytest.approx(2_000 * 3_600)
    assert view["cords_title"] == "2 cords, 2.00\u2009kW together"
    assert [c["power_w"] for c in view["cords"]] == [1_000, 1_000]
    assert dict(view["source"]["facts"])["Source"] == "metered outlets: 2 cords on pdu-a, pdu-b"
    assert view["figures"]["gpus"] is None


def test_the_last_hour(client, stores) -> None:
    view = client.get("/api/v1/views/node/n1?window=1h").json()
    assert view["window"]["label"] == "1 h"
    assert view["stats"]["coverage"] == pytest.approx(1.0)  # the hall has an hour of readings
    assert view["stats"]["energy_j"] == pytest.approx(2_000 * 3_600)


def test_a_window_of_its_own(client, stores) -> None:
    path = "/api/v1/views/node/n1?from=2025-11-20T11:30:00Z&to=2025-11-20T11:40:00Z"
    view = client.get(path).json()
    assert view["window"] == {
        "label": "10 min",
        "from": "2025-11-20T11:30:00Z",
        "to": "2025-11-20T11:40:00Z",
    }
    assert view["stats"]["coverage"] == 1.0
    assert view["stats"]["energy_j"] == pytest.approx(2_000 * 600)


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/v1/views/rack/nope", 404, "not_found"),
        ("/api/v1/views/node/nope", 404, "not_found"),
        ("/api/v1/views/node/n1?from=2025-11-20T11:40:00Z&to=2025-11-20T11:30:00Z", 422, "bad_window"),
        ("/api/v1/views/rack/r1?window=5y", 422, None),
    ],
)
def test_mistakes_are_problems(client, stores, path: str, status: int, code: str | None) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert code is None or answer.json()["code"] == code


def test_an_empty_installation_has_a_view_too(client) -> None:
    view = client.get("/api/v1/facility").json()
    assert view["racks"] == []
    assert view["site"]["label"] == "No site yet"
    assert view["figures"]["day"]["empty"]["what"] == "No readings in 24 h"
