"""A user's month, and the export of a user's data."""

from dataclasses import replace

import pytest

from app.presentation.access.my_energy import my_energy_view
from app.services.factors.factors import put_factor
from app.services.pages import read_my_energy
from app.store.facility import Node, Site
from app.store.jobs import Job, JobNode

HOUR_MS = 3_600_000


@pytest.fixture
def ada(closed, hall, deliver, people, sign_in, start):
    """1500 W for two hours: of ada in the first, of bob in the second. The clock says 12:00 on 20 November 2026."""
    hall.facility.upsert(
        [Site(key="lab", timezone="UTC"), Node(key="n1", site="lab", rack="r1", feeds=("pdu-a/outlet/1",))],
        effective_ms=start - HOUR_MS,
    )
    deliver("pdu-a", start, {"outlet/1:power": [1500.0] * 721})
    for name, begin in (("ada", start), ("bob", start + HOUR_MS)):
        hall.jobs.create(
            Job(name=f"of {name}", user=name, start_ms=begin, end_ms=begin + HOUR_MS, nodes=(JobNode("n1"),))
        )
    people("ada", "researcher")
    people("cem", "researcher")
    return sign_in("ada")


def test_the_month_of_a_user(ada):
    view = ada.get("/api/v1/views/my-energy").json()
    assert (view["month"], view["month_label"], view["previous"]) == ("2026-11", "November 2026", "2026-10")
    totals = view["totals"]
    assert totals["energy_j"] == pytest.approx(1500 * 3600)
    assert (totals["runs"], totals["running"], totals["cost"]) == (1, 0, None)
    assert [run["name"] for run in view["runs"]] == ["of ada"]
    (bars,) = [t for t in view["figures"]["days"]["data"] if t["type"] == "bar"]
    assert (bars["x"], bars["y"]) == ([20], pytest.approx([1.5]))
    assert view["figures"]["days"]["title"] == "You used 1.5 kWh in November"
    assert view["figures"]["days"]["layout"]["xaxis"]["range"] == [0.4, 30.6]  # November has 30 days


def test_idle_gpus_by_day_and_the_uncertainty_of_the_month(closed, hall, deliver, people, sign_in, clock):
    """1500 W ± 1 % from an hour before midnight in Berlin to an hour after it; one GPU draws 100 W and is busy from
    00:30 on. Two nodes on meters of one model, each with a run: 1 % stays 1 %.
    """
    begin = clock.now - 14 * HOUR_MS  # 22:00 UTC on 19 November 2026, 23:00 in Berlin
    cords = {"n1": "pdu-a/outlet/1", "n2": "pdu-a/outlet/2"}
    hall.facility.upsert(
        [
            Site(key="lab", timezone="Europe/Berlin"),
            *(Node(key=node, site="lab", rack="r1", feeds=(cord,)) for node, cord in cords.items()),
        ],
        effective_ms=begin - HOUR_MS,
    )
    watts = {"outlet/1:power": [1500.0] * 721, "outlet/2:power": [500.0] * 721}
    deliver("pdu-a", begin, watts, accuracy_pct=1.0)
    load = [0.0] * 540 + [80.0] * 181
    deliver("n1-exporter", begin, {"gpu/0:power": [100.0] * 721, "gpu/0:utilization": load})
    for node in cords:
        hall.jobs.create(Job(user="ada", start_ms=begin, end_ms=begin + 2 * HOUR_MS, nodes=(JobNode(node),)))
    people("ada", "researcher")
    view = sign_in("ada").get("/api/v1/views/my-energy").json()
    totals, days = view["totals"], {day["date"]: day for day in view["days"]}
    assert totals["energy_j"] == pytest.approx(2 * 2000 * 3600)
    assert (totals["uncertainty_pct"], totals["k"]) == (pytest.approx(2 * 1 / 3**0.5), 2)
    assert list(days) == ["2026-11-19", "2026-11-20"]
    # 100 W for an hour, and for 30 min less the 10 s in which it becomes busy; of 2000 W for an hour each day
    assert [days[day]["idle_j"] for day in sorted(days)] == pytest.approx([360_000, 100 * 1790])
    assert [days[day]["idle_pct"] for day in sorted(days)] == pytest.approx([5.0, 100 * 179_000 / 7_200_000])
    assert totals["idle_j"] == pytest.approx(539_000)
    bars = [trace for trace in view["figures"]["days"]["data"] if trace["type"] == "bar"]
    assert [trace["y"] for trace in bars] == [pytest.approx([2.0, 2.0]), pytest.approx([0.1, 0.179 / 3.6])]


