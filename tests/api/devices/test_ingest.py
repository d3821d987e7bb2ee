"""Readings come in through the application."""

import json

import pyarrow as pa
import pytest
from sqlalchemy.exc import OperationalError

import app.store.timeseries.layouts as layouts_module
from app.store.database import writing
from collectors.contract.frame import Layout, Quantity, Series

SERIES = [{"point": "outlet/1", "quantity": "power", "unit": "W"}]


def batch(t, values, **more):
    return {"device": "pdu-a", "interval_s": 10, "series": SERIES, "t": t, "values": values, **more}


def read(stores, key, start, end):
    samples = stores.frames.read([key], start, end)[key]
    return list(zip(samples.t_ms.tolist(), samples.v.tolist(), strict=True))


def test_delivered_again_changes_nothing(client, hall, start):
    body = {"batches": [batch([start, start + 10_000], [[431.2, None]])]}
    assert client.post("/api/v1/ingest", json=body).json() == {
        "accepted": 2, "duplicates": 0, "conflicts": 0, "rejected": [],
    }  # fmt: skip
    assert client.post("/api/v1/ingest", json=body).json()["duplicates"] == 2
    assert read(hall, "pdu-a/outlet/1:power", start, start + 20_000) == [(start, 431.2)]


def test_a_missing_value_is_filled_and_a_different_one_is_a_conflict(client, hall, start):
    client.post("/api/v1/ingest", json=batch([start, start + 10_000], [[1.0, None]]))
    answer = client.post("/api/v1/ingest", json=batch([start, start + 10_000], [[2.0, 3.0]])).json()
    assert (answer["accepted"], answer["conflicts"]) == (1, 1)
    assert read(hall, "pdu-a/outlet/1:power", start, start + 20_000) == [(start, 1.0), (start + 10_000, 3.0)]


def test_values_arrive_in_base_units(client, hall, start):
    series = [{"point": "outlet/1", "quantity": "power", "unit": "kW"}]
    client.post("/api/v1/ingest", json=batch([start], [[1.25]], series=series))
    assert read(hall, "pdu-a/outlet/1:power", start, start + 1) == [(start, 1250.0)]


def test_times_may_be_rfc3339(client, hall):
    client.post("/api/v1/ingest", json=batch(["2026-11-20T10:00:00.250Z", "2026-11-20T12:00:10+02:00"], [[1, 2]]))
    at = 1_795_168_800_000  # 2026-11-20T10:00:00Z
    assert read(hall, "pdu-a/outlet/1:power", at, at + 20_000) == [(at + 250, 1.0), (at + 10_000, 2.0)]


@pytest.mark.parametrize(
    "change",
    [
        {"interval_s": 90_000}, {"max_gap_s": 2**63}, {"series": 5}, {"series": [None]}, {"meter": "a\0b"},
        {"t": [2**63]}, {"t": [True]}, {"t": [1.5]}, {"t": {}}, {"values": {}}, {"values": [None]},
        {"values": [[True]]}, {"device": 7}, {"device": ""}, {"group": [1]}, {"layout": 3},
    ],
)  # fmt: skip
def test_nonsense_is_rejected_and_never_a_fault(client, hall, start, change):
    answer = client.post("/api/v1/ingest", json={"batches": [batch([start], [[1.0]]) | change]})
    assert answer.status_code == 422, answer.text
    assert len(answer.json()["rejected"]) == 1


