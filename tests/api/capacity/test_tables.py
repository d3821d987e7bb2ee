"""Headroom, capacity and checks as CSV, and the levels above racks, in the small hall of two nodes."""

import csv
import io
import json
import re
import sys
from datetime import UTC, datetime
from html import unescape
from zipfile import ZipFile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

from app.server.application import create_app
from app.services.rollups import refresh_minutes
from app.settings import Settings
from app.store.facility import Device, Rack
from tests.api import hall as small
from tests.checked_client import client_of

WINDOW = f"from={small.NOW - small.HOUR_MS}&to={small.NOW}"
WHAT_IF = "/api/v1/capacity/what-if"


@pytest.fixture
def app(engine, tmp_path):
    app = create_app(Settings(data_dir=tmp_path), lambda: small.NOW, engine)
    small.build(app.state.stores)
    return app


@pytest.fixture
def client(app) -> TestClient:
    return client_of(app, raise_server_exceptions=False)


def table(client, path):
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8; header=present"
    assert 'filename="' in answer.headers["content-disposition"]
    return list(csv.DictReader(io.StringIO(answer.text)))


def rows(client, level):
    answer = client.get(f"/api/v1/headroom?level={level}&{WINDOW}")
    assert answer.status_code == 200, answer.text
    return {row["key"]: row for row in answer.json()["items"]}


@pytest.mark.parametrize(("level", "key", "label"), [("room", "hall", "Hall"), ("site", "lab", "The lab")])
def test_a_room_and_a_site_are_the_sum_of_their_racks(client, level, key, label):
    row = rows(client, level)[key]
    # two inlets of 1500 W on 20 kW
    assert (row["label"], row["rated_w"], row["observed_w"]["max"]) == (label, 20_000.0, 3000.0)
    assert (row["headroom_w"], row["headroom_pct"], row["coverage"]) == (17_000.0, 85.0, 1.0)
    assert (row["source"], row["caliber"]) == ("pdu", "actual")


def test_a_room_has_no_rating_while_one_of_its_racks_has_none(client, app):
    app.state.stores.facility.upsert([Rack(key="r2", site="lab", room="hall")], effective_ms=0)
    row = rows(client, "room")["hall"]
    # r2 has no readings: it is neither 0 nor a reason not to show the room
    assert (row["rated_w"], row["headroom_w"], row["observed_w"]["max"]) == (None, None, 3000.0)


def test_a_feed_is_the_sum_of_its_pdus_and_its_most_loaded_line(client):
    found = rows(client, "feed")
    assert set(found) == {"hall/A", "hall/B"}
    row = found["hall/A"]
    assert (row["label"], row["observed_w"]["max"], row["rated_w"], row["headroom_w"]) == ("Hall A", 1500.0, None, None)
    # 3 A of 32 A on the most loaded line
    assert (row["limit_a"], row["observed_a"]["max"], row["headroom_a"]) == (32.0, 3.0, 29.0)
    assert row["headroom_pct"] == 90.625


def test_pdus_outside_of_rooms_are_a_feed_of_their_own(client, app):
    app.state.stores.facility.upsert([Rack(key="r1", site="lab", capacity_w=20_000)], effective_ms=0)
    assert set(rows(client, "feed")) == {"A", "B"}
    body = client.post(WHAT_IF, json={"fail": ["feed:A"]}).json()
    assert body["failed"] == ["pdu-a"]


@pytest.mark.parametrize("level", ["room", "site", "feed"])
def test_long_windows_are_read_from_minutes(client, app, level, monkeypatch):
    by_samples = rows(client, level)
    while refresh_minutes(app.state.stores, "me"):
        pass
    monkeypatch.setattr("app.services.headroom.headroom_row.MANY_DAYS", 0)
    for key, row in rows(client, level).items():
        exact = by_samples[key]
        assert (row["basis"], exact["basis"]) == ("minutes", "samples")
        for name in ("rated_w", "headroom_w", "headroom_a", "headroom_pct", "source"):
            assert row[name] == exact[name], (key, name)
        assert row["observed_w"]["max"] == pytest.approx(exact["observed_w"]["max"])
        assert row["coverage"] == pytest.approx(1.0, abs=0.01)


def test_headroom_as_csv_has_units_in_its_columns(client):
    (row,) = table(client, f"/api/v1/headroom.csv?level=rack&{WINDOW}")
    assert (row["level"], row["key"], row["label"], row["rated_w"]) == ("rack", "r1", "R1", "20000.0")
    assert (row["observed_max_w"], row["headroom_w"], row["headroom_pct"]) == ("3000.0", "17000.0", "85.0")
    assert (row["coverage"], row["method"], row["source"], row["limit_a"]) == ("1.0", "integral", "pdu", "")
    assert (row["from"], row["to"]) == ("2025-11-20T11:00:00Z", "2025-11-20T12:00:00Z")


