"""Readings that cannot be true, delivered to the real application."""

import json

import numpy as np
import pyarrow as pa
import pytest

from app.services.alerts.evaluation import evaluate
from app.store.facility import Breaker, Device, Node

POLL_MS = 10_000
ARROW = "application/vnd.apache.arrow.stream"


def series(point="input/l1", quantity="current", unit="A", **more):
    return {"point": point, "quantity": quantity, "unit": unit, **more}


def send(client, t, values, *columns, **more):
    body = {"device": "pdu-a", "interval_s": 10, "series": list(columns), "t": t, "values": values, **more}
    answer = client.post("/api/v1/ingest", json=body)
    assert answer.status_code == (422 if answer.json()["rejected"] else 200), answer.text
    return answer.json()


def stored(stores, key, start, n):
    samples = stores.frames.read([f"pdu-a/{key}"], start, start + n * POLL_MS)[f"pdu-a/{key}"]
    return dict(zip(((samples.t_ms - start) // POLL_MS).tolist(), samples.v.tolist(), strict=True))


def refused(client):
    return client.get("/api/v1/devices/pdu-a/refused").json()["refused"]


def send_arrow(client, t, values):
    head = {"device": "pdu-a", "interval_s": 10, "series": [series("output", "power", "W")]}
    fields = [("t", pa.int64()), ("output:power", pa.float64())]
    schema = pa.schema(fields, metadata={"wattline": json.dumps(head)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_table(pa.table([pa.array(t, pa.int64()), pa.array(values, pa.float64())], schema=schema))
    body = sink.getvalue().to_pybytes()
    answer = client.post("/api/v1/ingest", content=body, headers={"content-type": ARROW})
    assert answer.status_code == (422 if answer.json()["rejected"] else 200), answer.text
    return answer.json()


def test_a_refused_reading_is_missing_counted_and_listed(client, hall, start):
    t = [start + POLL_MS * i for i in range(4)]
    columns = series(resolution=0.1), series(quantity="voltage", unit="V")
    answer = send(client, t, [[8.1, 65_535.0, 8.2, 65_535.0], [230, 231, 232, 233]], *columns)
    assert answer == {"accepted": 4, "duplicates": 0, "conflicts": 0, "rejected": [], "refused": 2}
    assert stored(hall, "input/l1:current", start, 4) == {0: 8.1, 2: 8.2}
    assert stored(hall, "input/l1:voltage", start, 4) == {0: 230, 1: 231, 2: 232, 3: 233}
    assert client.get("/api/v1/devices/pdu-a/refused").json() == {
        "device": "pdu-a",
        "refused": [
            {
                "point": "input/l1", "quantity": "current", "reason": "missing_code", "value": 65_535.0, "unit": "A",
                "raw": 655_350.0, "count": 2, "first": "2026-11-20T10:00:10Z", "last": "2026-11-20T10:00:30Z",
            }
        ],
    }  # fmt: skip
    (line,) = client.get("/api/v1/views/device/pdu-a").json()["refused"]
    assert line["text"] == "input/l1 current 65\u202f535\u2009A"
    assert 'wattline_refused_readings_total{reason="missing_code"} 2.0' in client.get("/metrics").text
    assert client.get("/api/v1/devices/pdu-z/refused").status_code == 404


def test_delivered_again_it_is_not_counted_again(client, hall, start):
    for _ in range(2):
        send(client, [start, start + POLL_MS], [[8.1, -300.0]], series())
    (line,) = refused(client)
    assert (line["count"], line["reason"], line["value"]) == (1, "negative", -300.0)


def test_what_is_refused_later_adds_up(client, hall, start):
    for i in (5, 0, 6):
        send(client, [start + POLL_MS * i], [[-300.0 - i]], series())
    (line,) = refused(client)
    assert (line["count"], line["value"]) == (3, -306.0)
    assert (line["first"], line["last"]) == ("2026-11-20T10:00:00Z", "2026-11-20T10:01:00Z")


def test_the_reading_before_comes_from_the_store(client, hall, start):
    for i, value in enumerate((60_000.0, 65_535.0, 20_000.0, 65_535.0)):
        send(client, [start + i * POLL_MS], [[value]], series("output", "power", "W", resolution=1))
    assert stored(hall, "output:power", start, 4) == {0: 60_000, 1: 65_535, 2: 20_000}


def test_the_reading_before_may_be_in_the_same_request(client, hall, start):
    column = series("output", "power", "W", resolution=1)
    batches = [
        {"device": "pdu-a", "interval_s": 10, "series": [column], "t": [start + i * POLL_MS], "values": [[value]]}
        for i, value in enumerate((60_000.0, 65_535.0))
    ]
    assert client.post("/api/v1/ingest", json={"batches": batches}).json()["accepted"] == 2
    assert stored(hall, "output:power", start, 4) == {0: 60_000, 1: 65_535}


def test_arrow_goes_through_the_same_gate(client, hall, start):
    answer = send_arrow(client, [start, start + POLL_MS, start + 2 * POLL_MS], [400.0, -37.0, np.inf])
    assert (answer["accepted"], answer["refused"]) == (3, 2)
    assert stored(hall, "output:power", start, 3) == {0: 400}
    assert {line["reason"] for line in refused(client)} == {"negative", "not_finite"}


@pytest.mark.parametrize("t_ms", [-(2**63), -(2**63) + 5, -1, 253_402_300_800_000, 2**63 - 1])
def test_an_arrow_time_outside_the_calendar_is_rejected(client, hall, start, t_ms):
    for times in ([t_ms], sorted([t_ms, start])):
        (rejected,) = send_arrow(client, times, [400.0] * len(times))["rejected"]
        assert rejected["code"] == "bad_time"
    assert client.get("/api/v1/devices/pdu-a/span").json() == {"first": None, "last": None}


def test_a_declared_breaker_and_the_rating_of_a_model_are_limits(client, hall, start):
    # the breaker of pdu-a is 50 A, n1 is rated 2000 W; from 1 to 3 × is an overload and is stored
    send(client, [start, start + POLL_MS], [[149.0, 151.0]], series("inlet/l1"))
    assert stored(hall, "inlet/l1:current", start, 2) == {0: 149}
    watts = series("total", "power", "W")
    answer = send(client, [start, start + POLL_MS], [[5900.0, 6100.0]], watts, device="n1-exporter")
    assert answer["refused"] == 1
    breaker = Breaker(amps=63, phases=3, volts=208)
    nodes = [Node(key=key, model="m", rack="r1") for key in ("n1", "n2")]
    hall.facility.upsert([Device(key="pdu-a", kind="pdu", rack="r1", breaker=breaker), *nodes])
    send(client, [start + 2 * POLL_MS], [[151.0]], series("inlet/l1"))
    assert stored(hall, "inlet/l1:current", start, 3) == {0: 149, 2: 151}


def test_a_series_may_declare_that_it_is_signed(client, hall, start):
    send(client, [start], [[-300.0]], series("feed/pv", "power", "W", signed=True))
    assert stored(hall, "feed/pv:power", start, 1) == {0: -300}
    wrong = send(client, [start], [[-300.0]], series("feed/pv", "power", "W", signed="yes"))
    assert [one["code"] for one in wrong["rejected"]] == ["bad_layout"]


def open_refusals(client):
    return [one for one in client.get("/api/v1/alerts").json()["items"] if one["rule"] == "reading_refused"]


def test_a_refusal_that_lasts_is_an_alert(client, hall, clock, start):
    clock.now = start
    for i in range(62):
        send(client, [clock.now], [[65_535.0], [230.0]], series(), series(quantity="voltage", unit="V"))
        evaluate(hall, "me")
        assert bool(open_refusals(client)) == (i >= 60)  # ten minutes after the first
        clock.now += POLL_MS
    (alert,) = open_refusals(client)
    assert (alert["about"], alert["since"]) == ("pdu-a input/l1 current is impossible", "2026-11-20T10:00:00Z")
    assert (alert["reason"], alert["href"]) == ("a code for a missing value", "/devices/pdu-a")
    for _ in range(12):
        send(client, [clock.now], [[8.0]], series())
        evaluate(hall, "me")
        clock.now += POLL_MS
    assert open_refusals(client) == []


def test_ten_readings_must_be_refused(client, hall, clock, start):
    for i in range(10):
        clock.now = start + 300_000 * i
        send(client, [clock.now], [[65_535.0]], series(), interval_s=300)
        evaluate(hall, "me")
        assert bool(open_refusals(client)) == (i == 9)


def test_a_counter_that_goes_back_and_forth_is_refused_unless_the_device_restarted(client, hall, start):
    energy = series("inlet", "energy", "J", resolution=3600)
    for i, joules in enumerate((9e9, 1e9, 9.1e9, 1.1e9)):
        send(client, [start + POLL_MS * i], [[joules]], energy)
    assert stored(hall, "inlet:energy", start, 4) == {0: 9e9, 1: 1e9, 2: 9.1e9}
    assert [one["reason"] for one in refused(client)] == ["counter_decreases"]
    event = {"device": "pdu-b", "t": start + POLL_MS, "kind": "device_restarted", "severity": "info", "detail": ""}
    hall.facility.upsert([Device(key="pdu-b", kind="pdu", rack="r1")])
    assert client.post("/api/v1/events", json={"events": [event]}).status_code == 200
    for i, joules in enumerate((9e9, 1e9, 2e9, 1.1e9)):
        send(client, [start + POLL_MS * i], [[joules]], energy, device="pdu-b")
    assert client.get("/api/v1/devices/pdu-b/refused").json()["refused"] == []


def bmc(client, t, values, columns, device="n1-bmc"):
    return send(client, t, values, *columns, device=device)


TOTAL = series("total", "power", "W")


def test_0_w_from_the_bmc_of_a_server_that_is_on_is_refused(client, hall, start):
    supply = series("psu/0", "power", "W")
    both = bmc(client, [start, start + POLL_MS], [[0.0, 0.0], [0.0, 410.0]], [TOTAL, supply])
    assert both["refused"] == 1
    t = start + 10 * POLL_MS
    send(client, [t], [[300.0]], series("gpu/0", "power", "W"), device="n1-exporter", interval_s=10)
    assert bmc(client, [t + 5_000], [[0.0]], [TOTAL])["refused"] == 1  # the exporter runs on the server
    answer = client.get("/api/v1/devices/n1-bmc/refused").json()["refused"]
    assert [(one["reason"], one["count"]) for one in answer] == [("server_is_on", 2)]
    assert "refused" not in bmc(client, [t + 600_000], [[0.0]], [TOTAL])  # off: nothing else says that it runs


def test_0_w_from_a_bmc_never_replaces_silent_outlets(client, hall, start, clock):
    t = [start + POLL_MS * i for i in range(61)]
    send(client, t[:31], [[500.0] * 31], series("outlet/1", "power", "W"))
    bmc(client, t, [[480.0] * 46 + [0.0] * 15], [TOTAL])
    answer = client.get(f"/api/v1/nodes/n1/curve?from={start}&to={t[-1]}").json()
    (total,) = [one for one in answer["series"] if one["key"] == "total"]
    assert {v for v in total["v"] if v is not None} == {500.0, 480.0}
