"""The curves of racks, rooms and sites, reckoned by hand: what is whole, what is known, what is missing."""

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.services.rollups import refresh_minutes
from app.store.facility import Device, Node, Rack, Room, Site

N = 60  # ten minutes, every 10 s
LENGTH_MS = N * 10_000


@pytest.fixture
def room(stores, deliver, start):
    """Racks r1 (two inlets of 1 kW and 500 W) and r2 (2 kW); the 500 W are silent for the last five minutes."""
    stores.facility.upsert(
        [
            Site(key="lab", label="The lab"),
            Room(key="hall-1", label="Hall 1", site="lab"),
            Rack(key="r1", site="lab", room="hall-1", capacity_w=10_000.0),
            Rack(key="r2", site="lab", room="hall-1", capacity_w=5_000.0),
            Rack(key="empty", site="lab"),
            *(
                Device(key=f"pdu-{k}", kind="pdu", site="lab", rack=r)
                for k, r in (("a", "r1"), ("b", "r1"), ("c", "r2"))
            ),
        ],
        effective_ms=0,
    )
    deliver("pdu-a", start, {"inlet:power": [1000.0] * N})
    deliver("pdu-b", start, {"inlet:power": [500.0] * (N // 2)})
    deliver("pdu-c", start, {"inlet:power": [2000.0] * N})
    return start


def curve(client, place, start, query=""):
    answer = client.get(f"/api/v1/{place}/curve?from={start}&to={start + LENGTH_MS}{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_rack_is_whole_where_both_inlets_are_and_a_lower_bound_elsewhere(client, room):
    found = curve(client, "racks/r1", room)
    total, known = found["series"]
    assert (found["unit"], found["power_basis"], found["usable_w"], found["members"]) == ("W", "measured", 10_000.0, 2)
    assert (total["key"], known["key"]) == ("total", "known")
    assert total["coverage"] == pytest.approx(0.5)
    assert known["coverage"] == pytest.approx(1.0)
    assert set(total["v"]) - {None} == {1500.0}
    assert set(known["v"]) == {1500.0, 1000.0}
    # 1500 W for 300 s; known: 1500 W · 300 s + 1000 W · 300 s
    assert total["statistics"]["energy_j"] == pytest.approx(450_000.0, rel=1e-5)
    assert known["statistics"]["energy_j"] == pytest.approx(750_000.0, rel=1e-5)
    # one of two members covered for half of the window: (1 + 0.5) / 2
    assert found["missing"] == [{"key": "pdu-b/inlet", "coverage": pytest.approx(0.5)}]
    assert found["coverage"] == pytest.approx(0.75)


@pytest.mark.parametrize("place", ["rooms/hall-1", "sites/lab"])
def test_a_room_and_a_site_are_the_sums_of_their_racks(client, room, place):
    found = curve(client, place, room)
    total, known = found["series"]
    assert set(total["v"]) - {None} == {3500.0}
    assert set(known["v"]) == {3500.0, 3000.0}
    assert (found["made_of"], found["members"]) == ("readings", 3)
    assert found["usable_w"] == (15_000.0 if place == "rooms/hall-1" else None)  # rack `empty` declares none


def test_means_of_steps_say_how_much_of_them_is_covered(client, room):
    found = curve(client, "racks/r1", room, "&resolution_s=120")
    total, known = found["series"]
    assert (found["resolution_s"], len(total["t"])) == (120.0, 5)
    # whole for 300 of 600 s: two steps and the half of the third; then nothing
    assert total["v"] == [1500.0, 1500.0, 1500.0, None, None]
    # the third step holds 60 s of 1500 W and 60 s of 1000 W
    assert known["v"] == [1500.0, 1500.0, pytest.approx(1250.0, abs=0.1), 1000.0, 1000.0]


def test_many_rack_days_are_read_from_minutes(client, room, stores, clock):
    assert refresh_minutes(stores, "test") > 0
    before = clock.now - 60 * 86_400_000
    answer = client.get(f"/api/v1/rooms/hall-1/curve?from={before}&to={clock.now}&resolution_s=60").json()
    total, known = answer["series"]
    assert (answer["made_of"], answer["resolution_s"]) == ("minutes", 60.0)
    assert [v for v in total["v"] if v is not None] == [3500.0] * 5
    # r1 is not whole without pdu-b; a step within a millisecond at the ends is 0.03 W of a minute
    assert [v for v in known["v"] if v is not None] == pytest.approx([3500.0] * 5 + [2000.0] * 5, abs=0.1)
    assert {one["key"] for one in answer["missing"]} == {"r1", "r2"}
    wrong = client.get(f"/api/v1/rooms/hall-1/curve?from={before}&to={clock.now}&resolution_s=90").json()
    assert wrong["code"] == "bad_resolution"


def rows_of(client, path):
    answer = client.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.text
    return answer, list(csv.reader(io.StringIO(answer.text)))


def test_a_file_has_the_sum_what_is_known_and_each_member(client, room):
    answer, rows = rows_of(client, f"rooms/hall-1/curve.csv?from={room}&to={room + LENGTH_MS}")
    assert 'filename="room-hall-1-2026-11-20.csv"' in answer.headers["Content-Disposition"]
    assert rows[0] == ["t", "power_w", "known power_w", "r1 power_w", "r2 power_w"]
    assert rows[1] == ["2026-11-20T10:00:00.000Z", "3500", "3500", "1500", "2000"]
    assert rows[-1][:3] == ["2026-11-20T10:09:50.000Z", "", "2000"]
    assert len(rows) == 1 + N


@pytest.mark.parametrize("place", ["rooms/hall-1", "nodes/n1", "devices/pdu-a"])
def test_a_file_of_a_window_of_8000_years_has_what_is_recorded(client, room, stores, place):
    stores.facility.upsert([Node(key="n1", rack="r1", feeds=("pdu-a/inlet",))], effective_ms=0)
    point = "&point=inlet" if place.startswith("devices") else ""
    everything = f"curve.csv?from=1970-01-01T00:00:00Z&to=9999-01-01T00:00:00Z{point}"
    _, rows = rows_of(client, f"{place}/{everything}")
    recorded = rows_of(client, f"{place}/curve.csv?from={room}&to={room + LENGTH_MS}{point}")[1]
    assert [row[:2] for row in rows] == [row[:2] for row in recorded]
    found = client.get(f"/api/v1/{place}/{everything.replace('csv', 'summary.json')}").json()
    # known of the room: 3.5 kW for 300 s while r1 is whole, then the 2 kW of r2; of the others 1 kW for 600 s
    power = found["columns"][2 if place.startswith("rooms") else 1]
    assert power["energy_j"] == pytest.approx({"r": 1_650_000, "n": 600_000, "d": 600_000}[place[0]], rel=0.02)
    _, means = rows_of(
        client, f"{place}/curve.csv?from=1970-01-01T00:00:00Z&to=2026-12-01T00:00:00Z&resolution_s=86400{point}"
    )
    assert len(means) == 1 + 20_788


def test_a_file_of_means(client, room):
    _, rows = rows_of(client, f"racks/r1/curve.csv?from={room}&to={room + LENGTH_MS}&resolution_s=300")
    assert rows[0] == ["t", "power_w", "known power_w", "pdu-a/inlet power_w", "pdu-b/inlet power_w", "coverage"]
    assert [row[0] for row in rows[1:]] == ["2026-11-20T10:00:00.000Z", "2026-11-20T10:05:00.000Z"]
    assert rows[1][1:] == ["1500", "1500", "1000", "500", "1"]
    assert (rows[2][1], float(rows[2][2]), rows[2][-1]) == ("", pytest.approx(1000.0, abs=0.1), "0")


def test_a_summary_beside_the_csv_has_unit_coverage_and_energy_of_each_column(client, room):
    csv_file = client.get(f"/api/v1/racks/r1/curve.csv?from={room}&to={room + LENGTH_MS}")
    beside = csv_file.links["describedby"]["url"]
    assert beside == f"curve.summary.json?from={room}&to={room + LENGTH_MS}"
    found = client.get(f"/api/v1/racks/r1/{beside}").json()
    assert (found["method"], found["zone"]) == ("integral", "UTC")
    time, total, known, a, b = found["columns"]
    assert time == {"name": "t", "unit": None, "coverage": None, "energy_j": None}
    # pdu-b answers for the first 300 s of 600 s: 1000 W · 600 s, 500 W · 300 s
    assert (a["energy_j"], a["coverage"]) == (pytest.approx(600_000), 1.0)
    assert (b["energy_j"], b["coverage"]) == (pytest.approx(150_000, rel=0.02), pytest.approx(0.5, abs=0.02))
    assert total["coverage"] == b["coverage"]
    assert known["coverage"] == 1.0
    assert known["energy_j"] == pytest.approx(a["energy_j"] + b["energy_j"])


@pytest.mark.parametrize("kind", ["parquet", "arrow", "json"])
def test_every_format_says_what_it_is(client, room, kind):
    query = f"?from={room}&to={room + LENGTH_MS}"
    answer = client.get(f"/api/v1/racks/r1/curve.{kind}{query}")
    beside = client.get(f"/api/v1/racks/r1/curve.summary.json{query}").json()
    if kind == "json":
        facts = answer.json()
        assert facts["rows"][0] == [room, 1500.0, 1500.0, 1000.0, 500.0]
    else:
        data = answer.content
        table = pq.read_table(io.BytesIO(data)) if kind == "parquet" else pa.ipc.open_stream(data).read_all()
        facts = json.loads(table.schema.metadata[b"wattline"])
        assert table["power_w"].to_pylist()[:2] == [1500.0, 1500.0]
    assert (facts["what"], facts["zone"], facts["from"]) == ("rack r1", "UTC", "2026-11-20T10:00:00Z")
    assert [c["unit"] for c in facts["columns"]][1:] == ["W", "W", "W", "W"]
    assert facts["columns"][1:] == beside["columns"][1:]
    assert {k: facts[k] for k in beside if k != "columns"} == {k: v for k, v in beside.items() if k != "columns"}


def test_a_file_as_json_names_its_columns_and_their_units(client, room, stores):
    stores.facility.upsert([Node(key="n1", feeds=("pdu-c/inlet",))], effective_ms=0)
    places = {"rooms/hall-1": 5, "sites/lab": 5, "nodes/n1": 3, "devices/pdu-c": 2}
    for place, width in places.items():
        facts = client.get(f"/api/v1/{place}/curve.json?from={room}&to={room + LENGTH_MS}").json()
        assert [column["unit"] for column in facts["columns"]] == ["ms"] + ["W"] * (width - 1)
        assert len(facts["rows"]) == N
        beside = client.get(f"/api/v1/{place}/curve.summary.json?from={room}&to={room + LENGTH_MS}").json()
        assert [column["unit"] for column in beside["columns"]] == [None] + ["W"] * (width - 1)


def test_a_place_is_what_it_was_at_that_time(client, room, stores):
    stores.facility.upsert([Device(key="pdu-c", kind="pdu", site="lab", rack="empty")], effective_ms=room + 300_000)
    found = curve(client, "racks/r2", room)
    assert found["series"][0]["coverage"] == pytest.approx(0.5, abs=1e-3)
    assert curve(client, "racks/empty", room)["series"][0]["coverage"] == pytest.approx(0.5, abs=1e-3)


def test_the_files_of_a_node_have_its_cords(client, hall, deliver, start):
    deliver("pdu-a", start, {"outlet/1:power": [400.0] * N})
    _, rows = rows_of(client, f"nodes/n1/curve.csv?from={start}&to={start + LENGTH_MS}")
    assert rows[0] == ["t", "power_w", "pdu-a/outlet/1 power_w", "bmc power_w"]
    assert rows[1][1:3] == ["400", "400"]
    assert client.get("/api/v1/nodes/unknown/curve.csv").status_code == 404


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("racks/none/curve", 404, "not_found"),
        ("rooms/none/curve.csv", 404, "not_found"),
        ("racks/r1/curve?from=2026-11-20T10:00:00Z&to=2026-11-20T10:00:00Z", 422, "bad_window"),
        ("racks/r1/curve?resolution_s=1&from=2026-11-01T00:00:00Z", 422, "too_many_steps"),
        ("racks/r1/curve.xlsx", 422, "invalid_request"),
    ],
)
def test_what_cannot_be_answered_says_why(client, room, path, status, code):
    answer = client.get(f"/api/v1/{path}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_rack_by_its_nodes(client, hall, deliver, start):
    deliver("pdu-a", start, {"outlet/1:power": [400.0] * N, "outlet/2:power": [300.0] * N})
    found = curve(client, "racks/r1", start)
    (total,) = found["series"]
    assert set(total["v"]) == {700.0}
    assert found["missing"] == []
    hall.facility.upsert([Node(key="n4", rack="r1")], effective_ms=0)
    assert [m["key"] for m in curve(client, "racks/r1", start)["missing"]] == ["n4"]
