"""What the jobs pages are given, reckoned by hand: readings every 10 s, n1 and n2 on an outlet each, rated 2000 W."""

import base64
import csv
import io
import json
from datetime import UTC, datetime

import numpy as np
import pyarrow.parquet as pq
import pytest

HOUR_MS = 3_600_000
N = 361  # one reading every 10 s, both ends of the hour
BEFORE = 240  # and for 40 minutes before it


@pytest.fixture
def job(client, hall, register, start):
    """Register a job of the hour, and what its page is given."""

    def make(nodes=("n1",), **more):
        body = {"name": "run", "nodes": [{"node": n} if isinstance(n, str) else n for n in nodes], "start": start}
        id_ = register(**(body | {"end": start + HOUR_MS} | more))["id"]
        return client.get(f"/api/v1/views/job/{id_}").json()

    return make


@pytest.fixture
def figures(client):
    def ask(view, **query):
        answer = client.get(f"/api/v1/views/job/{view['id']}/figures", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return ask


def decode(array):
    values = np.frombuffer(base64.b64decode(array["bdata"]), f"<{array['dtype']}").astype(float)
    return values + array.get("x0_ms", 0)


def facts(view):
    return {fact["label"]: fact["text"] for fact in view["evidence"]["facts"]}


def shares(rows):
    return {row["name"]: pytest.approx(row["energy_j"], rel=1e-6) for row in rows}


@pytest.fixture
def busy(hall, deliver, start):
    """200 W until the job starts, 1000 W while it runs; its two GPUs draw 300 and 100 W at 90 and 30 %."""
    columns = {"gpu/0:power": 300.0, "gpu/1:power": 100.0, "gpu/0:utilization": 90.0, "gpu/1:utilization": 30.0}
    deliver("pdu-a", start - BEFORE * 10_000, {"outlet/1:power": [200.0] * BEFORE + [1000.0] * N}, accuracy_pct=1.0)
    deliver("n1-exporter", start, {key: [value] * N for key, value in columns.items()})


def test_where_the_energy_went(busy, job):
    split = job()["split"]
    assert split["title"] == "GPUs took 40\u2009% of the energy"
    assert shares(split["parts"]) == {"GPUs": 400 * 3600.0, "Rest": 600 * 3600.0}
    # idle: the median of the 40 minutes before it
    assert shares(split["causes"]) == {"Dynamic": 800 * 3600.0, "Idle": 200 * 3600.0}
    assert split["notes"][1].startswith("Idle: 200\u2009W, the median of the node over 40\u2009min without a job")


def test_the_gpus_of_others_are_not_the_jobs(busy, job):
    split = job([{"node": "n1", "gpus": [0]}])["split"]
    assert split["title"] == "The GPU took 30\u2009% of the energy"
    assert shares(split["parts"]) == {"The GPU": 300 * 3600.0, "Other GPUs": 100 * 3600.0, "Rest": 600 * 3600.0}


def test_without_gpus_and_without_idle_time_nothing_is_divided(deliver, job, start):
    deliver("pdu-a", start, {"outlet/1:power": [1000.0] * N})
    assert job()["split"] is None


def test_less_than_half_an_hour_of_idling_is_no_baseline(deliver, job, start):
    deliver("pdu-a", start - 1_700_000, {"outlet/1:power": [200.0] * 170 + [1000.0] * N})
    assert job()["split"] is None


def test_a_declared_idle_power_needs_no_idle_time(hall, deliver, job, start):
    facility = hall.facility.at(start)
    hall.facility.upsert([type(facility.models["m"])(key="m", rated_w=2000.0, idle_w=250.0)], effective_ms=0)
    deliver("pdu-a", start, {"outlet/1:power": [1000.0] * N})
    split = job()["split"]
    assert split["title"] == "75\u2009% of the energy came on top of idling"
    assert split["notes"] == ["Idle: 250\u2009W, declared by the model."]


def test_gpus_that_read_more_than_their_node_are_not_divided(deliver, job, start):
    deliver("pdu-a", start, {"outlet/1:power": [300.0] * N})
    deliver("n1-exporter", start, {"gpu/0:power": [400.0] * N})
    assert job()["split"] is None


def test_key_figures_are_those_of_the_job(busy, client, job):
    view = job(tags={"queries": "7200", "task": "inference"}, submit="2026-11-20T09:59:00Z", job_id="7", cluster="c")
    known = client.get(f"/api/v1/jobs/{view['id']}").json()
    summary = {key: value for key, value in known["summary"].items() if key not in ("revision", "computed_at")}
    assert view["summary"] == summary
    assert (view["kind"], view["running"], view["hardware"]) == ("inference", False, "m")
    # 3.6 MJ / 7200
    assert view["per_units"] == [{"unit": "query", "count": 7200, "energy_j": pytest.approx(500.0)}]
    assert view["submit"] == "2026-11-20T09:59:00Z"
    assert [n["key"] for n in view["nodes"]] == ["n1"]
    assert view["figures"]["duration"]["title"] == "Never under 500\u2009W"


def test_how_it_was_measured(busy, job):
    view = job()
    told = facts(view)
    assert view["evidence"]["title"] == "Measured at the outlets all the time"
    assert told["Source"] == "1 outlet of pdu-a"
    assert told["Meter"] == "test meter"
    assert told["Accuracy"] == "±1\u2009% of reading"
    assert told["Coverage"] == "100\u2009% · 361 readings, one every 10 s, no gap"
    assert told["Uncertainty"] == "±1.2\u2009% expanded, k = 2"  # 2 · 1 %/√3
    assert told["Facility"] == "as of 20 Nov 2026: 1 cord, none moved during the run"
    assert told["GPUs"].startswith("n1-exporter, every 10 s")
    assert told["Computed"].startswith("revision 1, 20 Nov 2026 12:00:00 UTC")


def test_gaps_have_their_times_and_their_meter(deliver, job, start):
    values = [500.0 if i <= 180 or i >= 240 else None for i in range(N)]  # silent from 1810 s to 2400 s
    deliver("pdu-a", start, {"outlet/1:power": values})
    view = job()
    assert view["evidence"]["title"] == "Measured at the outlets, 83.6\u2009% of the time"  # 3010 / 3600
    assert view["evidence"]["missing"] == [
        {"from": "2026-11-20T10:30:10Z", "to": "2026-11-20T10:40:00Z", "who": "pdu-a"}
    ]
    coverage = next(f for f in view["evidence"]["facts"] if f["label"] == "Coverage")
    assert (coverage["sign"], coverage["text"].endswith("1 gap")) == ("warn", True)


def test_the_other_method_is_beside_the_headline(deliver, job, start):
    register = [1000.0 * 10 * i for i in range(N)]  # exactly 1000 W
    power = [980.0 + 20.0 * (i % 2) for i in range(N)]  # 990 W; its swings make the integral less certain
    deliver("pdu-a", start, {"outlet/1:power": power, "outlet/1:energy": register}, resolution=1.0)
    told = facts(job())
    assert told["Method"] == "energy registers of the meters"
    assert told["Integral"] == "990\u2009Wh, \u22121.01\u2009% against the headline"  # 1000/990 - 1


def test_an_official_figure_is_compared(busy, job):
    tags = {
        "official_rule": "MLPerf", "official_energy_j": "3456000", "official_mean_w": "960",
        "official_why": "time not covered +0.64 %",
    }  # fmt: skip
    told = facts(job(tags=tags))
    assert told["Official"] == "960\u2009Wh, mean 960.0\u2009W, by the rule “MLPerf”"
    assert told["Against it"] == "ours is 4.17\u2009% above"
    assert told["Why"] == "from ours to the official: time not covered +0.64 %"


def test_what_is_shared_says_so(busy, job):
    job()
    view = job(name="other")
    assert facts(view)["Shared"] == "n1, with 1 other job"
    assert facts(view)["Not divided"].startswith("what n1 draws besides its GPUs")


def test_the_figure_shows_the_run_with_a_margin(busy, figures, job, start):
    shown = figures(job())
    margin = 198_000  # 5.5 % of an hour
    assert shown["stretch"]["first"] == "2026-11-20T09:56:42Z"
    assert shown["stretch"]["from"] == shown["stretch"]["first"]
    power = shown["figures"]["power"]
    assert power["layout"]["xaxis"]["range"] == [start - margin, start + HOUR_MS + margin]
    assert power["title"] == "The node held 1.00\u2009kW, 50\u2009% under its rating"
    assert [t["name"] for t in power["data"]] == ["Σ 2 GPUs", "Node", "GPU load"]
    by_name = {t["name"]: decode(t["y"]) for t in power["data"]}
    assert np.nanmin(by_name["Node"]) == pytest.approx(0.2)  # what the node drew before
    assert by_name["GPU load"][5] == pytest.approx(60.0)
    assert by_name["Σ 2 GPUs"][5] == pytest.approx(0.4)
    assert shown["figures"]["gpus"]["title"] == "The 2 GPUs drew 200\u2009W each in the mean"
    assert (shown["power_age"], shown["gpus_age"]) == ("10\u2009s readings", "10\u2009s readings, 17\u2009s means")


def test_zooming_asks_for_a_stretch(busy, figures, job, start):
    view = job()
    shown = figures(view, **{"from": start + 600_000, "to": "2026-11-20T10:20:00Z"})
    assert (shown["stretch"]["from"], shown["stretch"]["to"]) == ("2026-11-20T10:10:00Z", "2026-11-20T10:20:00Z")
    t = decode(shown["figures"]["power"]["data"][1]["x"])
    assert (t[0], t[-1], len(t)) == (start + 600_000, start + 1_200_000, 61)
    assert figures(view, axes="overlay")["figures"]["power"]["layout"]["yaxis2"]["overlaying"] == "y"


def test_only_the_jobs_gpus_are_drawn(busy, figures, job):
    shown = figures(job([{"node": "n1", "gpus": [1]}]))["figures"]
    assert shown["gpus"]["data"][0]["y"] == ["GPU 1"]
    assert [t["name"] for t in shown["power"]["data"]] == ["GPU", "Node", "GPU load"]


def test_a_job_without_gpu_readings_has_no_gpu_figure(deliver, figures, job, start):
    deliver("pdu-a", start, {"outlet/1:power": [1000.0] * N})
    assert figures(job())["figures"]["gpus"] is None


def test_several_nodes_are_drawn_and_compared(deliver, figures, job, start):
    deliver("pdu-a", start, {"outlet/1:power": [900.0] * N, "outlet/2:power": [300.0] * N})
    view = job(["n1", "n2"])
    assert view["hardware"] == "2 nodes, m"
    assert view["nodes_title"] == "n1 took 50\u2009% more than the mean"  # 900 against 600 Wh
    assert [(n["key"], n["energy_j"], n["max_w"], n["coverage"]) for n in view["nodes"]] == [
        ("n1", pytest.approx(900 * 3600), 900.0, 1.0),
        ("n2", pytest.approx(300 * 3600), 300.0, 1.0),
    ]
    power = figures(view)["figures"]["power"]
    assert [t["name"] for t in power["data"]] == ["n1", "n2", "2 nodes"]
    assert power["title"] == "The 2 nodes held 1.20\u2009kW together, 70\u2009% under their rating"


def test_a_job_without_measurement_says_why(hall, deliver, figures, job, start):
    deliver("pdu-a", start + HOUR_MS + 600_000, {"outlet/1:power": [1000.0] * 10})
    view = job()
    assert view["evidence"]["title"] == "Nothing was measured"
    assert view["figures"]["duration"]["empty"]["what"] == "No power to draw"
    why = figures(view)["figures"]["power"]["empty"]["why"]
    assert why == "Readings of pdu-a begin at 11:10, after it."
    assert figures(job(["n2"]))["figures"]["power"]["empty"] is not None
    assert "feeds" in figures(job(["n3"]))["figures"]["power"]["empty"]["why"]


def test_a_running_job_has_figures_so_far(client, deliver, figures, job, start, clock):
    deliver("pdu-a", start, {"outlet/1:power": [1000.0] * 720})  # until now
    view = job(end=None)
    assert view["running"]
    assert view["summary"]["energy_j"] == pytest.approx(1000.0 * 7200)
    assert facts(view)["Computed"].endswith("goes on while it runs")
    shown = figures(view)
    assert shown["stretch"]["to"] == "2026-11-20T12:00:00Z"  # no margin after now
    clock.now += 30_000
    later = client.get(f"/api/v1/views/job/{view['id']}").json()
    assert later["evidence"]["missing"] == []  # the next reading is on its way
    assert [f["sign"] for f in later["evidence"]["facts"] if f["label"] == "Coverage"] == ["ok"]
    assert figures(later)["figures"]["power"]["notes"] == []


@pytest.mark.parametrize("query", [{"from": 2000, "to": 1000}, {"from": "2026-11-20T15:00:00Z"}])
def test_a_stretch_elsewhere_is_refused(busy, client, job, query):
    answer = client.get(f"/api/v1/views/job/{job()['id']}/figures", params=query)
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_window")


def test_unknown_jobs(client):
    for path in ("/api/v1/views/job/nope", "/api/v1/views/job/nope/figures"):
        assert client.get(path).status_code == 404


# ---- the table ------------------------------------------------------------------------------------------------------


@pytest.fixture
def three(deliver, register, start, hall):
    """a: 1000 Wh on n1, b: 300 Wh on n2 with a gap, c runs on n3, which nobody measures."""
    gappy = [300.0 if i <= 180 or i >= 240 else None for i in range(N)]
    deliver("pdu-a", start, {"outlet/1:power": [1000.0] * N, "outlet/2:power": gappy})
    hour = {"start": start, "end": start + HOUR_MS, "user": "ada", "state": "completed"}
    register(name="a", nodes=[{"node": "n1"}], tags={"task": "training", "model": "r", "official_x": "1"}, **hour)
    register(name="b", nodes=[{"node": "n2"}], tags={"model": "r"}, **hour)
    register(name="c", nodes=[{"node": "n3"}], start=start, user="bob", state="running")


def table(client, **query):
    answer = client.get("/api/v1/views/jobs", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_table_with_its_sums(client, three):
    view = table(client, sort="name")
    assert [row["name"] for row in view["rows"]] == ["a", "b", "c"]
    assert view["title"] == "a took 80\u2009% of the energy"  # 1000 of 1000 + 300 · 3010/3600 Wh
    totals = view["totals"]
    assert (totals["jobs"], totals["running"], totals["summarised"], totals["node_s"]) == (3, 1, 2, 7200.0)
    assert totals["energy_j"] == pytest.approx(1000 * 3600 + 300 * 3010, rel=1e-6)
    assert view["choices"]["tags"] == [["model", "r"]]
    assert view["choices"]["nodes"] == ["n1", "n2", "n3"]
    first = view["rows"][0]
    assert (first["kind"], first["hardware"], first["nodes"]) == ("training", "m", ["n1"])
    assert first["tags"] == [["model", "r"]]  # kind is said already, official figures are not for a glance
    assert first["median_of_max"] == 1.0
    assert len(first["sparkline"]) == 60
    assert view["rows"][2]["running"]
    assert view["rows"][2]["energy_j"] is None


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"coverage": "gaps"}, ["b"]),
        ({"coverage": "complete"}, ["a"]),
        ({"state": "running"}, ["c"]),
        ({"state": "completed"}, ["a", "b"]),
        ({"node": "n2"}, ["b"]),
        ({"q": "training"}, ["a"]),
        ({"tag": "model:r"}, ["a", "b"]),
        ({"user": "bob"}, ["c"]),
    ],
)
def test_filters_narrow_rows_and_sums_alike(client, three, query, names):
    view = table(client, sort="name", **query)
    assert [row["name"] for row in view["rows"]] == names
    assert view["totals"]["jobs"] == len(names)


