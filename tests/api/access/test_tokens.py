"""API tokens: made, limited by scopes and by their owner, used, expired, revoked."""

import hashlib

import pytest

from app.services.alerts.evaluation import evaluate
from app.store.devices.health import DeviceEvent
from app.store.facility import Device

DAY_MS = 86_400_000


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def make(client, **body):
    answer = client.post("/api/v1/tokens", json={"name": "notebook", "scopes": ["read"]} | body)
    assert answer.status_code == 201, answer.text
    return answer.json()


@pytest.fixture
def ada(people, sign_in):
    people("ada", "researcher")
    return sign_in("ada")


@pytest.fixture
def admin(people, sign_in):
    people("root", "admin")
    return sign_in("root")


def test_a_token_is_shown_once_and_stored_as_its_hash(ada):
    made = make(ada)
    token = made["token"]
    assert token.startswith("wl_")
    assert len(token) == 3 + 43, "256 bits in base64"
    assert made["prefix"] == token[:9]
    (listed,) = ada.get("/api/v1/tokens").json()["items"]
    assert "token" not in listed
    stored = ada.app.state.stores.tokens.get(made["id"])
    assert stored.hash == hashlib.sha256(token.encode()).hexdigest()


def test_a_token_acts_for_its_owner_within_its_scopes(ada, clock):
    token = make(ada)["token"]
    ada.cookies.clear()
    me = ada.get("/api/v1/me", headers=bearer(token)).json()
    assert (me["name"], me["how"], me["permissions"]) == ("ada", "token", ["read"])
    assert ada.get("/api/v1/jobs", headers=bearer(token)).status_code == 200
    refused = ada.post("/api/v1/jobs", json={}, headers=bearer(token))
    assert refused.status_code == 403, "a valid token that may not"
    (listed,) = ada.app.state.stores.tokens.all("ada")
    assert listed.used_ms == clock.now


def test_a_token_never_allows_more_than_the_roles_of_its_owner(ada, people, sign_in):
    answer = ada.post("/api/v1/tokens", json={"name": "x", "scopes": ["admin"]})
    assert answer.status_code == 201, "admin includes what a researcher may"
    ada.cookies.clear()
    assert ada.get("/api/v1/users", headers=bearer(answer.json()["token"])).status_code == 403
    client = sign_in("ada")
    for scope in ("readings:write", "plan"):
        assert client.post("/api/v1/tokens", json={"name": "x", "scopes": [scope]}).status_code == 403
    client.app.state.stores.users.change("ada", roles=("viewer",))
    token = answer.json()["token"]
    client.cookies.clear()
    assert client.get("/api/v1/me", headers=bearer(token)).json()["permissions"] == ["read"]


@pytest.mark.parametrize("scope", ["read", "admin"])
def test_a_token_makes_no_other_tokens_of_its_owner(admin, scope):
    token = make(admin)["token"]
    admin.cookies.clear()
    answer = admin.post("/api/v1/tokens", json={"name": "x", "scopes": [scope]}, headers=bearer(token))
    assert answer.status_code == 403
    assert [listed.name for listed in admin.app.state.stores.tokens.all("root")] == ["notebook"]


@pytest.mark.parametrize("end", ["expired", "revoked", "owner disabled", "owner deleted"])
def test_a_token_that_ended_is_refused(ada, clock, end):
    made = make(ada, days=1)
    headers, stores = bearer(made["token"]), ada.app.state.stores
    if end == "expired":
        clock.now += DAY_MS
    elif end == "revoked":
        assert ada.delete(f"/api/v1/tokens/{made['id']}").status_code == 204
    elif end == "owner disabled":
        stores.users.change("ada", disabled=True)
    else:
        stores.users.remove("ada")
    ada.cookies.clear()
    assert ada.get("/api/v1/jobs", headers=headers).status_code == 401


def test_nobody_sees_or_revokes_the_tokens_of_others(people, sign_in):
    people("ada", "researcher")
    people("bob", "researcher")
    id_ = make(sign_in("ada"))["id"]
    bob = sign_in("bob")
    assert bob.get("/api/v1/tokens").json()["items"] == []
    assert bob.get("/api/v1/tokens?everyone=true").status_code == 403
    assert bob.delete(f"/api/v1/tokens/{id_}").status_code == 404
    people("root", "admin")
    root = sign_in("root")
    assert [token["id"] for token in root.get("/api/v1/tokens?everyone=true").json()["items"]] == [id_]
    assert root.delete(f"/api/v1/tokens/{id_}").status_code == 204