NOW = 1_795_176_000_000
BAD = {
    "unknown_device": {"device": "nobody"},
    "row_mismatch": {"values": [[1.0], [2.0]]},
    "width_mismatch": {"values": [[1.0, 2.0]]},
    "unknown_layout": {"layout": "0" * 32, "series": None},
    "future_time": {"t": [NOW + 60_001]},
    "times_not_increasing": {"t": [NOW - 1000, NOW - 1000], "values": [[1.0, 2.0]]},
    "bad_time": {"t": ["yesterday"]},
    "unit_mismatch": {"series": [{"point": "outlet/1", "quantity": "power", "unit": "VA"}]},
    "unknown_quantity": {"series": [{"point": "outlet/1", "quantity": "charm", "unit": "W"}]},
    "bad_value": {"values": [["12"]]},
    "bad_interval": {"interval_s": 0},
    "bad_point": {"series": [{"point": "outlet 1", "quantity": "power", "unit": "W"}]},
    "bad_layout": {"series": [{"point": "outlet/1", "quantity": "power", "accuracy_pct": "1 %"}]},
    "bad_max_gap": {"max_gap_s": 700_000},
    "unknown_key": {"valus": []},
    "missing_key": {"series": "power"},
}


@pytest.mark.parametrize("code", BAD)
def test_a_bad_batch_is_named_and_the_rest_is_stored(client, hall, code):
    bad = {k: v for k, v in (batch([NOW - 1000], [[5.0]]) | BAD[code]).items() if v is not None}
    good = batch([NOW - 2000], [[7.0]])
    answer = client.post("/api/v1/ingest", json={"batches": [good, bad, good]})
    assert answer.status_code == 422
    told = answer.json()
    assert (told["accepted"], told["duplicates"]) == (1, 1)
    (rejected,) = told["rejected"]
    assert (rejected["index"], rejected["code"], rejected["retryable"]) == (1, code, False)
    assert rejected["detail"]
    assert read(hall, "pdu-a/outlet/1:power", NOW - 5000, NOW) == [(NOW - 2000, 7.0)]


def test_frames_are_judged_one_by_one(client, hall):
    """720 frames around a clock that is an hour behind: those of the past are stored, the others are named."""
    times = [NOW - 3_600_000 + 10_000 * i for i in range(720)]
    answer = client.post("/api/v1/ingest", json=batch(times, [[1.0] * 720]))
    assert (answer.status_code, answer.json()["accepted"]) == (422, 367)  # 360 of the past hour, now, 6 of a minute
    (rejected,) = answer.json()["rejected"]
    assert (rejected["index"], rejected["code"]) == (0, "future_time")
    assert (rejected["t"], rejected["t_last"]) == (NOW + 70_000, NOW + 3_590_000)
    assert len(read(hall, "pdu-a/outlet/1:power", NOW - 3_600_000, NOW + 3_600_000)) == 367


def test_many_layouts_are_stored_in_one_transaction(client, hall, monkeypatch):
    opened = []
    monkeypatch.setattr(layouts_module, "writing", lambda engine: opened.append(1) or writing(engine))
    rows = [{"device": "pdu-a", "group": f"g{i}", "interval_s": 10, "series": SERIES} for i in range(60)]
    answer = client.post("/api/v1/layouts", json={"layouts": [*rows, {"device": "unknown"}]}).json()
    assert (len(answer["layouts"]), len(answer["rejected"]), opened) == (60, 1, [1])
    assert client.post("/api/v1/layouts", json={"layouts": rows}).json()["layouts"] == answer["layouts"]
    assert opened == [1]


def test_a_minute_ahead_is_a_clock_and_not_the_future(client, hall):
    assert client.post("/api/v1/ingest", json=batch([NOW + 60_000], [[1.0]])).json()["accepted"] == 1