def test_pages_follow_one_another(client, three):
    first = table(client, sort="name", limit=2)
    assert [row["name"] for row in first["rows"]] == ["a", "b"]
    rest = table(client, sort="name", limit=2, cursor=first["next"])
    assert ([row["name"] for row in rest["rows"]], rest["next"]) == (["c"], None)


def test_the_table_as_a_file(client, three):
    answer = client.get("/api/v1/jobs.csv", params={"sort": "name", "tag": "model:r"})
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="jobs.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["name"] for row in rows] == ["a", "b"]
    assert (rows[0]["energy_kwh"], rows[0]["nodes"], rows[0]["start"]) == ("1.0", "n1", "2026-11-20T10:00:00Z")
    assert float(rows[1]["coverage"]) == pytest.approx(3010 / 3600)
    assert rows[1]["utilization_pct"] == ""
    # each file states how its energy was measured; the meter declares no accuracy
    assert (rows[0]["method"], rows[0]["caliber"], rows[0]["uncertainty_pct"]) == ("integral", "actual", "")
    summary = client.get(f"/api/v1/{answer.links['describedby']['url']}").json()
    assert (summary["rows"], summary["zone"], summary["method"], summary["from"]) == (2, "UTC", "integral", None)
    assert summary["energy_j"] == pytest.approx(sum(float(row["energy_j"]) for row in rows))
    assert (summary["with_energy"], summary["coverage"]) == (2, pytest.approx(3010 / 3600))
    units = {column["name"]: column["unit"] for column in summary["columns"]}
    assert list(units) == list(rows[0])
    assert (units["energy_kwh"], units["mean_w"], units["readings"], units["name"]) == ("kWh", "W", "1", None)
    parquet = client.get("/api/v1/jobs.parquet", params={"sort": "name", "tag": "model:r"})
    found = pq.read_table(io.BytesIO(parquet.content))
    assert json.loads(found.schema.metadata[b"wattline"]) == summary
    assert (found["name"].to_pylist(), found["utilization_pct"].to_pylist()[1]) == (["a", "b"], None)
    assert found["start"].to_pylist()[0] == datetime(2026, 11, 20, 10, tzinfo=UTC)


def test_no_job_at_all(client):
    view = table(client)
    assert (view["rows"], view["totals"]["jobs"], view["totals"]["energy_j"]) == ([], 0, None)
    assert view["title"] == "Energy, power and load of every run"


def test_a_sort_key_that_is_not_known(client):
    answer = client.get("/api/v1/views/jobs", params={"sort": "colour"})
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_sort_or_cursor")
