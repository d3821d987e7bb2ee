"""Signing in and out: local accounts, sessions, one-time links, built-in tokens."""

import pytest

from app.services.access import first_link, passwords
from app.services.stores import Stores
from tests.api.access.conftest import PASSWORD

HOUR_MS = 3_600_000


def test_a_user_signs_in_and_out(closed, people, sign_in):
    people("ada", "researcher")
    assert closed.get("/api/v1/me").status_code == 401
    client = sign_in("ada")
    me = client.get("/api/v1/me").json()
    assert (me["name"], me["how"], me["roles"], me["permissions"]) == (
        "ada", "session", ["researcher"], ["jobs:write", "read"],
    )  # fmt: skip
    assert client.get("/api/v1/jobs").status_code == 200
    assert client.delete("/api/v1/session").status_code == 200
    assert client.get("/api/v1/me").status_code == 401


def test_a_session_is_kept_by_the_browser_alone_and_its_hash_by_the_server(closed, people, sign_in):
    people("ada", "viewer")
    closed.post("/api/v1/session", json={"user": "ada", "password": PASSWORD})
    (cookie,) = [c for c in closed.cookies.jar if c.name == "wattline_session"]
    assert cookie.has_nonstandard_attr("HttpOnly")
    assert cookie.get_nonstandard_attr("SameSite") == "lax"
    stores: Stores = closed.app.state.stores
    assert stores.sessions.get(cookie.value, 0) is None, "stored is the hash"


def test_under_tls_the_cookie_belongs_to_this_host_alone(closed, people):
    people("ada", "viewer")
    closed.base_url = "https://127.0.0.1"
    answer = closed.post("/api/v1/session", json={"user": "ada", "password": PASSWORD})
    header = answer.headers["set-cookie"]
    assert header.startswith("__Host-wattline_session=")
    assert "; Secure" in header
    assert "; Path=/" in header
    assert "Domain" not in header
    assert closed.get("/api/v1/me").status_code == 200
    closed.cookies.clear()
    closed.cookies.set("wattline_session", header.partition("=")[2].partition(";")[0])
    assert closed.get("/api/v1/me").status_code == 401, "a cookie without the prefix may come from another host"


def test_a_wrong_name_and_a_wrong_password_give_the_same_answer(closed, people):
    people("ada", "viewer")
    people("bob", "viewer", disabled=True)
    people("eve", "viewer", origin="oidc")
    answers = [
        closed.post("/api/v1/session", json={"user": user, "password": password})
        for user, password in (("ada", "wrong"), ("nobody", PASSWORD), ("bob", PASSWORD), ("eve", PASSWORD), ("", ""))
    ]
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.content for answer in answers}) == 1


def test_whoever_tries_many_passwords_has_to_wait(closed, people):
    people("ada", "viewer")
    tries = [closed.post("/api/v1/session", json={"user": "ada", "password": f"guess {i}"}) for i in range(11)]
    assert [answer.status_code for answer in tries] == [401] * 10 + [429]
    right = closed.post("/api/v1/session", json={"user": "ada", "password": PASSWORD})
    assert right.status_code == 429
    assert int(right.headers["Retry-After"]) > 0


def test_a_session_ends_with_its_time(closed, people, sign_in, clock):
    people("ada", "viewer")
    client = sign_in("ada")
    clock.now += 24 * HOUR_MS - 1
    assert client.get("/api/v1/me").status_code == 200
    clock.now += 1
    assert client.get("/api/v1/me").status_code == 401


def test_a_disabled_or_deleted_user_is_signed_out(closed, people, sign_in):
    stores: Stores = closed.app.state.stores
    people("ada", "viewer")
    client = sign_in("ada")
    stores.users.change("ada", disabled=True)
    assert client.get("/api/v1/me").status_code == 401
    stores.users.change("ada", disabled=False)
    assert client.get("/api/v1/me").status_code == 200
    stores.users.remove("ada")
    assert client.get("/api/v1/me").status_code == 401


