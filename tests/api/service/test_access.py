"""The one gate: tokens, this machine, and pages of other sites."""

import base64

import pytest


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def basic(password):
    return {"Authorization": "Basic " + base64.b64encode(f"me:{password}".encode()).decode()}


def status(client, need, headers=None):
    method, path = {
        "read": ("GET", "/api/v1/jobs"),
        "ingest": ("POST", "/api/v1/polls"),
        "admin": ("POST", "/api/v1/sites"),
    }[need]
    body = {} if method == "GET" else {"json": {"polls": []} if need == "ingest" else {"key": "bnl"}}
    return client.request(method, path, headers=headers, **body).status_code


ALLOWED = {200, 201}


def test_without_tokens_this_machine_may_all(client):
    assert {status(client, need) for need in ("read", "ingest", "admin")} <= ALLOWED


@pytest.mark.parametrize(
    ("token", "may"),
    [("r", {"read"}), ("i", {"read", "ingest"}), ("a", {"read", "ingest", "admin"}), ("x", set()), ("", set())],
)
@pytest.mark.parametrize("header", [bearer, basic])
def test_a_stronger_token_may_all_that_a_weaker_one_may(make_client, token, may, header):
    client = make_client(read_token="r", ingest_token="i", admin_token="a")
    assert {n for n in ("read", "ingest", "admin") if status(client, n, header(token)) in ALLOWED} == may
    refused = 403 if may else 401  # a valid token that may not, and one that is not known
    assert {n for n in ("read", "ingest", "admin") if status(client, n, header(token)) == refused} == {
        "read", "ingest", "admin",
    } - may  # fmt: skip


def test_the_ingest_token_may_change_the_facility_where_there_is_no_admin_token(make_client):
    client = make_client(ingest_token="i")
    assert status(client, "admin", bearer("i")) in ALLOWED
    assert status(client, "admin") == 401
    assert status(client, "read") in ALLOWED


def test_a_refusal_says_how_to_sign_in(make_client):
    """Without a challenge for Basic: browsers would ask with a window of their own instead of the sign-in page."""
    answer = make_client(read_token="r").get("/api/v1/jobs")
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="Wattline"'
    assert "sign in" in answer.json()["hint"]


def test_a_refusal_says_which_token_it_needs_where_a_weaker_one_was_sent(make_client):
    client = make_client(read_token="r", ingest_token="i", admin_token="a")
    refused = client.post("/api/v1/jobs", json={}, headers=bearer("r"))
    assert refused.status_code == 403
    assert "WATTLINE_INGEST_TOKEN" in refused.json()["hint"]


def test_without_tokens_no_one_else_may_anything(make_client):
    client = make_client(host="0.0.0.0")
    answer = client.get("/api/v1/jobs")
    assert (answer.status_code, answer.json()["code"]) == (401, "token_not_set")
    assert "WATTLINE_READ_TOKEN" in answer.json()["hint"]
    assert client.get("/healthz").status_code == 200
    assert status(make_client(host="0.0.0.0", read_token="r"), "read", bearer("r")) in ALLOWED


def test_a_name_that_was_made_to_point_here_may_nothing(client):
    assert client.get("/api/v1/jobs", headers={"Host": "evil.example"}).status_code == 401
    for host in ("localhost:8000", "127.0.0.1:8000", "[::1]:8000"):
        assert client.get("/api/v1/jobs", headers={"Host": host}).status_code == 200


def test_a_page_of_another_site_may_change_nothing(client):
    headers = {"Sec-Fetch-Site": "cross-site"}
    assert client.post("/api/v1/polls", json={"polls": []}, headers=headers).status_code == 403


def test_making_meters_needs_more_than_delivering(make_client):
    client = make_client(ingest_token="i", admin_token="a")
    batch = {
        "device": "wt",
        "interval_s": 1,
        "series": [{"point": "total", "quantity": "power"}],
        "t": [],
        "values": [[]],
    }
    assert client.post("/api/v1/ingest?create=meter", json=batch, headers=bearer("i")).status_code == 403
    assert client.post("/api/v1/ingest?create=meter", json=batch, headers=bearer("a")).status_code == 200
