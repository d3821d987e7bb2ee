"""How devices are, over the API: against a hall whose failures are counted by hand."""

import numpy as np
import pytest

from app.server.application import create_app
from app.settings import Settings
from app.store.devices.health import DeviceEvent, PollFailure
from app.store.facility import Device, Node
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series
from tests.api.hall import NOW, build, readings
from tests.checked_client import client_of

MINUTE_MS, HOUR_MS = 60_000, 3_600_000


@pytest.fixture
def app(engine, tmp_path):
    app = create_app(Settings(data_dir=tmp_path), now_ms=lambda: NOW, engine=engine)
    build(app.state.stores)
    return app


@pytest.fixture
def client(app):
    with client_of(app) as client:
        yield client


def fail(stores, device: str, start_ms: int, count: int, every_ms: int = 10_000, code: str = "device_timeout") -> None:
    stores.health.record_failures(
        [PollFailure(device, start_ms + i * every_ms, code, "it did not answer", 3000, "west") for i in range(count)]
    )


def rows(client) -> dict:
    return {row["key"]: row for row in client.get("/api/v1/views/devices").json()["rows"]}


def test_devices_that_answer(client):
    view = client.get("/api/v1/views/devices").json()
    assert view["title"] == "All 2 devices respond"
    row = rows(client)["pdu-a"]
    assert (row["state"], row["answered"], row["outages"], row["failures"]) == ("answering", 1.0, 0, 0)
    assert (row["rack"], row["last"], row["interval_s"]) == ("r1", "2025-11-20T12:00:00Z", 10.0)


def test_an_outage_counts_by_its_time_not_by_its_polls(client, app):
    # 12 failures in 22 minutes, as back-off spaces them: one outage of 22 min and the interval of the last poll
    app.state.stores.frames.write([readings("pdu-a", NOW - 24 * HOUR_MS + MINUTE_MS * np.arange(23 * 60))])
    fail(app.state.stores, "pdu-a", NOW - 10 * HOUR_MS, 12, 2 * MINUTE_MS - 50_000)
    row = rows(client)["pdu-a"]
    length_s = 11 * 70 + 10
    assert (row["outages"], row["failures"]) == (1, 12)
    assert row["answered"] == pytest.approx(1 - length_s / 86_400)


def test_an_overrun_is_no_failure(client, app):
    fail(app.state.stores, "pdu-a", NOW - HOUR_MS, 5, code="overrun")
    assert rows(client)["pdu-a"]["failures"] == 0


def test_a_silent_device_is_first_and_says_why(client, app):
    stores = app.state.stores
    stores.frames.write([readings("pdu-b", np.array([NOW]))])
    fail(stores, "pdu-c", NOW - MINUTE_MS, 3)
    stores.facility.upsert([], effective_ms=0)
    later = create_app(Settings(), now_ms=lambda: NOW + 6 * HOUR_MS, engine=stores.engine)
    fail(later.state.stores, "pdu-a", NOW + 10_000, 3)
    with client_of(later) as after:
        view = after.get("/api/v1/views/devices").json()
    first = view["rows"][0]
    assert (first["state"], first["reason"]) == ("silent", "it did not answer")
    assert first["key"] == "pdu-a"
    # polled from 11:00 to 12:10 (in steps of 10 min) and 2 min around: 74 min, of which it was silent for 30 s; the
    # other time no collector polled it, which is neither success nor failure
    assert first["polled"] == pytest.approx(74 * 60 / 86_400)
    assert first["answered"] == pytest.approx(1 - 30 / (74 * 60))


def test_a_device_that_no_collector_polls_says_so(client, app):
    later = create_app(Settings(), now_ms=lambda: NOW + 30 * HOUR_MS, engine=app.state.stores.engine)
    with client_of(later) as after:
        row = rows(after)["pdu-a"]
    assert (row["state"], row["reason"]) == ("silent", "no collector polls it")
    assert (row["polled"], row["answered"]) == (0.0, None)


def test_a_collector_tells_how_polling_goes(client):
    polling = {"pdu-a": {"latency_ms": 230, "skipped": 4}}
    body = {"for_s": 60, "now": NOW + 1500, "polling": polling}
    assert client.post("/api/v1/collectors/west/lease", json=body).status_code == 200
    found = rows(client)
    assert (found["pdu-a"]["latency_s"], found["pdu-a"]["skipped"], found["pdu-a"]["offset_s"]) == (0.23, 4, 1.5)
    assert (found["pdu-b"]["latency_s"], found["pdu-b"]["skipped"], found["pdu-b"]["collector"]) == (None, None, "west")