def test_a_token_does_not_end_the_others_of_its_owner(ada):
    ids = [make(ada)["id"], make(ada)["id"]]
    token = make(ada, scopes=["read"])["token"]
    cookies = dict(ada.cookies)
    ada.cookies.clear()
    for id_ in ids:
        assert ada.delete(f"/api/v1/tokens/{id_}", headers=bearer(token)).status_code == 403
    ada.cookies.update(cookies)
    assert [one["revoked"] for one in ada.get("/api/v1/tokens").json()["items"]] == [None] * 3
    assert ada.delete(f"/api/v1/tokens/{ids[0]}").status_code == 204


def test_only_an_administrator_makes_tokens_of_machines(ada, people, sign_in):
    body = {"name": "node prolog", "scopes": ["jobs:write"], "cluster": "horeka"}
    assert ada.post("/api/v1/tokens", json=body).status_code == 403
    people("root", "admin")
    admin = sign_in("root")
    made = make(admin, **body)
    assert made["owner"] is None
    bad = admin.post("/api/v1/tokens", json=body | {"scopes": ["jobs:write", "read"]})
    assert bad.status_code == 422
    admin.app.state.stores.users.remove("root")
    admin.cookies.clear()
    assert admin.get("/api/v1/me", headers=bearer(made["token"])).json()["permissions"] == ["jobs:write"]


def test_an_unknown_scope_is_refused(ada):
    answer = ada.post("/api/v1/tokens", json={"name": "x", "scopes": ["write"]})
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_scope")


def test_users_are_managed_by_administrators(admin, people):
    answer = admin.post("/api/v1/users", json={"name": "mira", "label": "Mira Falk", "roles": ["researcher"]})
    assert answer.status_code == 201
    assert answer.json()["url"].startswith("http://127.0.0.1/welcome#")
    assert admin.post("/api/v1/users", json={"name": "mira"}).status_code == 409
    assert admin.post("/api/v1/users", json={"name": "x", "roles": ["boss"]}).json()["code"] == "bad_role"
    changed = admin.patch("/api/v1/users/mira", json={"roles": ["project-lead"], "projects": ["hpc-4"]}).json()
    assert (changed["roles"], changed["projects"], changed["label"]) == (["project-lead"], ["hpc-4"], "Mira Falk")
    (mira, _) = admin.get("/api/v1/users").json()["items"]
    assert (mira["name"], mira["has_password"], mira["origin"]) == ("mira", False, "local")
    renewed = admin.post("/api/v1/users/mira/link")
    assert renewed.status_code == 201
    code = renewed.json()["url"].partition("#")[2]
    admin.cookies.clear()
    accepted = admin.post("/api/v1/link/accept", json={"code": code, "password": "a password of Mira's"})
    assert accepted.json()["name"] == "mira"
    assert admin.get("/api/v1/users").status_code == 403


def test_the_last_administrator_stays(admin, people):
    assert admin.patch("/api/v1/users/root", json={"roles": ["viewer"]}).json()["code"] == "last_admin"
    assert admin.patch("/api/v1/users/root", json={"disabled": True}).status_code == 409
    assert admin.delete("/api/v1/users/root").status_code == 409
    people("second", "admin")
    assert admin.delete("/api/v1/users/root").status_code == 204


def batch(device):
    series = [{"point": "total", "quantity": "power", "unit": "W"}]
    return {"device": device, "interval_s": 10, "series": series, "t": [1_790_000_000_000], "values": [[1.0]]}