@pytest.mark.parametrize("level", ["node", "rack", "room", "site", "feed", "pdu", "phase", "model"])
def test_the_csv_of_every_level_says_what_the_json_says(client, level):
    exact = rows(client, level)
    found = table(client, f"/api/v1/headroom.csv?level={level}&{WINDOW}")
    assert [row["key"] for row in found] == list(exact)
    for row in found:
        one = exact[row["key"]]
        for column, value in {
            "rated_w": one["rated_w"], "observed_p99_w": one["observed_w"]["p99"], "k": one["k"],
            "observed_max_a": one["observed_a"]["max"], "headroom_a": one["headroom_a"], "max_at": one["max_at"],
        }.items():  # fmt: skip
            assert row[column] == ("" if value is None else str(value)), (row["key"], column)


def test_capacity_as_csv(client):
    found = {row["level"]: row for row in table(client, f"/api/v1/capacity/racks/r1.csv?{WINDOW}")}
    # two nodes of at most 2 × 1000 W on 20 kW: 8 more; two free outlets: 1 more
    assert (found["rack"]["unit"], found["rack"]["load"], found["rack"]["additional_nodes"]) == ("W", "4000.0", "8")
    assert (found["outlets"]["additional_nodes"], found["outlets"]["binding"]) == ("1", "true")
    assert (found["rack"]["binding"], found["rack"]["stranded"]) == ("false", "14000.0")
    assert {row["model"] for row in found.values()} == {"m"}


def test_a_level_that_is_not_evaluated_is_a_row_with_the_reason(client, app):
    app.state.stores.facility.upsert([Rack(key="r1", site="lab", room="hall", height_u=42)], effective_ms=0)
    found = {row["level"]: row for row in table(client, "/api/v1/capacity/racks/r1.csv")}
    assert found["rack"]["not_evaluated"] == "capacity_w of the rack is not declared"
    assert (found["rack"]["limit"], found["rack"]["additional_nodes"]) == ("", "")


def test_checks_as_csv(client):
    exact = client.get(f"/api/v1/checks?{WINDOW}").json()["items"]
    found = table(client, f"/api/v1/checks.csv?{WINDOW}")
    assert [(row["kind"], row["subject"], row["verdict"]) for row in found] == [
        (one["kind"], one["subject"], one["verdict"]) for one in exact
    ]
    outlets = next(row for row in found if row["kind"] == "outlets_inlet")
    # 1000 + 500 + 0 W against an inlet of 1500 W
    assert (float(outlets["left_mean_w"]), float(outlets["right_mean_w"])) == (1500.0, 1500.0)
    assert (float(outlets["difference_w"]), outlets["tolerance_assumed"], outlets["cause"]) == (0.0, "true", "")


@pytest.mark.parametrize(
    ("path", "method", "units"),
    [
        ("headroom", "integral", {"rated_w": "W", "usable_va": "VA", "limit_a": "A", "coverage": "1", "key": None}),
        ("checks", "mean", {"left_mean_w": "W", "difference_pct": "%", "verdict": None, "tolerance_assumed": None}),
        ("capacity/racks/r1", None, {"each_w": "W", "limit": "unit", "margin_pct": "%", "binding": None}),
    ],
)
def test_a_file_says_the_same_in_every_format(client, path, method, units):
    """Summary beside the CSV, Parquet and Arrow state zone, units, window, method and coverage."""
    found = client.get(f"/api/v1/{path}.csv?{WINDOW}")
    printed = list(csv.DictReader(io.StringIO(found.text)))
    beside = f"/api/v1/{path}".rpartition("/")[0] + "/" + found.links["describedby"]["url"]
    summary = client.get(beside).json()
    assert (summary["zone"], summary["rows"], summary.get("method")) == ("UTC", len(printed), method)
    assert (summary["from"], summary["to"]) == ("2025-11-20T11:00:00Z", "2025-11-20T12:00:00Z")
    stated = {column["name"]: column["unit"] for column in summary["columns"]}
    assert list(stated) == list(printed[0])
    assert {name: stated[name] for name in units} == units
    parquet = pq.read_table(io.BytesIO(client.get(f"/api/v1/{path}.parquet?{WINDOW}").content))
    arrow = pa.ipc.open_stream(client.get(f"/api/v1/{path}.arrow?{WINDOW}").content).read_all()
    assert parquet.equals(arrow)
    assert json.loads(parquet.schema.metadata[b"wattline"]) == summary
    assert parquet.schema.field(next(iter(units))).metadata == {b"unit": b"W"}
    assert parquet["from"].to_pylist()[0] == datetime(2025, 11, 20, 11, tzinfo=UTC)
    assert parquet.num_rows == len(printed)


def test_summaries_name_what_the_files_are_about(client):
    headroom, checks, capacity = (
        client.get(f"/api/v1/{path}.summary.json?{WINDOW}").json()
        for path in ("headroom", "checks", "capacity/racks/r1")
    )
    assert (headroom["level"], headroom["coverage"]) == ("node", 1.0)
    assert sum(checks["counts"].values()) == checks["rows"]
    assert (capacity["rack"], capacity["additional_nodes"], capacity["basis"]) == ("r1", 1, "observed_max")
    # flags are flags, not texts
    file = client.get(f"/api/v1/capacity/racks/r1.parquet?{WINDOW}").content
    assert pq.read_schema(io.BytesIO(file)).field("binding").type == pa.bool_()


