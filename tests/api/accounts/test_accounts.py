"""Accounts by hand: one node of 10 cores that draws 1,000 W at one outlet, all day."""

import csv
import io
import json
import math
import random
import re

import pyarrow.parquet as pq
import pytest
from sqlalchemy import delete
from typer.testing import CliRunner

from app.cli import app
from app.models import METADATA
from app.services.accounts import DayKeeper
from app.services.accounts.site_days import Allowance
from app.store.facility import Device, Model, Node, Rack, Site
from tests.api.conftest import ms
from tests.paths import DOCS

KWH = 3.6e6
DAY = "2026-11-10"  # in Berlin: from 2026-11-09T23:00Z
NEXT = "2026-11-11"


@pytest.fixture
def berlin(stores):
    stores.facility.upsert(
        [
            Site(key="zib", timezone="Europe/Berlin"),
            Rack(key="r1", site="zib"),
            Rack(key="r2", site="zib"),
            Model(key="m", rated_w=2000.0, cores=10, gpus=0),
            Device(key="meter", kind="meter", site="zib"),
            Node(key="n1", site="zib", rack="r1", model="m", feeds=("meter/outlet/1",)),
        ]
    )
    return stores


@pytest.fixture
def steady(deliver):
    """A reading of 1,000 W every minute of a window."""

    def put(start: str, hours: int, watts: float = 1000.0):
        deliver("meter", ms(start), {"outlet/1:power": [watts] * (60 * hours)}, interval_s=60.0)

    return put


def lines(client, **query):
    answer = client.get("/api/v1/accounts", params={"from": DAY, "to": NEXT, **query})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    return found, {(line["line"], line["key"]): line for line in found["items"]}


def test_a_day_is_divided_among_users_and_idle_without_remainder(berlin, client, steady, register):
    steady("2026-11-09T23:00:00Z", 24)
    part = {"node": "n1", "cores": 5}
    register(name="a", user="ada", nodes=[part], start="2026-11-10T00:00:00Z", end="2026-11-10T04:00:00Z")
    part = {"node": "n1", "cores": 2}
    register(name="b", user="bob", nodes=[part], start="2026-11-10T02:00:00Z", end="2026-11-10T04:00:00Z")
    found, by_key = lines(client)
    # 24 kWh: ada half of 4 h, bob a fifth of 2 h, the rest idle
    assert by_key["jobs", "ada"]["energy_kwh"] == pytest.approx(2.0)
    assert by_key["jobs", "bob"]["energy_kwh"] == pytest.approx(0.4)
    assert by_key["idle", None]["energy_kwh"] == pytest.approx(21.6)
    [site] = found["sites"]
    assert site["energy_kwh"] == pytest.approx(24.0)
    assert (site["coverage"], site["timezone"], site["method"]) == (1.0, "Europe/Berlin", "integral")
    assert sum(line["energy_j"] for line in found["items"]) == pytest.approx(site["energy_j"], rel=1e-12)


