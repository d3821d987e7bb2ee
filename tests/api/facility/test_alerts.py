"""Alerts over HTTP: lists, taking one on, rules, and who may."""

from __future__ import annotations

import pytest

from app.services.alerts.evaluation import evaluate
from app.store.devices.health import DeviceEvent
from tests.checked_client import described

TOKENS = {"read_token": "r", "ingest_token": "i", "admin_token": "a"}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def told(hall, clock):
    """Two devices reported trouble ten seconds ago, and the rules were evaluated."""
    t = clock.now - 10_000
    hall.health.record_events(
        [
            DeviceEvent(t, "breaker_open", "pdu-a", "bank/2", "critical", "the breaker is open: B2"),
            DeviceEvent(t - 5000, "outlet_off", "pdu-a", "outlet/7", "warning", "an outlet was turned off"),
        ]
    )
    evaluate(hall, "me")
    return hall


def test_a_list_tells_what_where_since_when_and_what_to_do(client, told, clock):
    answer = client.get("/api/v1/alerts").json()
    assert answer["counts"] == {"active": 2, "crit": 1, "unacknowledged": 2}
    assert answer["next"] is None
    first, second = answer["items"]
    assert first["about"] == "pdu-a (bank 2) reports an open breaker"
    assert (first["level"], first["rule"], first["device"], first["rack"]) == ("crit", "device_event", "pdu-a", "r1")
    assert (first["since"], first["opened"]) == ("2026-11-20T11:59:50Z", "2026-11-20T12:00:00Z")
    assert (first["reason"], first["href"]) == ("the breaker is open: B2", "/devices/pdu-a")
    assert first["todo"]
    assert (first["until"], first["acknowledged"], first["no_readings_since"]) == (None, None, None)
    assert second["about"] == "pdu-a (outlet 7) reports that an outlet is off"


def test_filters_and_pages(client, told):
    def subjects(query: str) -> list[str]:
        return [one["subject"] for one in client.get(f"/api/v1/alerts?{query}").json()["items"]]

    opened, off = "pdu-a/bank/2:breaker_open", "pdu-a/outlet/7:outlet_off"
    assert subjects("level=crit") == [opened]
    assert subjects("level=warn&rack=r1&device=pdu-a&rule=device_event") == [off]
    assert subjects("rack=nowhere") == []
    assert subjects("state=past") == []
    page = client.get("/api/v1/alerts?limit=1").json()
    assert [one["subject"] for one in page["items"]] == [opened]
    assert subjects(f"limit=1&cursor={page['next']}") == [off]
    for query in ("state=past&cursor=" + page["next"], "cursor=nonsense"):
        answer = client.get(f"/api/v1/alerts?{query}")
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_cursor")


def test_taking_one_on(client, told, clock):
    (one, _) = client.get("/api/v1/alerts").json()["items"]
    answer = client.post(f"/api/v1/alerts/{one['id']}/acknowledge", json={"by": " ada ", "note": "on my way"})
    assert answer.status_code == 200
    assert answer.json()["acknowledged"] == {"t": "2026-11-20T12:00:00Z", "by": "ada", "note": "on my way"}
    assert client.get("/api/v1/alerts").json()["counts"] == {"active": 2, "crit": 1, "unacknowledged": 1}
    told.health.record_events([DeviceEvent(clock.now, "breaker_closed", "pdu-a", "bank/2", "info", "closed")])
    evaluate(told, "me")
    clock.now += 60_000
    evaluate(told, "me")
    (past,) = client.get("/api/v1/alerts?state=past").json()["items"]
    assert (past["until"], past["acknowledged"]["by"]) == ("2026-11-20T12:00:00Z", "ada")
    late = client.post(f"/api/v1/alerts/{one['id']}/acknowledge", json={"by": "ada"})
    assert (late.status_code, late.json()["detail"]) == (409, f"alert {one['id']} has already ended")
    assert client.post("/api/v1/alerts/4711/acknowledge", json={"by": "ada"}).status_code == 404
    assert client.post("/api/v1/alerts/4711/acknowledge", json={"by": ""}).status_code == 422


def test_rules_are_reported_set_and_set_back(client, hall):
    rules = {rule["name"]: rule for rule in client.get("/api/v1/alerts/rules").json()["items"]}
    assert len(rules) == 14
    warm = rules["inlet_temperature"]
    assert (warm["settings"]["warn"], warm["settings"]["crit"], warm["warn_of"]) == (27.0, 32.0, "°C")
    path = "/api/v1/alerts/rules/inlet_temperature"
    assert client.put(path, json={"warn": 25}).json()["settings"]["warn"] == 25
    assert client.get("/api/v1/alerts/rules").json()["items"][5]["settings"]["warn"] == 25
    assert client.put(path, json={}).json()["settings"] == warm["defaults"]
    example = described()["paths"]["/api/v1/alerts/rules/{name}"]["put"]["requestBody"]["content"]
    settings = client.put(path, json=example["application/json"]["example"]).json()["settings"]
    assert (settings["warn"], settings["crit"], settings["for_s"]) == (25.0, 30.0, 300.0)
    answer = client.put(path, json={"warn": 250, "clear_s": -1})
    assert answer.status_code == 422
    body = answer.json()
    assert body["code"] == "bad_rule"
    assert body["errors"] == [
        {"where": "body.clear_s", "detail": "-1 is not within 0…86400 s", "hint": "the default is 120"},
        {"where": "body.warn", "detail": "250 is not within 5…60 °C", "hint": "the default is 27"},
    ]
    assert client.put("/api/v1/alerts/rules/nothing", json={}).status_code == 404