def test_the_token_of_a_collector_is_for_its_leases_alone(admin, hall):
    token = make(admin, name="c1", scopes=["readings:write"], collector="c1")["token"]
    admin.cookies.clear()
    own = bearer(token)
    hall.facility.upsert([Device(key="pdu-b", kind="pdu"), Device(key="meter", kind="meter")])
    leased = admin.post("/api/v1/collectors/c1/lease", headers=own, json={})
    assert [device["key"] for device in leased.json()["devices"]] == ["pdu-a"]
    assert admin.post("/api/v1/collectors/c2/lease", headers=own, json={}).status_code == 403
    assert admin.post("/api/v1/ingest", headers=own, json=batch("pdu-a")).json()["accepted"] == 1
    refused = admin.post("/api/v1/ingest", headers=own, json=batch("meter"))
    assert (refused.status_code, refused.json()["rejected"][0]["code"]) == (422, "not_leased")
    event = {"t": 1, "kind": "restart", "device": "meter"}
    assert admin.post("/api/v1/events", headers=own, json={"events": [event]}).status_code == 403
    for method, path in (("GET", "/api/v1/jobs"), ("POST", "/api/v1/jobs"), ("POST", "/api/v1/ingest?create=meter")):
        assert admin.request(method, path, headers=own, json={}).status_code == 403


def test_the_token_of_a_cluster_reports_its_jobs_and_nothing_else(admin, hall):
    token = make(admin, name="prolog", scopes=["jobs:write"], cluster="horeka")["token"]
    admin.cookies.clear()
    own = bearer(token)
    prolog = "/api/v1/jobs/slurm/prolog?job_id=1&node=n1&user=ada&cluster="
    made = admin.post(f"{prolog}horeka", headers=own)
    assert (made.status_code, made.json()["user"]) == (201, "ada")
    assert admin.post(f"{prolog}other", headers=own).status_code == 403
    assert admin.post(prolog, headers=own).status_code == 403
    assert admin.post("/api/v1/jobs/slurm/epilog?job_id=1&node=n1&cluster=horeka", headers=own).status_code == 200
    path = f"/api/v1/jobs/{made.json()['id']}"
    assert admin.delete(path, headers=own).status_code == 403
    assert admin.get(path, headers=own).status_code == 403
    assert admin.post("/api/v1/ingest", headers=own, json={}).status_code == 403


def test_the_token_of_an_operator_acknowledges_and_does_nothing_else(people, sign_in):
    people("omar", "operator")
    token = make(sign_in("omar"), scopes=["operate"])["token"]
    people("ada", "researcher")
    ada = sign_in("ada")
    assert ada.post("/api/v1/tokens", json={"name": "x", "scopes": ["operate"]}).status_code == 403
    ada.cookies.clear()
    assert ada.get("/api/v1/me", headers=bearer(token)).json()["permissions"] == ["operate"]
    silence = {"by": "omar", "end": "2026-11-20T18:00:00Z"}
    assert ada.post("/api/v1/alerts/silences", json=silence, headers=bearer(token)).status_code == 201
    assert ada.post("/api/v1/alerts/7/acknowledge", json={"by": "omar"}, headers=bearer(token)).status_code == 404
    for method, path in (("GET", "/api/v1/alerts"), ("POST", "/api/v1/jobs"), ("PUT", "/api/v1/alerts/rules/failover")):
        assert ada.request(method, path, headers=bearer(token), json={}).status_code == 403


@pytest.mark.parametrize("by_token", [False, True])
def test_an_operator_signs_with_the_own_name(people, sign_in, hall, clock, by_token):
    t = clock.now - 10_000
    hall.health.record_events([DeviceEvent(t, "breaker_open", "pdu-a", "bank/2", "critical", "the breaker is open")])
    evaluate(hall, "me")
    people("omar", "operator")
    omar = sign_in("omar")
    headers = bearer(make(omar, scopes=["operate", "read"])["token"]) if by_token else {}
    if by_token:
        omar.cookies.clear()
    (alert,) = omar.get("/api/v1/alerts", headers=headers).json()["items"]
    address, ask = f"/api/v1/alerts/{alert['id']}", {"json": {"by": "root"}, "headers": headers}
    assert omar.post(f"{address}/acknowledge", **ask).json()["acknowledged"]["by"] == "omar"
    assert "closed by omar" in omar.post(f"{address}/close", **ask).text
    silence = {"json": {"by": "root", "end": "2026-11-20T18:00:00Z"}, "headers": headers}
    assert omar.post("/api/v1/alerts/silences", **silence).json()["by"] == "omar"