def levels(answer):
    assert answer.status_code == 200, answer.text
    return {(one["level"], one["key"]): one for one in answer.json()["levels"]}


def test_a_feed_fails_as_its_pdus_do(client):
    by_feed = client.post(WHAT_IF, json={"fail": ["feed:hall/A"]})
    by_name = client.post(WHAT_IF, json={"fail": ["pdu-a"]})
    feed, name = by_feed.json(), by_name.json()
    assert {**feed, "verdict": None} == {**name, "verdict": None}
    assert feed["verdict"]["parts"] == name["verdict"]["parts"]
    assert by_feed.json()["failed"] == ["pdu-a"]
    assert levels(by_feed)["line", "pdu-b/L1"]["after"] == 6.0


def test_a_room_fails_with_everything_in_it(client):
    answer = client.post(WHAT_IF, json={"fail": ["room:hall"]})
    assert {one["state"] for key, one in levels(answer).items() if key[0] == "pdu"} == {"failed"}
    assert levels(answer)["rack", "r1"]["after"] == 0.0
    body = answer.json()
    assert (body["failed"], body["lost"]) == (["pdu-a", "pdu-b"], ["n1", "n2"])


@pytest.mark.parametrize(
    ("name", "detail", "hint"),
    [
        ("feed:hall/C", "no device is on feed 'hall/C'", "feeds: hall/A, hall/B; write feed:ROOM/FEED"),
        ("feed:A", "no device is on feed 'A'", "feeds: hall/A, hall/B; write feed:ROOM/FEED"),
        ("room:attic", "there is no device in a room 'attic'", "rooms: hall"),
        ("pdu-z", "there is no device 'pdu-z'", "name a device (GET /api/v1/devices), feed:ROOM/FEED or room:KEY"),
    ],
)
def test_what_cannot_fail_is_named_with_what_can(client, name, detail, hint):
    answer = client.post(WHAT_IF, json={"fail": ["pdu-a", name]})
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_what_if")
    (mistake,) = answer.json()["errors"]
    assert (mistake["where"], mistake["detail"], mistake["hint"]) == ("fail[1]", detail, hint)


def test_headroom_as_a_workbook(client, app):
    """One PDU, whose label looks like a formula: the sheet holds it as a text, and the loads as numbers."""
    label = '=HYPERLINK("http://example.org")'
    app.state.stores.facility.upsert([Device(key="pdu-a", kind="pdu", label=label, rack="r1")], effective_ms=0)
    answer = client.get(f"/api/v1/headroom.xlsx?level=pdu&{WINDOW}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    assert answer.headers["content-disposition"] == 'attachment; filename="headroom-pdu.xlsx"'
    with ZipFile(io.BytesIO(answer.content)) as book:
        texts = re.findall(r"<t[^>]*>(.*?)</t>", book.read("xl/sharedStrings.xml").decode())
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "'=HYPERLINK(&quot;http://example.org&quot;)".replace("&quot;", '"') in [unescape(text) for text in texts]
    assert "<f>" not in sheet
    assert "<v>1500</v>" in sheet  # the inlet of 1500 W
    # 12:00 on 20 November 2025 UTC, in days since 1900 as workbooks count them
    assert "<v>45981.5</v>" in sheet
    assert "unit of observed_max_w" in texts


@pytest.mark.parametrize(("level", "key"), [("rack", "r1"), ("room", "hall"), ("site", "lab")])
def test_files_of_headroom_say_what_fits(client, level, key):
    """One server of 3 kW at most is in place; the outlets of feed A allow one more, 20 kW less 10 % five."""
    (plain,) = table(client, f"/api/v1/headroom.csv?level={level}&{WINDOW}")
    assert (plain["key"], plain["additional_nodes"], plain["binds"]) == (key, "", "")
    (row,) = table(client, f"/api/v1/headroom.csv?level={level}&fits=observed_max&margin_pct=10&{WINDOW}")
    assert (row["additional_nodes"], row["fits_model"], row["binds"]) == ("1", "m", "Outlets on feed A")
    assert float(row["stranded_w"]) == 12_000.0  # 18 kW less the 3 kW in place and the 3 kW of one more
    book = client.get(f"/api/v1/headroom.xlsx?level={level}&fits=observed_max&margin_pct=10&{WINDOW}")
    with ZipFile(io.BytesIO(book.content)) as found:
        texts = re.findall(r"<t[^>]*>(.*?)</t>", found.read("xl/sharedStrings.xml").decode())
    assert {"additional_nodes", "fits_model", "m", "Outlets on feed A"} <= set(texts)


def test_without_xlsxwriter_the_answer_says_what_to_install(client, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    answer = client.get(f"/api/v1/headroom.xlsx?{WINDOW}")
    assert (answer.status_code, answer.json()["code"]) == (501, "not_installed")
    assert "wattline[xlsx]" in answer.json()["hint"]