def test_a_day_of_a_meter_that_reports_its_register_only(berlin, client, deliver, register):
    # 1 kWh an hour in steps of 1 Wh, read every minute
    counted = [3600.0 * (1000 * i // 60) for i in range(24 * 60 + 1)]
    deliver("meter", ms("2026-11-09T23:00:00Z"), {"outlet/1:energy": counted}, interval_s=60.0, resolution=3600.0)
    register(name="a", user="ada", nodes=[{"node": "n1"}], start="2026-11-10T00:00:00Z", end="2026-11-10T04:00:00Z")
    found, by_key = lines(client)
    assert by_key["jobs", "ada"]["energy_kwh"] == pytest.approx(4.0, rel=1e-6)
    assert by_key["idle", None]["energy_kwh"] == pytest.approx(20.0, rel=1e-6)
    [site] = found["sites"]
    assert (site["energy_kwh"], site["coverage"]) == (pytest.approx(24.0, rel=1e-9), 1.0)
    assert site["method"] == "counter"


@pytest.mark.parametrize(
    ("day", "following", "start", "hours"),
    [
        ("2026-10-25", "2026-10-26", "2026-10-24T22:00:00Z", 25),
        ("2026-03-29", "2026-03-30", "2026-03-28T23:00:00Z", 23),
    ],
)
def test_days_are_as_long_as_the_clocks_of_the_site_make_them(berlin, client, steady, day, following, start, hours):
    steady(start, hours)
    found, _ = lines(client, **{"from": day, "to": following, "per": "day"})
    [idle] = found["items"]
    assert (idle["period"], idle["hours"], idle["line"]) == (day, hours, "idle")
    assert idle["energy_kwh"] == pytest.approx(hours)


def test_a_job_over_midnight_counts_on_both_days(berlin, client, steady, register):
    steady("2026-11-09T23:00:00Z", 48)
    register(name="a", user="ada", nodes=[{"node": "n1"}], start="2026-11-10T22:00:00Z", end="2026-11-11T02:00:00Z")
    found, _ = lines(client, to="2026-11-12", per="day")
    of_ada = {line["period"]: line["energy_kwh"] for line in found["items"] if line["key"] == "ada"}
    assert of_ada == pytest.approx({"2026-11-10": 1.0, "2026-11-11": 3.0})


def test_what_was_not_measured_is_in_no_ones_account(berlin, client, steady):
    steady("2026-11-09T23:00:00Z", 6)
    found, by_key = lines(client)
    assert by_key["idle", None]["energy_kwh"] == pytest.approx(6.0)
    assert found["sites"][0]["coverage"] == pytest.approx(0.25)


def test_energy_of_jobs_that_was_not_measured_is_missing_and_how_much_of_a_line_was_is_reported(
    berlin, client, steady, register
):
    steady("2026-11-09T23:00:00Z", 6)
    register(name="a", user="ada", nodes=[{"node": "n1"}], start="2026-11-10T02:00:00Z", end="2026-11-10T12:00:00Z")
    register(name="b", user="bob", nodes=[{"node": "n1"}], start="2026-11-10T14:00:00Z", end="2026-11-10T16:00:00Z")
    parts = [("18:00", "18:30"), ("20:00", "20:30")]
    nodes = [{"node": "n1", "start": f"2026-11-10T{a}:00Z", "end": f"2026-11-10T{b}:00Z"} for a, b in parts]
    steady("2026-11-10T18:00:00Z", 1)
    register(name="c", user="cem", nodes=nodes, start="2026-11-10T18:00:00Z", end="2026-11-10T20:30:00Z")
    found, by_key = lines(client)
    assert by_key["jobs", "ada"]["energy_kwh"] == pytest.approx(3.0)
    assert by_key["jobs", "ada"]["coverage"] == pytest.approx(0.3, abs=1e-3)
    bob = by_key["jobs", "bob"]
    assert (bob["energy_j"], bob["energy_kwh"], bob["gpu_energy_j"], bob["coverage"]) == (None, None, None, 0.0)
    assert by_key["jobs", "cem"]["coverage"] == pytest.approx(0.5)  # of the two halves of an hour it held the node
    assert by_key["idle", None]["coverage"] == pytest.approx(7 / 24)
    assert sum(line["energy_j"] or 0.0 for line in found["items"]) == pytest.approx(found["sites"][0]["energy_j"])


def test_a_node_counts_in_the_rack_it_stood_in(berlin, client, steady):
    steady("2026-11-09T23:00:00Z", 24)
    moved = Node(key="n1", site="zib", rack="r2", model="m", feeds=("meter/outlet/1",))
    berlin.facility.upsert([moved], effective_ms=ms("2026-11-10T05:00:00Z"))
    _, by_key = lines(client, by="rack")
    assert by_key["idle", "r1"]["energy_kwh"] == pytest.approx(6.0)
    assert by_key["idle", "r2"]["energy_kwh"] == pytest.approx(18.0)


def test_what_came_later_is_in_the_next_answer(berlin, client, steady, register):
    steady("2026-11-09T23:00:00Z", 12)
    lines(client)
    assert berlin.node_days.fresh(["n1"], 0, ms("2027-01-01T00:00:00Z"))
    steady("2026-11-10T11:00:00Z", 12)
    found, _ = lines(client)
    assert found["sites"][0]["energy_kwh"] == pytest.approx(24.0)
    job = register(
        name="a", user="ada", nodes=[{"node": "n1"}], start="2026-11-10T08:00:00Z", end="2026-11-10T10:00:00Z"
    )
    assert lines(client)[1]["jobs", "ada"]["energy_kwh"] == pytest.approx(2.0)
    client.patch(f"/api/v1/jobs/{job['id']}", json={"end": "2026-11-10T11:00:00Z", "user": "bob"})
    _, by_key = lines(client)
    assert by_key["jobs", "bob"]["energy_kwh"] == pytest.approx(3.0)
    assert ("jobs", "ada") not in by_key


def test_days_that_are_over_are_computed_before_anybody_asks(berlin, steady):
    steady("2026-11-18T23:00:00Z", 37)
    assert DayKeeper(berlin).work() == 40
    kept = berlin.node_days.fresh(["n1"], 0, ms("2027-01-01T00:00:00Z"))
    assert kept["n1", ms("2026-11-18T23:00:00Z")].content["node_j"] == pytest.approx(24 * KWH)
    assert max(day.end_ms for day in kept.values()) == ms("2026-11-19T23:00:00Z")  # today goes on


def test_past_days_are_summed_once_until_something_changes_them(berlin, client, steady, register, monkeypatch):
    steady("2026-11-09T23:00:00Z", 24)
    register(name="a", user="ada", nodes=[{"node": "n1"}], start="2026-11-10T00:00:00Z", end="2026-11-10T04:00:00Z")
    first = lines(client)
    with monkeypatch.context() as only:
        only.setattr(berlin.node_days, "_inside", None)  # days of nodes cannot be read
        assert lines(client) == first
        assert lines(client, by="project")[1]["jobs", None]["energy_kwh"] == pytest.approx(4.0)
    later = [[ms("2026-11-11T00:00:00Z"), ms("2026-11-11T01:00:00Z"), 300.0]]
    factor(client, "carbon", unit="g/kWh", value=200.0, source="grid operator", steps=later)
    assert lines(client)[1]["jobs", "ada"]["carbon"]["kg"] == pytest.approx(0.8)
    with monkeypatch.context() as only:  # a series that goes on from day to day changes no other day
        only.setattr(berlin.node_days, "_inside", None)
        later = [[ms("2026-11-11T01:00:00Z"), ms("2026-11-11T02:00:00Z"), 310.0]]
        factor(client, "carbon", unit="g/kWh", source="grid operator", steps=later)
        assert lines(client)[1]["jobs", "ada"]["carbon"]["kg"] == pytest.approx(0.8)
    factor(client, "price", unit="EUR/kWh", value=0.5, source="contract 7")
    assert lines(client)[1]["jobs", "ada"]["cost"]["amount"] == pytest.approx(2.0)
    half = Node(key="n1", site="zib", rack="r1", model="m", feeds=("meter/outlet/2",))
    berlin.facility.upsert([half], effective_ms=ms("2026-11-10T11:00:00Z"))
    assert lines(client)[0]["sites"][0]["energy_kwh"] == pytest.approx(12.0)


def test_today_of_many_nodes_is_ready_after_some_requests(berlin, client, deliver, clock, monkeypatch):
    monkeypatch.setattr("app.services.accounts.node_days.AT_ONCE", 1)
    monkeypatch.setattr(Allowance.__init__, "__defaults__", (1,))
    node = Node(key="n2", site="zib", rack="r2", model="m", feeds=("meter/outlet/2",))
    berlin.facility.upsert([node], effective_ms=0)
    watts = [1000.0] * 180  # from 23:00Z of the day before to 02:00Z
    deliver("meter", ms("2026-11-19T23:00:00Z"), {"outlet/1:power": watts, "outlet/2:power": watts}, interval_s=60.0)
    clock.now, asked = ms("2026-11-20T01:00:00Z"), {"from": "2026-11-20", "to": "2026-11-21"}
    assert client.get("/api/v1/accounts", params=asked).json()["code"] == "accounts_not_ready"
    clock.now += 600_000
    # n1 up to 02:00 of the site, n2 up to 02:10
    assert lines(client, **asked)[0]["sites"][0]["energy_kwh"] == pytest.approx(2 + 2 + 1 / 6, abs=0.02)
    clock.now += 600_000  # n1 is 20 minutes old and computed again
    assert lines(client, **asked)[0]["sites"][0]["energy_kwh"] == pytest.approx(2 + 1 / 3 + 2 + 1 / 6, abs=0.02)


def test_sums_of_days_are_what_the_days_of_nodes_add_up_to(berlin, client, steady, register, deliver):
    chance = random.Random(7)
    node = Node(key="n2", site="zib", rack="r2", model="m", feeds=("meter/outlet/2",))
    berlin.facility.upsert([node], effective_ms=0)
    watts = [chance.uniform(300, 1500) for _ in range(2 * 24 * 6)]
    steps = {"outlet/1:power": watts, "outlet/2:power": watts[::-1]}
    deliver("meter", ms("2026-11-09T23:00:00Z"), steps, interval_s=600.0)
    factor(client, "carbon", unit="g/kWh", value=300.0, source="grid operator")
    hour = [f"2026-11-{10 + h // 24}T{h % 24:02}:00:00Z" for h in range(48)]
    for k in range(12):
        begin = chance.randrange(40)
        nodes = [{"node": key, "cores": chance.randint(1, 5)} for key in chance.choice((["n1"], ["n2"], ["n1", "n2"]))]
        who = chance.choice(["ada", "bob", None])
        register(name=f"j{k}", user=who, nodes=nodes, start=hour[begin], end=hour[begin + chance.randint(1, 7)])
    asked = [{"to": "2026-11-12", "by": by, "per": per} for by in ("user", "job") for per in ("day", "window")]
    made = [lines(client, **query)[0] for query in asked]
    stored = [lines(client, **query)[0] for query in asked]
    with berlin.engine.begin() as connection:
        connection.execute(delete(METADATA.tables["site_day"]))
    assert made == stored == [lines(client, **query)[0] for query in asked]
    start, end = ms("2026-11-09T23:00:00Z"), ms("2026-11-11T23:00:00Z")
    pieces = [day.content for day in berlin.node_days.fresh(["n1", "n2"], start, end).values()]
    assert len(pieces) == 4
    energies = {line["key"]: line["energy_j"] for line in made[3]["items"] if line["line"] == "jobs"}
    assert energies == pytest.approx(
        {job: math.fsum(p["jobs"][job]["energy_j"] for p in pieces if job in p["jobs"]) for job in energies}, rel=1e-12
    )
    [idle] = [line for line in made[1]["items"] if line["line"] == "idle"]
    assert idle["carbon"]["kg"] == pytest.approx(math.fsum(p["idle"]["carbon"][0] for p in pieces) / 1000, rel=1e-12)


def factor(client, kind, **body):
    answer = client.put(f"/api/v1/sites/zib/factors/{kind}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_cost_and_carbon_carry_their_factor_and_source(berlin, client, steady):
    steady("2026-11-09T23:00:00Z", 24)
    _, by_key = lines(client)
    assert by_key["idle", None]["cost"] is None
    assert by_key["idle", None]["carbon"] is None
    factor(client, "pue", unit="1", value=1.25, source="measured 2025")
    factor(client, "price", unit="EUR/kWh", value=0.2, source="contract 7")
    series = "time,g\n2026-11-09T23:00:00Z,400\n2026-11-10T11:00:00Z,200\n"
    told = client.put(
        "/api/v1/sites/zib/factors/carbon/series.csv",
        params={"unit": "g/kWh", "source": "grid operator"},
        content=series,
    )
    assert told.status_code == 200, told.text
    idle = lines(client)[1]["idle", None]
    # 24 kWh × 1.25 × 0.2 EUR/kWh; 12 kWh × 1.25 × 400 g/kWh + 12 kWh × 1.25 × 200 g/kWh
    assert idle["cost"] == pytest.approx(
        {"amount": 6.0, "currency": "EUR", "factor": 0.25, "unit": "EUR/kWh", "source": "contract 7",
         "pue_source": "measured 2025", "coverage": 1.0}
    )  # fmt: skip
    assert idle["carbon"] == pytest.approx(
        {"kg": 9.0, "factor": 375.0, "unit": "g/kWh", "source": "grid operator", "pue_source": "measured 2025",
         "coverage": 1.0}
    )  # fmt: skip


def test_a_job_costs_what_its_energy_cost_at_its_time(berlin, client, steady, register):
    steady("2026-11-09T23:00:00Z", 24)
    register(name="a", nodes=[{"node": "n1"}], start="2026-11-10T10:00:00Z", end="2026-11-10T12:00:00Z")
    job = client.get("/api/v1/jobs").json()["items"][0]
    assert (job["summary"]["cost"], job["summary"]["carbon"]) == (None, None)
    hours = [ms("2026-11-10T10:00:00Z"), ms("2026-11-10T11:00:00Z"), ms("2026-11-10T12:00:00Z")]
    factor(client, "price", unit="EUR/kWh", value=0.2, source="contract 7")
    steps = [[hours[0], hours[1], 400.0], [hours[1], hours[2], 200.0]]
    factor(client, "carbon", unit="g/kWh", source="grid operator", steps=steps)
    summary = client.get(f"/api/v1/jobs/{job['id']}").json()["summary"]
    # 2 kWh × 0.2 EUR/kWh; 1 kWh × 400 g/kWh + 1 kWh × 200 g/kWh
    assert (summary["cost"]["amount"], summary["cost"]["currency"]) == (pytest.approx(0.4), "EUR")
    assert (summary["carbon"]["kg"], summary["carbon"]["factor"]) == pytest.approx((0.6, 300.0))
    assert summary["carbon"]["coverage"] == pytest.approx(1.0)
    facts = {f["label"]: f["text"] for f in client.get(f"/api/v1/views/job/{job['id']}").json()["evidence"]["facts"]}
    assert facts["Cost"] == "0.40 EUR at 0.200 EUR/kWh (contract 7)"
    assert facts["Carbon"] == "600\u2009g CO₂e at 300 g/kWh (grid operator)"
    page = client.get(f"/api/v1/jobs/{job['id']}/report.html").text
    assert "0.40 EUR at 0.200 EUR/kWh (contract 7)" in page
    berlin.facility.upsert([Site(key="elsewhere", timezone="UTC")])
    assert "n1, zib, 10 Nov 2026" in client.get(f"/api/v1/jobs/{job['id']}/report.html").text


def test_energy_without_a_factor_is_said(berlin, client, steady):
    steady("2026-11-09T23:00:00Z", 24)
    start, end = ms("2026-11-09T23:00:00Z"), ms("2026-11-10T05:00:00Z")
    factor(client, "carbon", unit="g/kWh", source="grid operator", steps=[[start, end, 100.0]])
    carbon = lines(client)[1]["idle", None]["carbon"]
    assert (carbon["kg"], carbon["coverage"]) == pytest.approx((0.6, 0.25))


def test_a_series_reported_again_replaces_its_own_time_only(berlin, client):
    hours = [[ms(f"2026-11-10T{h:02}:00:00Z"), ms(f"2026-11-10T{h + 1:02}:00:00Z"), 100.0] for h in range(6)]
    factor(client, "carbon", unit="g/kWh", source="a", steps=hours)
    middle = [ms("2026-11-10T02:30:00Z"), ms("2026-11-10T03:30:00Z"), 50.0]
    factor(client, "carbon", unit="g/kWh", source="a", steps=[middle])
    found = berlin.factors.steps("zib", "carbon", hours[0][0], hours[-1][1])
    assert [(s.end_ms - s.start_ms) // 60_000 for s in found] == [60, 60, 30, 60, 30, 60, 60]
    assert [s.value for s in found] == [100.0, 100.0, 100.0, 50.0, 100.0, 100.0, 100.0]


@pytest.mark.parametrize(
    ("kind", "body", "code"),
    [
        ("pue", {"unit": "1", "value": 0.9, "source": "a"}, "bad_factor"),
        ("carbon", {"unit": "kg/kWh", "value": 1.0, "source": "a"}, "bad_unit"),
        ("price", {"unit": "EUR/kWh", "value": 1.0, "source": " "}, "no_source"),
        ("heat", {"unit": "1", "value": 1.0, "source": "a"}, "unknown_factor"),
        ("pue", {"unit": "1", "source": "a"}, "no_value"),
        ("pue", {"unit": "1", "source": "a", "steps": [[2000, 3000, 1.2], [2500, 3500, 1.2]]}, "bad_series"),
        ("pue", {"unit": "1", "source": "a", "steps": [[3000, 2000, 1.2]]}, "bad_series"),
    ],
)
def test_a_factor_that_cannot_be_is_refused(berlin, client, kind, body, code):
    answer = client.put(f"/api/v1/sites/zib/factors/{kind}", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert client.get("/api/v1/sites/zib/factors").json()["items"] == []


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({"by": "colour"}, 422, "bad_by"),
        ({"by": "tag:"}, 422, "bad_by"),
        ({"to": DAY}, 422, "bad_window"),
        ({"from": "2025-01-01", "to": "2026-11-11"}, 422, "bad_window"),
        ({"site": "nowhere"}, 404, "not_found"),
    ],
)
def test_accounts_that_cannot_be_are_refused(berlin, client, query, status, code):
    answer = client.get("/api/v1/accounts", params={"from": DAY, "to": NEXT, **query})
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_the_file_holds_the_same_lines(berlin, client, steady, register):
    steady("2026-11-09T23:00:00Z", 24)
    register(name="a", user="ada", nodes=[{"node": "n1"}], start="2026-11-10T00:00:00Z", end="2026-11-10T06:00:00Z")
    text = client.get("/api/v1/accounts.csv", params={"from": DAY, "to": NEXT}).text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(r["line"], r["key"], float(r["energy_kwh"]), r["cost"]) for r in rows] == [
        ("jobs", "ada", pytest.approx(6.0), ""),
        ("idle", "", pytest.approx(18.0), ""),
    ]
    beside = client.get("/api/v1/accounts.csv", params={"from": DAY, "to": NEXT}).links["describedby"]["url"]
    summary = client.get(f"/api/v1/{beside}").json()
    assert (summary["from"], summary["to"], summary["zone"]) == (DAY, NEXT, "Europe/Berlin")
    (site,) = summary["sites"]
    assert (site["method"], site["coverage"], site["energy_j"]) == ("integral", 1.0, pytest.approx(24 * KWH))
    units = {column["name"]: column["unit"] for column in summary["columns"]}
    assert list(units) == list(rows[0])
    assert (units["key"], units["hours"], units["energy_kwh"], units["carbon_kg"]) == (None, "h", "kWh", "kg")
    parquet = client.get("/api/v1/accounts.parquet", params={"from": DAY, "to": NEXT})
    table = pq.read_table(io.BytesIO(parquet.content))
    assert json.loads(table.schema.metadata[b"wattline"]) == summary
    assert table["energy_kwh"].to_pylist() == [pytest.approx(6.0), pytest.approx(18.0)]
    assert table["key"].to_pylist() == ["ada", None]


def test_the_commands_of_the_page_about_it_run(client, stores):
    stores.facility.upsert([Site(key="lab", timezone="Europe/Berlin")])
    page = (DOCS / "accounts.md").read_text("utf-8")
    told = re.findall(r"curl -X (\w+) 'http://127\.0\.0\.1:8000(\S+)' -H '(\S+): (\S+)' -d '(.+?)'", page, re.DOTALL)
    asked = re.findall(r"curl 'http://127\.0\.0\.1:8000(\S+)'", page)
    assert (len(told), len(asked)) == (2, 2)
    for method, path, name, value, body in told:
        assert client.request(method, path, content=body, headers={name: value}).status_code == 200
    for path in asked:
        assert client.get(path).status_code == 200
    assert [f["kind"] for f in client.get("/api/v1/sites/lab/factors").json()["items"]] == ["price", "pue"]
    assert client.delete("/api/v1/sites/lab/factors/price").status_code == 204
    assert client.delete("/api/v1/sites/lab/factors/price").status_code == 404


def test_the_command_tells_a_constant_and_a_series(tmp_path, monkeypatch):
    monkeypatch.setenv("WATTLINE_DATABASE_URL", f"sqlite:///{tmp_path / 'a.db'}")
    facility = tmp_path / "facility.toml"
    facility.write_text('[site]\nkey = "lab"\n')
    series = tmp_path / "g.csv"
    series.write_text("time;g\n2026-11-10 00:00;400,5\n2026-11-10 01:00;300\n")

    def run(*words: str):
        return CliRunner().invoke(app, [str(word) for word in words])

    assert run("apply", facility).exit_code == 0
    constant = run("factor", "lab", "pue", "--value", "1.3", "--source", "a meter")
    assert constant.output == "pue of lab set to 1.3 1, source: a meter\n", constant.output
    told = run("factor", "lab", "carbon", series, "--unit", "g/kWh", "--source", "grid", "--tz", "Europe/Berlin")
    assert told.exit_code == 0, told.output
    neither = run("factor", "lab", "pue", "--source", "a")
    assert "a constant or a series" in str(neither.exception)
    series.write_text("time;g\n2026-11-10 00:00;400,5\n2026-11-10 00:00;x\n")
    assert "row 2" in str(run("factor", "lab", "carbon", series, "--unit", "g/kWh", "--source", "grid").exception)