@pytest.mark.parametrize(
    "given", [b"", b"{", b"[1]", b'"x"', b'{"batches": 3}', b'{"batches": [{"t": [NaN]}]}', b"\xff\xfe"]
)
def test_a_body_that_cannot_be_read_is_refused_as_a_whole(client, given):
    answer = client.post("/api/v1/ingest", content=given, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["code"] == "unreadable_body"


@pytest.mark.parametrize("media", ["text/csv", "application/x-www-form-urlencoded", ""])
def test_another_media_type_is_refused(client, media):
    answer = client.post("/api/v1/ingest", content=b"{}", headers={"Content-Type": media})
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_an_encoded_body_is_refused(client):
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    assert client.post("/api/v1/ingest", content=b"", headers=headers).status_code == 415


def test_a_body_too_large_is_refused(make_client):
    answer = make_client(max_body_bytes=1024).post("/api/v1/ingest", json={"batches": ["x" * 2000]})
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


def test_unknown_devices_become_meters_when_asked(client, stores, start):
    answer = client.post("/api/v1/ingest?create=meter", json=batch([start], [[5.0]], device="wt310")).json()
    assert answer["accepted"] == 1
    device = stores.facility.now().devices["wt310"]
    assert (device.kind, device.address) == ("meter", None)
    assert client.post("/api/v1/ingest?create=pdu", json=batch([start], [[5.0]])).status_code == 422


def test_batches_name_a_layout_announced_before(client, hall, start):
    layout = {"device": "pdu-a", "group": "main", "interval_s": 10, "series": SERIES}
    told = client.post("/api/v1/layouts", json={"layouts": [layout, layout | {"interval_s": -1}]}).json()
    expected = Layout("pdu-a", "main", 10_000, (Series("outlet/1", Quantity.POWER),))
    assert told["layouts"] == [{"device": "pdu-a", "group": "main", "layout": expected.hash}]
    assert [(r["index"], r["code"]) for r in told["rejected"]] == [(1, "bad_interval")]
    body = {"layout": expected.hash, "t": [start], "values": [[9.0]]}
    assert client.post("/api/v1/ingest", json=body).json()["accepted"] == 1
    wrong = client.post("/api/v1/ingest", json=body | {"device": "pdu-b"}).json()["rejected"][0]
    assert wrong["code"] == "layout_mismatch"


def arrow(table):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def post_arrow(client, body):
    return client.post("/api/v1/ingest", content=body, headers={"Content-Type": "application/vnd.apache.arrow.stream"})


@pytest.fixture
def table(start):
    head = {"device": "pdu-a", "interval_s": 10, "series": [{"point": "outlet/1", "quantity": "power", "unit": "kW"}]}
    schema = pa.schema(
        [("t", pa.int64()), ("outlet/1:power", pa.float64())], metadata={b"wattline": json.dumps(head).encode()}
    )
    return pa.table([[start, start + 10_000], [0.5, None]], schema=schema)


def test_an_arrow_stream_is_a_batch(client, hall, table, start):
    answer = post_arrow(client, arrow(table))
    assert answer.json() == {"accepted": 2, "duplicates": 0, "conflicts": 0, "rejected": []}
    assert read(hall, "pdu-a/outlet/1:power", start, start + 20_000) == [(start, 500.0)]


def test_an_arrow_stream_that_contradicts_its_layout_is_rejected(client, hall, table):
    renamed = table.rename_columns(["t", "outlet/2:power"]).replace_schema_metadata(table.schema.metadata)
    assert post_arrow(client, arrow(renamed)).json()["rejected"][0]["code"] == "row_mismatch"
    bare = table.replace_schema_metadata(None)
    assert post_arrow(client, arrow(bare)).json()["rejected"][0]["code"] == "missing_layout"
    assert post_arrow(client, b"no arrow").json()["code"] == "unreadable_body"


def test_a_database_that_does_not_answer_is_reported_with_when_to_come_back(client, hall, start, monkeypatch):
    def busy(*_args):
        raise OperationalError("BEGIN IMMEDIATE", {}, Exception("database is locked"))

    monkeypatch.setattr(hall.frames, "write", busy)
    answer = client.post("/api/v1/ingest", json=batch([start], [[1.0]]))
    (rejected,) = answer.json()["rejected"]
    assert (answer.status_code, rejected["code"], rejected["retryable"]) == (503, "database_gone", True)
    assert int(answer.headers["Retry-After"]) >= 1