def test_who_may(make_client):
    client = make_client(**TOKENS)
    assert client.get("/api/v1/alerts", headers=bearer("r")).status_code == 200
    ask = {"json": {"by": "ada"}}
    assert client.post("/api/v1/alerts/1/acknowledge", headers=bearer("r"), **ask).status_code == 403
    assert client.post("/api/v1/alerts/1/acknowledge", headers=bearer("i"), **ask).status_code == 404
    assert client.put("/api/v1/alerts/rules/failover", headers=bearer("i"), json={}).status_code == 403
    assert client.put("/api/v1/alerts/rules/failover", headers=bearer("a"), json={}).status_code == 200


def test_the_stream_and_the_metrics_count_them(client, told):
    live = client.app.state.live.snapshot()
    assert live.to_wire()["alerts"] == {"active": 2, "crit": 1, "unacknowledged": 2}
    assert live.since(live).is_empty
    metrics = client.get("/metrics").text
    assert 'wattline_alerts_active{level="crit",rule="device_event"} 1.0' in metrics
    assert 'wattline_alerts_active{level="warn",rule="failover"} 0.0' in metrics


def test_the_page_asks_once(client, told):
    view = client.get("/api/v1/views/alerts").json()
    assert [len(view[name]) for name in ("items", "past", "rules")] == [2, 0, 14]
    assert view["counts"]["active"] == 2


def test_the_page_shows_the_past_alerts_of_a_window(client, told):
    (id_, *_) = [one["id"] for one in client.get("/api/v1/alerts").json()["items"]]
    assert client.post(f"/api/v1/alerts/{id_}/close", json={"by": "ada"}).status_code == 200  # 11:59:50 to 12:00
    for window, past in (("from=2026-11-20T11:00:00Z", [id_]), ("to=2026-11-20T11:59:00Z", [])):
        view = client.get(f"/api/v1/views/alerts?{window}").json()
        assert ([one["id"] for one in view["past"]], len(view["items"])) == (past, 1)


# ---- silences, receivers, events closed by hand --------------------------------------------------------------------
def test_a_silence_is_added_shown_with_its_alerts_and_ended(client, told):
    body = {"by": "ada", "end": "2026-11-20T14:00:00Z", "device": "pdu-a", "note": "new firmware"}
    made = client.post("/api/v1/alerts/silences", json=body)
    assert made.status_code == 201
    silence = made.json()
    assert (silence["state"], silence["start"], silence["by"]) == ("active", "2026-11-20T12:00:00Z", "ada")
    assert client.get("/api/v1/alerts/silences").json()["items"] == [silence]
    until = [one["silenced_until"] for one in client.get("/api/v1/alerts").json()["items"]]
    assert until == ["2026-11-20T14:00:00Z"] * 2
    page = client.get("/api/v1/views/alerts").json()
    assert (page["silences"], page["receivers"]) == ([silence], [])
    ended = client.delete(f"/api/v1/alerts/silences/{silence['id']}").json()
    assert (ended["state"], ended["end"]) == ("over", "2026-11-20T12:00:00Z")
    assert client.get("/api/v1/alerts/silences").json()["items"] == []
    assert client.delete(f"/api/v1/alerts/silences/{silence['id']}").status_code == 409
    assert client.delete("/api/v1/alerts/silences/99").status_code == 404


@pytest.mark.parametrize("wrong", [{}, {"end": "2026-11-20T11:00:00Z"}, {"end": "2026-11-21T12:00:00Z", "rack": "r9"}])
def test_a_silence_has_an_end_and_a_place_that_exists(client, told, wrong):
    assert client.post("/api/v1/alerts/silences", json={"by": "ada"} | wrong).status_code == 422


def test_an_event_is_closed_by_hand(client, told):
    first = client.get("/api/v1/alerts").json()["items"][0]
    assert first["can_be_closed"]
    closed = client.post(f"/api/v1/alerts/{first['id']}/close", json={"by": "ada", "note": "reset"}).json()
    assert (closed["until"], closed["ended"]) == ("2026-11-20T12:00:00Z", "closed by ada: reset")
    assert client.post(f"/api/v1/alerts/{first['id']}/close", json={"by": "ada"}).status_code == 409


def test_a_receiver_that_is_not_declared_cannot_be_tested(client):
    assert client.get("/api/v1/alerts/receivers").json() == {"items": [], "next": None}
    answer = client.post("/api/v1/alerts/receivers/ops/test")
    assert (answer.status_code, answer.json()["code"]) == (404, "no_such_receiver")
    assert "WATTLINE_ALERT_RECEIVERS" in answer.json()["hint"]


def test_the_answer_of_a_receiver_to_a_test_is_shown_and_its_address_is_not(make_client):
    url = "http://127.0.0.1:1/secret"
    given = {"name": "ops", "form": "slack", "url": url, "level": "crit", "quiet": "22:00-07:00"}
    client = make_client(alert_receivers=[given])
    answer = client.post("/api/v1/alerts/receivers/ops/test").json()
    assert answer == {"accepted": False, "answer": "did not respond (ConnectError)"}
    (ops,) = client.get("/api/v1/alerts/receivers").json()["items"]
    assert (ops["working"], ops["answer"], ops["host"]) == (False, answer["answer"], "127.0.0.1")
    assert (ops["level"], ops["quiet"], ops["waiting"]) == ("crit", "22:00–07:00 UTC", 0)
    assert "secret" not in client.get("/api/v1/alerts/receivers").text