def test_budgets_are_shown_to_project_leads_planners_and_who_sees_every_job(
    closed, hall, deliver, people, sign_in, clock
):
    """1500 W for two hours of yesterday (UTC) = 3 kWh, by bob: 60 % of the 5 kWh of llm, nothing of climate's."""
    begin = clock.now - 24 * HOUR_MS
    hall.facility.upsert(
        [
            Site(key="lab", timezone="UTC", budgets=("llm 5 kWh", "climate 2 MWh")),
            Node(key="n1", site="lab", rack="r1", feeds=("pdu-a/outlet/1",)),
        ],
        effective_ms=begin - HOUR_MS,
    )
    deliver("pdu-a", begin, {"outlet/1:power": [1500.0] * 721})
    hall.jobs.create(Job(user="bob", project="llm", start_ms=begin, end_ms=begin + 2 * HOUR_MS, nodes=(JobNode("n1"),)))
    llm = {
        "site": "lab", "project": "llm", "month": "2026-11", "until": "2026-11-20", "budget_j": 18_000_000.0,
        "used_j": pytest.approx(10_800_000), "used_pct": pytest.approx(60.0),
    }  # fmt: skip
    climate = llm | {"project": "climate", "budget_j": 7.2e9, "used_j": 0.0, "used_pct": 0.0}
    people("mira", "project-lead", projects=("llm",))
    for name, role, shown in (
        ("mira", None, [llm]),
        ("ada", "researcher", []),
        ("pia", "planner", [llm, climate]),
        ("root", "admin", [llm, climate]),
    ):
        if role is not None:
            people(name, role)
        client = sign_in(name)
        assert client.get("/api/v1/budgets").json()["items"] == shown, name
        own = client.get("/api/v1/views/my-energy").json()["budgets"]
        assert own == ([llm] if name == "mira" else []), name
    october = client.get("/api/v1/budgets?month=2026-10").json()["items"]
    assert [(line["until"], line["used_j"]) for line in october] == [("2026-11-01", 0.0)] * 2
    assert client.get("/api/v1/budgets?month=2026-1").json()["code"] == "bad_month"


def test_days_that_are_not_summed_up_do_not_deny_the_runs(ada, hall):
    data = read_my_energy(hall, "ada", None)
    empty = my_energy_view(replace(data, this=replace(data.this, lines=()))).figures["days"]["empty"]
    assert (empty["what"], "not summed up yet" in empty["why"]) == ("No energy by day in November yet", True)


def test_a_month_without_runs_and_what_is_no_month(ada):
    view = ada.get("/api/v1/views/my-energy?month=2026-09").json()
    assert (view["totals"]["energy_j"], view["runs"], view["following"]) == (None, [], "2026-10")
    assert view["figures"]["days"]["empty"]["what"] == "No energy in September"
    for month in ("2026", "2026-13", "x", "9999-12"):
        assert ada.get(f"/api/v1/views/my-energy?month={month}").json()["code"] == "bad_month"


def test_the_cost_is_by_the_factors_of_the_site(ada, closed):
    factor = {"unit": "EUR/kWh", "source": "contract 2026", "value": 0.2}
    assert ada.put("/api/v1/sites/lab/factors/price", json=factor).status_code == 403
    service = closed.app.state.stores
    put_factor(service, "lab", "price", "EUR/kWh", "contract 2026", 0.2, [])
    totals = ada.get("/api/v1/views/my-energy").json()["totals"]
    assert (totals["cost"], totals["currency"]) == (pytest.approx(0.3), "EUR")
    assert totals["cost_source"] == "contract 2026"


def test_the_export_holds_what_is_stored_of_a_user_and_of_no_one_else(ada):
    ada.post("/api/v1/tokens", json={"name": "notebook", "scopes": ["read"]})
    answer = ada.get("/api/v1/me/data.json")
    data = answer.json()
    assert data["user"]["name"] == "ada"
    assert [job["name"] for job in data["jobs"]] == ["of ada"]
    assert [token["name"] for token in data["tokens"]] == ["notebook"]
    assert [entry["action"] for entry in data["audit"]] == ["token.create", "session.start"]
    assert "bob" not in answer.text
    assert "argon2" not in answer.text


def test_a_token_of_the_server_has_no_energy_of_its_own(make_client):
    client = make_client(host="0.0.0.0", read_token="r")
    answer = client.get("/api/v1/views/my-energy", headers={"Authorization": "Bearer r"})
    assert answer.status_code == 403
