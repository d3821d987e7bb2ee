"""Capacity over the API, by hand: the published rack of five nodes, and the small hall of two."""

import math

import pytest
from fastapi.testclient import TestClient

from app.server.application import create_app
from app.settings import Settings
from app.store.facility import Device, Model, Node, Psus, Rack, SharedSupply
from tests.api import hall as small
from tests.checked_client import client_of

URL = "/api/v1/capacity/racks"
WHAT_IF = "/api/v1/capacity/what-if"
AMPS_PER_WATT = 1 / (math.sqrt(3) * 400)


@pytest.fixture
def published(stores, deliver, clock):
    """70 kW with five nodes rated 10.2 kW, the highest of which was seen at 8.48 kW."""
    stores.facility.upsert(
        [
            Rack(key="r07", capacity_w=70_000),
            Model(key="hgx", rated_w=10_200),
            Device(key="meter", kind="meter"),
            *(Node(key=f"hgx-0{i}", rack="r07", model="hgx", feeds=(f"meter/branch/{i}",)) for i in range(1, 6)),
        ]
    )
    watts = {1: 8480.0, 2: 8100.0, 3: 7900.0, 4: 8200.0, 5: 8000.0}
    deliver("meter", clock.now - 600_000, {f"branch/{i}:power": [w - 500, w] * 30 for i, w in watts.items()})


def test_the_published_case(client, published):
    seen = client.get(f"{URL}/r07?levels=rack&margin_pct=27.1").json()
    assert (seen["additional_nodes"], seen["binding"]) == (1, {"level": "rack", "key": "r07"})
    assert (seen["each_w"], seen["nodes"], seen["model"], seen["basis"]) == (8480.0, 5, "hgx", "observed_max")
    assert seen["now"] == {
        "nodes": 5, "load": 42_400.0, "limit": 70_000.0, "unit": "W", "margin_pct": pytest.approx(39.43, abs=0.01),
    }  # fmt: skip
    assert (seen["then"]["nodes"], seen["then"]["load"]) == (6, 50_880.0)
    assert seen["then"]["margin_pct"] == pytest.approx(27.3, abs=0.02)
    rated = client.get(f"{URL}/r07?levels=rack&margin_pct=27.1&basis=rated").json()
    assert (rated["additional_nodes"], rated["now"]["load"]) == (0, 51_000.0)
    assert rated["now"]["margin_pct"] == pytest.approx(27.14, abs=0.01)
    # 70 · 0.729 − 51 kW is what the nameplate leaves below the margin: 30 W
    assert rated["levels"][0]["stranded"] == pytest.approx(30.0)


def test_a_level_that_cannot_be_evaluated_limits_nothing_and_says_why(client, published):
    answer = client.get(f"{URL}/r07?levels=rack,line,failover").json()
    assert [one["level"] for one in answer["levels"]] == ["rack"]
    assert {one["level"]: one["why"] for one in answer["not_evaluated"]} == {
        "line": "no node of this model has a cord to a PDU with a breaker and a voltage here",
        "failover": "the nodes have cords to one feed only: when it fails, they lose power",
    }


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("r07?basis=budget", 422, "no_basis"),
        ("r07?levels=roof", 422, "bad_level"),
        ("r07?model=unknown", 404, "not_found"),
        ("nowhere", 404, "not_found"),
        ("r07?margin_pct=100", 422, "invalid_request"),
        ("r07?from=2026-11-20T12:00:00Z&to=2026-11-20T11:00:00Z", 422, "bad_window"),
    ],
)
def test_questions_that_cannot_be_answered(client, published, query, status, code):
    answer = client.get(f"{URL}/{query}")
    assert answer.status_code == status
    if code != "invalid_request":
        assert answer.json()["code"] == code


@pytest.fixture
def hall_client(engine, tmp_path) -> TestClient:
    app = create_app(Settings(data_dir=tmp_path), lambda: small.NOW, engine)
    small.build(app.state.stores)
    return client_of(app, raise_server_exceptions=False)