def test_a_changed_password_ends_the_other_sessions(closed, people, sign_in):
    people("ada", "viewer")
    other = sign_in("ada").cookies["wattline_session"]
    client = sign_in("ada")
    given = {"old": PASSWORD, "new": "another long password"}
    assert client.put("/api/v1/me/password", json=given | {"new": "short"}).status_code == 422
    assert client.put("/api/v1/me/password", json=given | {"old": "wrong"}).status_code == 401
    assert client.put("/api/v1/me/password", json=given).status_code == 204
    assert client.get("/api/v1/me").status_code == 200
    client.cookies.clear()
    client.cookies.set("wattline_session", other)
    assert client.get("/api/v1/me").status_code == 401
    assert client.post("/api/v1/session", json={"user": "ada", "password": given["new"]}).status_code == 201


def test_the_first_administrator_comes_by_a_one_time_link(closed, clock):
    stores: Stores = closed.app.state.stores
    assert closed.get("/api/v1/sign-in").json()["first_start"]
    code, until_ms = first_link(stores)
    assert until_ms == clock.now + 24 * HOUR_MS
    assert closed.post("/api/v1/link", json={"code": "x"}).status_code == 404
    assert closed.post("/api/v1/link", json={"code": code}).json() == {"purpose": "first administrator", "user": None}
    body = {"code": code, "user": "root", "password": PASSWORD}
    assert closed.post("/api/v1/link/accept", json=body | {"user": "not a name"}).status_code == 422
    answer = closed.post("/api/v1/link/accept", json=body)
    assert answer.status_code == 201
    assert closed.get("/api/v1/me").json()["roles"] == ["admin"]
    assert closed.post("/api/v1/link/accept", json=body | {"user": "second"}).status_code == 404
    assert first_link(stores) is None
    assert not closed.get("/api/v1/sign-in").json()["first_start"]


def test_a_link_expires_and_a_new_one_replaces_it(closed, clock):
    stores: Stores = closed.app.state.stores
    old, _ = first_link(stores)
    new, until_ms = first_link(stores)
    assert closed.post("/api/v1/link", json={"code": old}).status_code == 404
    assert closed.post("/api/v1/link", json={"code": new}).status_code == 200
    clock.now = until_ms
    assert closed.post("/api/v1/link", json={"code": new}).status_code == 404


def test_a_browser_signs_in_with_a_built_in_token(make_client):
    client = make_client(host="0.0.0.0", read_token="the read token")
    assert client.get("/api/v1/sign-in").json()["tokens"]
    assert client.post("/api/v1/session", json={"token": "wrong"}).status_code == 401
    assert client.post("/api/v1/session", json={"token": "the read token"}).status_code == 201
    assert client.get("/api/v1/me").json()["permissions"] == ["read", "what-if"]
    assert client.get("/").status_code == 200
    changed = make_client(host="0.0.0.0", read_token="another token")
    changed.cookies = client.cookies
    assert changed.get("/api/v1/me").status_code == 401, "the token was changed"


def test_a_page_leads_to_the_sign_in_page_and_back(closed):
    answer = closed.get("/jobs?user=ada", headers={"Accept": "text/html"}, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/sign-in?next=%2Fjobs%3Fuser%3Dada"
    page = closed.get("/sign-in")
    assert page.status_code == 200
    assert closed.get("/welcome").status_code == 200
    assert closed.get("/api/v1/jobs", headers={"Accept": "text/html"}).status_code == 401


@pytest.mark.parametrize("password", ["", "eleven char", "x" * 257])
def test_a_password_has_twelve_to_256_characters(closed, password):
    code, _ = first_link(closed.app.state.stores)
    answer = closed.post("/api/v1/link/accept", json={"code": code, "user": "root", "password": password})
    assert answer.json()["code"] == "bad_password"


def test_passwords_are_kept_as_argon2id_hashes(closed, people, monkeypatch):
    monkeypatch.undo()
    passwords._hasher.cache_clear()
    made = passwords.hash_password(PASSWORD)
    assert made.startswith("$argon2id$v=19$m=65536,t=3,p=4$"), "RFC 9106, second recommended option"
    assert passwords.is_password(made, PASSWORD)
    assert not passwords.is_password(made, PASSWORD + "x")
    assert not passwords.is_password(None, PASSWORD)