def test_a_device_with_its_gaps_events_and_failures(client, app):
    stores = app.state.stores
    before = np.arange(NOW - 3 * HOUR_MS, NOW - 2 * HOUR_MS + 1, 10_000)
    stores.frames.write([readings("pdu-a", before)])
    fail(stores, "pdu-a", NOW - 110 * MINUTE_MS, 7)
    stores.health.record_events(
        [DeviceEvent(NOW - 5000, "outlet_off", "pdu-a", "outlet/8", "warning", "an outlet was turned off: node-8")]
    )
    view = client.get("/api/v1/views/device/pdu-a", params={"from": NOW - 3 * HOUR_MS, "to": NOW}).json()
    assert view["gaps"]["series"] == "pdu-a/inlet:power"
    assert view["gaps"]["count"] == 1
    assert view["gaps"]["longest_s"] == pytest.approx(3600, abs=60)
    assert view["gaps"]["covered"] == pytest.approx(2 / 3, abs=0.01)
    assert view["codes"] == {"device_timeout": 7}
    (line,) = view["failures"]
    assert (line["count"], line["code"], line["text"]) == (7, "device_timeout", "it did not answer")
    assert (line["since"], line["t"]) == ("2025-11-20T10:10:00Z", "2025-11-20T10:11:00Z")
    assert view["events"] == [
        {
            "t": "2025-11-20T11:59:55Z",
            "kind": "outlet_off",
            "severity": "warning",
            "device": "pdu-a",
            "subject": "outlet/8",
            "text": "an outlet was turned off: node-8",
        }
    ]
    assert view["figures"]["answers"]["title"].startswith("A gap of 60")


def test_the_time_before_its_first_reading_is_no_gap_of_a_device(client, app):
    stores = app.state.stores
    stores.facility.upsert([Device(key="pdu-new", kind="pdu")])
    t_ms = np.concatenate(
        [np.arange(NOW - 20 * MINUTE_MS, NOW - 15 * MINUTE_MS, 10_000), np.arange(NOW - 10 * MINUTE_MS, NOW, 10_000)]
    )
    power = Layout("pdu-new", "main", 10_000, (Series("inlet", Quantity.POWER),))
    stores.frames.write([FrameBatch(power, t_ms, np.full((t_ms.size, 1), 900.0))])
    view = client.get("/api/v1/views/device/pdu-new?window=24h").json()
    assert (view["gaps"]["count"], view["gaps"]["since"]) == (1, "2025-11-20T11:40:00Z")
    assert view["gaps"]["longest_s"] == 300  # 15 min ago until 10 min ago; readings hold for one interval of 10 s
    assert view["gaps"]["covered"] == pytest.approx(0.75)  # 15 of 20 min
    assert view["figures"]["answers"]["title"] == "A gap of 5\u2009min"
    assert "Its first reading is of 11:40; none is missing before." in view["figures"]["answers"]["notes"]
    assert len(view["figures"]["answers"]["layout"]["shapes"]) == 1
    before = {"from": NOW - 3 * HOUR_MS, "to": NOW - HOUR_MS}
    early = client.get("/api/v1/views/device/pdu-new", params=before).json()
    assert (early["gaps"]["count"], early["gaps"]["covered"]) == (0, None)
    assert early["figures"]["answers"]["empty"] == {
        "what": "This device was not read yet.",
        "why": "Its first reading is of 11:40; none is missing before.",
    }


