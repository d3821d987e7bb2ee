"""The curve of a job, drawn and taken away."""

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

N = 361


@pytest.fixture
def job(hall, client, deliver, register, start):
    """Two nodes of 500 W and 300 W for an hour; n2 silent from 1800 s to 2400 s; a peak of 1900 W at 1000 s on n1."""
    n1 = [1900.0 if i == 100 else 500.0 for i in range(N)]
    n2 = [300.0 if i <= 180 or i >= 240 else None for i in range(N)]
    deliver("pdu-a", start, {"outlet/1:power": n1, "outlet/2:power": n2})
    deliver("n1-exporter", start + 5000, {"gpu/0:power": [200.0] * N, "gpu/0:utilization": [90.0] * N})
    nodes = [{"node": "n1"}, {"node": "n2"}]
    return register(name="a run, ended", nodes=nodes, start=start, end=start + 3_600_000)["id"]


def curve(client, job, query=""):
    answer = client.get(f"/api/v1/jobs/{job}/curve{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_total_is_drawn_with_its_lines(client, job, start):
    found = curve(client, job)
    (line,) = found["series"]
    assert (found["unit"], found["lines"]) == ("W", {"rated_w": 4000.0, "control_w": 3600.0})
    assert (line["key"], line["source"], found["downsampled"]) == ("total", "pdu", False)
    assert line["t"][0] == start
    assert line["v"][0] == 800.0
    assert line["coverage"] == pytest.approx(3010 / 3600, abs=1e-6)


def test_a_gap_is_a_null_and_never_a_line(client, job, start):
    line = curve(client, job)["series"][0]
    holes = [t for t, v in zip(line["t"], line["v"], strict=True) if v is None]
    assert len(holes) == 1
    assert start + 1_810_000 < holes[0] < start + 2_400_000


def test_peaks_survive_few_points(client, job, start):
    found = curve(client, job, "?max_points=20")
    line = found["series"][0]
    assert found["downsampled"] is True
    assert len(line["t"]) <= 20
    assert dict(zip(line["t"], line["v"], strict=True))[start + 1_000_000] == 2200.0
    assert None in line["v"]


def test_a_stretch_can_be_asked_for_again(client, job, start):
    found = curve(client, job, f"?from={start + 900_000}&to={start + 1_100_000}")
    line = found["series"][0]
    assert (line["t"][0], line["t"][-1]) == (start + 900_000, start + 1_100_000)
    assert max(line["v"]) == 2200.0
    assert (found["from"], found["to"]) == ("2026-11-20T10:15:00Z", "2026-11-20T10:18:20Z")


@pytest.mark.parametrize(
    ("view", "unit", "keys"),
    [
        ("node", "W", ["n1", "n2"]),
        ("feed", "W", ["pdu-a/outlet/1:power", "pdu-a/outlet/2:power"]),
        ("gpu", "W", ["n1/gpu/0:power"]),
        ("utilization", "%", ["n1/gpu/0:utilization"]),
    ],
)
def test_a_view_has_a_curve_for_each_of_its_things(client, job, view, unit, keys):
    found = curve(client, job, f"?view={view}")
    assert found["unit"] == unit
    assert [line["key"] for line in found["series"]] == keys
    assert all(line["t"] and len(line["t"]) == len(line["v"]) for line in found["series"])


@pytest.mark.parametrize("query", ["view=heat", "max_points=3", "from=5&to=4", "max_points=many"])
def test_a_curve_that_cannot_be_drawn_is_refused(client, job, query):
    assert client.get(f"/api/v1/jobs/{job}/curve?{query}").status_code == 422


COLUMNS = [
    "t", "total power_w", "n1 power_w", "n1 pdu-a/outlet/1 power_w", "n1 gpu/0 power_w", "n1 gpu/0 utilization_pct",
    "n2 power_w", "n2 pdu-a/outlet/2 power_w",
]  # fmt: skip


def download(client, job, kind, query=""):
    answer = client.get(f"/api/v1/jobs/{job}/curve.{kind}{query}")
    assert answer.status_code == 200, answer.text
    assert f'filename="a-run-ended-{job}.{kind}"' in answer.headers["Content-Disposition"]
    return answer.content


def check(t, column):
    """Outlets are read every 10 s from 0 on, GPUs every 10 s from 5 s on: 361 + 360 moments inside the hour."""
    assert len(t) == 361 + 360
    assert column["n1 pdu-a/outlet/1 power_w"][::2] == [1900.0 if i == 100 else 500.0 for i in range(N)]
    assert column["n1 pdu-a/outlet/1 power_w"][1::2] == [None] * 360
    assert column["n1 gpu/0 power_w"][1::2] == [200.0] * 360
    assert column["n1 gpu/0 utilization_pct"][1] == 90.0
    assert column["n2 pdu-a/outlet/2 power_w"][::2] == [300.0 if i <= 180 or i >= 240 else None for i in range(N)]
    assert (column["total power_w"][0], column["total power_w"][200]) == (800.0, 2200.0)
    assert column["total power_w"][400] is None  # 2000 s: n2 is silent


def test_csv_is_utc_with_the_unit_in_the_name(client, job):
    rows = list(csv.reader(io.StringIO(download(client, job, "csv").decode())))
    assert rows[0] == COLUMNS
    assert [row[0] for row in rows[1:4]] == [
        "2026-11-20T10:00:00.000Z", "2026-11-20T10:00:05.000Z", "2026-11-20T10:00:10.000Z",
    ]  # fmt: skip
    columns = zip(*rows[1:], strict=True)
    named = dict(zip(COLUMNS, columns, strict=True))
    check(named["t"], {k: [float(v) if v else None for v in vs] for k, vs in named.items() if k != "t"})


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_tables_hold_time_stamps_and_their_units(client, job, kind, start):
    data = download(client, job, kind)
    table = pq.read_table(io.BytesIO(data)) if kind == "parquet" else pa.ipc.open_stream(data).read_all()
    assert table.schema.names == COLUMNS
    assert table.schema.field("t").type == pa.timestamp("ms", "UTC")
    assert table.schema.field("n1 gpu/0 utilization_pct").metadata[b"unit"] == b"%"
    assert json.loads(table.schema.metadata[b"wattline"])["job"] == job
    assert table["t"].cast(pa.int64())[0].as_py() == start
    check(table["t"], {name: table[name].to_pylist() for name in COLUMNS[1:]})


def summary(client, job, query=""):
    answer = client.get(f"/api/v1/jobs/{job}/curve.summary.json{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_every_format_states_the_same_about_itself(client, job):
    found = summary(client, job)
    assert (found["job"], found["zone"], found["method"], found["source"]) == (job, "UTC", "integral", "pdu")
    assert (found["from"], found["to"], found["duration_s"]) == (
        "2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z", 3600.0,
    )  # fmt: skip
    # n1: 500 W for an hour and a peak of 1400 W more, 10 s wide at half its height; n2: 300 W for 3010 s
    assert found["energy_j"] == pytest.approx(500 * 3600 + 1400 * 10 + 300 * 3010)
    assert found["coverage"] == pytest.approx((3600 + 3010) / 7200)
    assert [(node["node"], node["coverage"]) for node in found["by_node"]] == [
        ("n1", 1.0), ("n2", pytest.approx(3010 / 3600)),
    ]  # fmt: skip
    assert [column["unit"] for column in found["columns"]] == [None, "W", "W", "W", "W", "%", "W", "W"]
    assert [column["name"] for column in found["columns"]] == COLUMNS
    parquet = pq.read_schema(io.BytesIO(download(client, job, "parquet")))
    arrow = pa.ipc.open_stream(download(client, job, "arrow")).schema
    assert json.loads(parquet.metadata[b"wattline"]) == found
    assert json.loads(arrow.metadata[b"wattline"]) == found
    named = json.loads(download(client, job, "json"))
    assert {key: named[key] for key in found if key != "columns"} == {k: v for k, v in found.items() if k != "columns"}


def test_the_summary_of_a_stretch_is_of_the_stretch(client, job, start):
    query = f"?from={start + 2_000_000}&to={start + 2_100_000}"
    found = summary(client, job, query)
    # 100 s in which n2 is silent
    assert (found["energy_j"], found["coverage"], found["duration_s"]) == (pytest.approx(50_000.0), 0.5, 100.0)
    data = download(client, job, "arrow", query)
    assert json.loads(pa.ipc.open_stream(data).schema.metadata[b"wattline"]) == found


def test_csv_links_to_its_summary(client, job, start):
    query = f"?from={start}&to={start + 60_000}"
    link = client.get(f"/api/v1/jobs/{job}/curve.csv{query}").headers["link"]
    assert link == f'<curve.summary.json{query}>; rel="describedby"; type="application/json"'
    assert client.get(f"/api/v1/jobs/{job}/curve.csv").headers["link"].startswith("<curve.summary.json>;")


def test_json_has_rows_under_named_columns(client, job, start):
    found = json.loads(download(client, job, "json"))
    assert [c["name"] for c in found["columns"]] == COLUMNS
    assert [c["unit"] for c in found["columns"]] == ["ms", "W", "W", "W", "W", "%", "W", "W"]
    assert found["rows"][0][0] == start
    columns = dict(zip(COLUMNS, map(list, zip(*found["rows"], strict=True)), strict=True))
    check(columns["t"], columns)


def test_a_stretch_can_be_taken_away(client, job, start):
    found = json.loads(download(client, job, "json", f"?from={start + 10_000}&to={start + 20_000}"))
    assert [row[0] - start for row in found["rows"]] == [10_000, 15_000, 20_000]


def test_a_job_without_readings_is_an_empty_table(hall, client, register, start):
    job = register(name="a run, ended", nodes=[{"node": "n2"}], start=start, end=start + 1000)["id"]
    assert download(client, job, "csv") == b"t,n2 power_w,n2 pdu-a/outlet/2 power_w\n"
    assert json.loads(download(client, job, "json"))["rows"] == []
    assert len(pq.read_table(io.BytesIO(download(client, job, "parquet")))) == 0


def test_a_format_that_is_not_there_is_refused(client, job):
    assert client.get(f"/api/v1/jobs/{job}/curve.xlsx").status_code == 422
    assert client.get("/api/v1/jobs/nobody/curve.csv").status_code == 404


def test_several_views_come_in_one_answer(client, hall, deliver, start):

    deliver("pdu-a", start, {"outlet/1:power": [100.0, 200.0]})
    deliver("n1-exporter", start, {"gpu/0:power": [50.0, 60.0], "gpu/0:utilization": [10.0, 20.0]})
    job = client.post(
        "/api/v1/jobs", json={"name": "j", "start": start, "end": start + 20_000, "nodes": [{"node": "n1"}]}
    ).json()
    found = client.get(f"/api/v1/jobs/{job['id']}/curve?view=feed&view=gpu&view=utilization&view=gpu").json()
    assert found["unit"] is None
    assert [(s["key"], s["unit"], s["v"][0]) for s in found["series"]] == [
        ("pdu-a/outlet/1:power", "W", 100.0), ("n1/gpu/0:power", "W", 50.0), ("n1/gpu/0:utilization", "%", 10.0),
    ]  # fmt: skip
    alone = client.get(f"/api/v1/jobs/{job['id']}/curve?view=utilization").json()
    assert (alone["unit"], [s["unit"] for s in alone["series"]]) == ("%", ["%"])
