"""Live values: what a snapshot holds, and the stream of a real server that stops on a signal."""

import asyncio
import json
import socket
import threading

import httpx
import pytest

from app.api.live import shared_events
from app.server.serving import Server
from app.services.live import LiveView, take, wanted


@pytest.fixture
def lit(hall, deliver, clock):
    """Readings of five seconds ago."""
    t = clock.now - 5000
    deliver("pdu-a", t, {"outlet/1:power": [500.0], "outlet/2:power": [300.0], "inlet:power": [810.0]})
    deliver("n3-exporter", t, {"gpu/0:power": [200.0], "cpu/0:power": [50.0]})
    return hall


def test_a_snapshot_tells_power_its_age_and_its_source(lit, clock):
    t = clock.now - 5000
    found = take(lit).to_wire()
    assert found["t"] == clock.now
    names = ("power_w", "known_w", "t", "source")
    assert {key: tuple(node[name] for name in names) for key, node in found["nodes"].items()} == {
        "n1": (500.0, 500.0, t, "pdu"),
        "n2": (300.0, 300.0, t, "pdu"),
        "n3": (None, 250.0, t, "components"),  # only a part of it
    }
    assert found["nodes"]["n3"]["missing"] == {"count": 1, "keys": ["n3/rest"]}
    assert found["racks"]["r1"]["power_w"] == 810.0
    assert found["racks"]["r1"]["other_w"] == 10.0  # the inlet carries 10 W beyond n1 and n2
    assert found["devices"]["pdu-a"] == {"t": t, "state": "ok"}
    assert found["devices"]["n1-bmc"] == {"t": None, "state": "never"}


def test_a_bmc_replaces_and_an_old_reading_is_no_value(lit, deliver, clock):
    clock.now += 60_000
    t = clock.now - 1000
    deliver("n1-bmc", t, {"total:power": [505.0]})
    found = take(lit).to_wire()
    n1 = found["nodes"]["n1"]
    assert (n1["power_w"], n1["t"], n1["source"], n1["instead_of"]) == (505.0, t, "bmc", "pdu")
    n2 = found["nodes"]["n2"]
    assert (n2["power_w"], n2["missing"]["keys"], n2["last_known_w"]) == (None, ["pdu-a"], 300.0)
    assert found["racks"]["r1"]["power_w"] is None
    assert found["devices"]["pdu-a"]["state"] == "silent"


def test_an_update_tells_only_what_changed(lit, deliver, clock):
    before = take(lit)
    clock.now += 1000
    assert take(lit).since(before).is_empty
    deliver("pdu-a", clock.now, {"outlet/1:power": [501.0], "outlet/2:power": [300.0], "inlet:power": [None]})
    news = take(lit).since(before)
    assert news.nodes["n1"].power.power_w == 501.0
    assert set(news.nodes) == {"n1", "n2"}  # n2's reading is a newer one
    assert set(news.devices) == {"pdu-a"}


def test_filters_take_what_belongs_together(lit):
    rack = take(lit).only(wanted(lit, "r1", None, None))
    assert (set(rack.nodes), set(rack.racks)) == ({"n1", "n2"}, {"r1"})
    assert set(rack.devices) == {"pdu-a", "n1-exporter", "n1-bmc"}
    node = take(lit).only(wanted(lit, None, "n3", None))
    assert (set(node.nodes), set(node.racks), set(node.devices)) == ({"n3"}, set(), {"n3-exporter"})


def test_a_filter_for_nothing_is_a_404(client, hall):
    answer = client.get("/api/v1/live?rack=nowhere")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.anyio
async def test_streams_with_one_filter_share_a_second_and_its_event(lit, deliver, clock, monkeypatch):
    monkeypatch.setattr(shared_events, "EVERY_S", 0.1)
    asked = []
    shared = shared_events.SharedEvents(view := LiveView(lit))
    monkeypatch.setattr(view, "current", lambda: asked.append(1) or (take(lit), None))
    before = await shared.first()
    clock.now += 1000
    deliver("pdu-a", clock.now, {"outlet/1:power": [777.0]})
    found = await asyncio.gather(*(shared.following() for _ in range(3)))
    assert (len(asked), len({id(one) for one in found})) == (2, 1)
    node, rack = wanted(lit, None, "n1", None), wanted(lit, "r1", None, None)
    first = shared.update(before, found[0], node)
    assert shared.update(before, found[1], wanted(lit, None, "n1", None)) is first
    assert b"777.0" in first
    assert shared.update(before, found[0], rack) != first
    assert shared.update(found[0], found[0], node) == b""