def test_a_window_without_a_failed_poll_or_a_gap_has_one_sentence_and_no_chart(client, app):
    stores = app.state.stores
    stores.facility.upsert([Device(key="pdu-new", kind="pdu")])
    t_ms = np.arange(NOW - 20 * MINUTE_MS, NOW, 10_000)
    power = Layout("pdu-new", "main", 10_000, (Series("inlet", Quantity.POWER),))
    stores.frames.write([FrameBatch(power, t_ms, np.full((t_ms.size, 1), 900.0))])
    figure = client.get("/api/v1/views/device/pdu-new?window=24h").json()["figures"]["answers"]
    assert figure["data"] == []
    assert figure["empty"] == {
        "what": "Every poll of this window was answered.",
        "why": "No reading is missing. Its first reading is of 11:40; none is missing before.",
    }
    later = {"from": NOW - 10 * MINUTE_MS, "to": NOW}
    assert client.get("/api/v1/views/device/pdu-new", params=later).json()["figures"]["answers"]["empty"] == {
        "what": "Every poll of this window was answered.",
        "why": "No reading is missing.",
    }
    read_ms = np.concatenate(
        [np.arange(NOW - HOUR_MS, NOW - 10 * MINUTE_MS, 10_000), np.arange(NOW - 5 * MINUTE_MS, NOW, 10_000)]
    )
    stores.facility.upsert([Device(key="pdu-thin", kind="pdu")])
    thin = Layout("pdu-thin", "main", 10_000, (Series("inlet", Quantity.POWER),))
    stores.frames.write([FrameBatch(thin, read_ms, np.full((read_ms.size, 1), 900.0))])
    figure = client.get("/api/v1/views/device/pdu-thin?window=30d").json()["figures"]["answers"]
    # 5 min of 30 d are a tenth of a pixel
    assert figure["empty"]["why"] == "A gap of 5\u2009min. Its first reading is of 11:00; none is missing before."
    fail(stores, "pdu-new", NOW - 5 * MINUTE_MS, 1)
    figure = client.get("/api/v1/views/device/pdu-new", params=later).json()["figures"]["answers"]
    assert (figure["empty"], figure["title"]) == (None, "No reading is missing, 1 poll failed")


def test_a_device_that_never_answered(client, app):
    app.state.stores.facility.upsert([Device(key="bmc-9", kind="bmc")])
    fail(app.state.stores, "bmc-9", NOW - 30 * MINUTE_MS, 4)
    view = client.get("/api/v1/views/device/bmc-9").json()
    assert view["figures"]["answers"]["title"] == "It was not read yet, 4 polls failed"


def test_a_node_names_its_meters_and_its_bmc(client, app):
    stores = app.state.stores
    auto = [Device(key="pdu-z", profile="auto"), Device(key="n9-bmc", kind="bmc", node="n9")]
    stores.facility.upsert([*auto, Node(key="n9", feeds=("pdu-z/outlet/1",))])
    series = (Series("outlet/1", Quantity.POWER),)
    facts = dict(client.get("/api/v1/views/node/n9").json()["source"]["facts"])
    assert ("Meters" in facts, facts["BMC"]) == (False, "n9-bmc")
    told = Layout("pdu-z", "main", 10_000, series, meter="APC AP8867")
    stores.frames.write([FrameBatch(told, np.array([NOW]), np.array([[100.0]]))])
    facts = dict(client.get("/api/v1/views/node/n9").json()["source"]["facts"])
    assert facts["Meters"] == "APC AP8867"


def test_the_rack_shows_what_happened_to_its_devices(client, app):
    told = [
        DeviceEvent(NOW - 1000, "overload", "pdu-b", "inlet/l1", "critical"),
        DeviceEvent(NOW - 2000, "trap", "elsewhere"),
    ]
    app.state.stores.health.record_events(told)
    events = client.get("/api/v1/views/rack/r1").json()["events"]
    assert [(e["device"], e["kind"], e["text"]) for e in events] == [("pdu-b", "overload", "overload")]
    assert rows(client)["pdu-b"]["alarms"] == 1


def test_the_same_of_one_device(client, app):
    app.state.stores.health.record_events([DeviceEvent(NOW - 1000 * i, "device_lost", "pdu-a") for i in range(1, 4)])
    health = client.get("/api/v1/devices/pdu-a/health").json()
    assert (health["key"], health["state"]) == ("pdu-a", "answering")
    events = client.get("/api/v1/devices/pdu-a/events", params={"limit": 2}).json()["events"]
    assert [e["t"] for e in events] == ["2025-11-20T11:59:59Z", "2025-11-20T11:59:58Z"]


@pytest.mark.parametrize("path", ["devices/nope/health", "devices/nope/events", "views/device/nope"])
def test_a_device_that_is_not_there(client, path):
    answer = client.get(f"/api/v1/{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_pages(client):
    assert client.get("/devices").status_code == 200
    assert client.get("/devices/pdu-a").status_code == 200
    assert client.get("/devices/nope").status_code == 404
