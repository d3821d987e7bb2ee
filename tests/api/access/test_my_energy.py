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