def test_every_level_by_hand(hall_client):
    answer = hall_client.get(f"{URL}/r1").json()
    found = {one["level"]: one for one in answer["levels"]}
    # n1 draws 2 × 1000 W, the highest of its kind: two of them on 20 kW
    assert (found["rack"]["load"], found["rack"]["additional_nodes"]) == (4000.0, 8)
    # a PDU carries 1500 of √3 · 400 · 32 VA, and 1000 more with each node
    assert found["pdu"]["limit"] == pytest.approx(22_170.25, abs=0.01)
    assert (found["pdu"]["load"], found["pdu"]["per_node"], found["pdu"]["additional_nodes"]) == (1500.0, 1000.0, 20)
    # 29 A left on the fullest line, 1.443 A a node
    assert found["line"]["per_node"] == pytest.approx(1000 * AMPS_PER_WATT)
    assert (found["line"]["load"], found["line"]["additional_nodes"]) == (3.0, 20)
    # with a feed gone the other's line carries 6 A, and a node 2.887 A of 26
    assert (found["failover"]["load"], found["failover"]["additional_nodes"]) == (pytest.approx(6.0), 9)
    # 38U in one piece at 2U; two of six outlets free, two cords a node
    assert (found["space"]["additional_nodes"], found["outlets"]["additional_nodes"]) == (19, 1)
    assert (answer["additional_nodes"], answer["binding"]["level"]) == (1, "outlets")
    # the supply still has 20 − 4 − 2 kW that the outlets keep out of reach
    assert found["rack"]["stranded"] == pytest.approx(14_000.0)
    assert answer["not_evaluated"] == []


def test_a_margin_is_kept_at_every_circuit(hall_client):
    answer = hall_client.get(f"{URL}/r1?levels=line,failover&margin_pct=50").json()
    # (16 − 3) / 1.443 and (16 − 6) / 2.887
    assert [one["additional_nodes"] for one in answer["levels"]] == [9, 3]


def test_declared_loads_spread_as_the_measured_ones_do(hall_client):
    answer = hall_client.get(f"{URL}/r1?levels=rack,pdu,line&basis=rated").json()
    rack, pdu, line = answer["levels"]
    assert (rack["load"], rack["per_node"], rack["additional_nodes"]) == (10_000.0, 5000.0, 2)
    assert (pdu["load"], pdu["per_node"]) == (5000.0, 2500.0)
    # 3 of 3 + 2 + 1 A is 1.5 times the mean line
    assert line["load"] == pytest.approx(5000 * AMPS_PER_WATT * 1.5)


def levels(answer):
    assert answer.status_code == 200, answer.text
    return {(one["level"], one["key"]): one for one in answer.json()["levels"]}


def test_a_failed_pdu(hall_client):
    answer = hall_client.post(WHAT_IF, json={"fail": ["pdu-a"]})
    found = levels(answer)
    assert (found["line", "pdu-b/L1"]["before"], found["line", "pdu-b/L1"]["after"]) == (3.0, 6.0)
    assert (found["pdu", "pdu-b"]["before"], found["pdu", "pdu-b"]["after"]) == (1500.0, 3000.0)
    assert found["pdu", "pdu-a"]["state"] == "failed"
    assert (found["rack", "r1"]["before"], found["rack", "r1"]["after"]) == (3000.0, 3000.0)
    body = answer.json()
    assert (body["trips"], body["lost"], body["lost_after_trips"]) == ([], [], [])


def test_nodes_taken_away_and_added(hall_client):
    found = levels(hall_client.post(WHAT_IF, json={"remove": ["n2"]}))
    assert (found["pdu", "pdu-a"]["after"], found["line", "pdu-a/L1"]["after"]) == (1000.0, pytest.approx(2.0))
    assert found["rack", "r1"]["after"] == 2000.0
    answer = hall_client.post(WHAT_IF, json={"add": [{"rack": "r1", "model": "m", "count": 2}]})
    assert [(one["key"], one["cords"], one["power_w"]) for one in answer.json()["placed"]] == [
        ("m#1", ["pdu-a", "pdu-b"], 2000.0),
        ("m#2", ["pdu-a", "pdu-b"], 2000.0),
    ]
    found = levels(answer)
    assert found["pdu", "pdu-a"]["after"] == 3500.0
    assert found["line", "pdu-a/L3"]["after"] == pytest.approx(1 + 2000 * AMPS_PER_WATT)
    assert found["rack", "r1"]["after"] == 7000.0