@pytest.fixture
def server(client, lit, monkeypatch):
    """The application behind a real socket."""
    monkeypatch.setattr(shared_events, "EVERY_S", 0.1)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        free.listen()
        running = Server(client.app, host="127.0.0.1", port=0)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [free]})
        thread.start()
        yield running, thread, f"http://127.0.0.1:{free.getsockname()[1]}"
        running.should_exit = True
        thread.join(30)
        assert not thread.is_alive()


def events(lines):
    event = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            event[name] = value
        elif event:
            yield event
            event = {}


def test_a_stream_begins_with_a_snapshot_tells_changes_and_ends_with_the_server(server, deliver, clock):
    running, thread, url = server
    with httpx.stream("GET", f"{url}/api/v1/live?node=n1", timeout=30) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        told = events(stream.iter_lines())
        first = next(told)
        assert (first["event"], first["id"]) == ("snapshot", str(clock.now))
        assert json.loads(first["data"])["nodes"]["n1"]["power_w"] == 500.0
        assert set(json.loads(first["data"])["nodes"]) == {"n1"}
        clock.now += 1000
        deliver("pdu-a", clock.now, {"outlet/1:power": [777.0], "outlet/2:power": [300.0], "inlet:power": [810.0]})
        second = next(told)
        assert (second["event"], json.loads(second["data"])["nodes"]["n1"]["power_w"]) == ("update", 777.0)
        running.should_exit = True  # as Ctrl-C sets it, while the stream is open
        assert list(told) == []
    thread.join(30)
    assert not thread.is_alive()


def test_metrics_are_openmetrics_with_the_newest_power(client, lit, deliver):
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    lines = answer.text.splitlines()
    assert 'wattline_node_power_watts{node="n1",source="pdu"} 500.0' in lines
    assert 'wattline_known_power_watts{key="n3",level="node"} 250.0' in lines  # its components are not all of it
    assert 'wattline_missing_parts{key="n3",level="node"} 1.0' in lines
    assert 'wattline_rack_power_watts{rack="r1"} 810.0' in lines
    assert 'wattline_device_up{device="pdu-a"} 1.0' in lines
    assert not any(line.startswith("wattline_device_up") and "n1-exporter" in line for line in lines)  # not polled
    assert 'wattline_frames_total{fate="accepted"} 2.0' in lines
    assert lines[-1] == "# EOF"


def test_a_stream_with_titles_also_sends_what_the_facility_page_says(server, deliver, clock):
    _, _, url = server
    with httpx.stream("GET", f"{url}/api/v1/live?titles=true&zone=Europe/Berlin", timeout=30) as stream:
        told = events(stream.iter_lines())
        titles = (json.loads(one["data"]) for one in told if one["event"] == "titles")
        first = next(titles)
        assert first["title"] == "The facility draws 8\u2009% of its usable power"  # 810 of 10 000 W
        assert first["titles"]["load"] == "Every rack is below 80\u2009% of its usable power"
        assert first["worst_titles"]["load"] == "r1 is closest to its limit"
        clock.now += 1000
        deliver("pdu-a", clock.now, {"outlet/1:power": [8000.0], "outlet/2:power": [300.0], "inlet:power": [8310.0]})
        second = next(titles)
        assert second["title"] == "The facility draws 83\u2009% of its usable power"
        assert second["titles"]["load"] == "r1 is above 80\u2009%"


def test_a_stream_without_titles_sends_none_and_its_zone_has_to_exist(server, client, deliver, clock):
    running, _, url = server
    with httpx.stream("GET", f"{url}/api/v1/live", timeout=30) as stream:
        told = events(stream.iter_lines())
        assert next(told)["event"] == "snapshot"
        clock.now += 1000
        deliver("pdu-a", clock.now, {"outlet/1:power": [8000.0], "outlet/2:power": [300.0], "inlet:power": [8310.0]})
        assert next(told)["event"] == "update"
        running.should_exit = True
        assert list(told) == []
    answer = client.get("/api/v1/live?titles=true&zone=Nowhere")
    assert (answer.status_code, answer.json()["code"]) == (422, "unknown_zone")