def test_what_trips_takes_the_rest_along(hall_client):
    body = {"add": [{"rack": "r1", "model": "m", "count": 10}], "fail": ["pdu-a"], "basis": "rated"}
    answer = hall_client.post(WHAT_IF, json=body).json()
    # B alone: (10 kW · 1.5 + 50 kW) / (√3 · 400 V) on its fullest line
    assert answer["trips"][0] == {
        "pdu": "pdu-b", "line": "L1", "current_a": pytest.approx(65_000 * AMPS_PER_WATT), "breaker_a": 32,
    }  # fmt: skip
    assert answer["lost"] == []
    assert answer["lost_after_trips"] == sorted(["n1", "n2", *(f"m#{i}" for i in range(1, 11))])
    rack = next(one for one in answer["levels"] if one["level"] == "rack")
    assert (rack["before"], rack["after"], rack["state"]) == (10_000.0, 60_000.0, "over")


def test_a_chassis_that_needs_both_feeds(hall_client):
    stores = hall_client.app.state.stores
    feeds = ("pdu-a/outlet/3", "pdu-b/outlet/3")
    stores.facility.upsert(
        [Node(key="c1", rack="r1"), Node(key="c2", rack="r1"), SharedSupply(key="c", nodes=("c1", "c2"), feeds=feeds)]
    )
    assert hall_client.post(WHAT_IF, json={"fail": ["pdu-a"]}).json()["lost"] == []
    stores.facility.upsert([SharedSupply(key="c", nodes=("c1", "c2"), feeds=feeds, psus=Psus(2, 0))])
    assert hall_client.post(WHAT_IF, json={"fail": ["pdu-a"]}).json()["lost"] == ["c1", "c2"]
    refused = hall_client.post(WHAT_IF, json={"remove": ["c1"]}).json()
    assert (refused["code"], refused["detail"]) == ("bad_what_if", "remove[0]: 'c1' shares supplies.c")


def test_every_mistake_of_a_question(hall_client):
    body = {"add": [{"rack": "x", "model": "y", "cords": ["z"]}], "remove": ["v"], "fail": ["w"]}
    answer = hall_client.post(WHAT_IF, json=body)
    assert answer.status_code == 422
    assert [one["where"] for one in answer.json()["errors"]] == [
        "add[0].rack", "add[0].model", "add[0].cords", "remove[0]", "fail[0]",
    ]  # fmt: skip


def test_a_pdu_that_reports_watts_only_trips_by_its_mean_line_current(client, hall, deliver, clock):
    # breaker 50 A at 208 V: √3 · 208 V · 50 A = 18.0 kVA; 2 kW there and 34 · 1.2 kW asked for are 42.8 kVA at least
    deliver("pdu-a", clock.now - 600_000, {"outlet/1:power": [1200.0] * 60, "outlet/2:power": [800.0] * 60})
    body = {"add": [{"rack": "r1", "model": "m", "count": 34, "cords": ["pdu-a"]}]}
    answer = client.post(WHAT_IF, json=body).json()
    (pdu,) = [one for one in answer["levels"] if one["level"] == "pdu"]
    assert (pdu["after"], pdu["unit"], pdu["state"]) == (42_800.0, "VA", "trips")
    mean_a = pytest.approx(42_800 / (math.sqrt(3) * 208))  # 118.8 A, which the fullest line carries at least
    assert answer["trips"] == [{"pdu": "pdu-a", "line": "mean", "current_a": mean_a, "breaker_a": 50}]
    assert {"n1", "n2"} <= set(answer["lost_after_trips"])
    body["add"][0]["count"] = 10  # 14 kVA: above 80 %, below the breaker's rating
    below = client.post(WHAT_IF, json=body).json()
    assert below["trips"] == []
    assert [one["state"] for one in below["levels"] if one["level"] == "pdu"] == ["ok"]
