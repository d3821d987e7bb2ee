"""The gate decides on headers alone: what it refuses is never received."""

import asyncio

import pytest

from app.errors import Unavailable

LARGE = str(60 * 2**20)


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def ask(app, method, path, headers=()):
    """Send a request whose body must not be received; return the status and headers of the answer."""

    async def receive():
        pytest.fail("the body was received")

    sent = []

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), *headers],
        "client": ("10.0.0.1", 1234),
        "server": ("10.0.0.2", 8000),
        "scheme": "http",
        "http_version": "1.1",
    }
    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], dict(sent[0]["headers"])


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/v1/jobs"),
        ("PATCH", "/api/v1/jobs/some"),
        ("POST", "/api/v1/ingest"),
        ("POST", "/api/v1/facility"),
        ("PUT", "/api/v1/sites/a/factors/pue/series.csv"),
    ],
)
def test_without_a_token_no_body_is_received(make_client, method, path):
    app = make_client(read_token="r", ingest_token="i", admin_token="a").app
    length = [(b"content-type", b"application/json"), (b"content-length", LARGE.encode())]
    status, headers = ask(app, method, path, length)
    assert status == 401
    assert b"content-security-policy" in headers
    assert ask(app, method, path, [*length, (b"authorization", b"Bearer r")])[0] == 403
    assert ask(app, method, path, [*length, (b"authorization", b"Bearer wrong")])[0] == 401


def test_every_route_is_behind_the_gate(make_client):
    """Each route that needs something refuses a stranger before its body is received."""
    client = make_client(read_token="r", ingest_token="i", admin_token="a")
    document = client.get("/api/v1/openapi.json", headers=bearer("r")).json()
    answers = {
        (path, method): ask(client.app, method.upper(), path.replace("{", "").replace("}", ""))[0]
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if operation.get("x-permission")
    }
    assert len(answers) > 60
    assert {route for route, status in answers.items() if status != 401} == set()


def test_a_body_that_is_announced_too_large_is_not_received(make_client):
    app = make_client(ingest_token="i").app
    token = (b"authorization", b"Bearer i")
    small = ask(app, "POST", "/api/v1/jobs", [token, (b"content-length", str(2**20 + 1).encode())])
    large = ask(app, "POST", "/api/v1/ingest", [token, (b"content-length", str(64 * 2**20 + 1).encode())])
    assert (small[0], large[0]) == (413, 413)


def test_a_body_that_grows_too_large_is_a_413(make_client):
    client = make_client()

    def body():
        for _ in range(17):
            yield b" " * 65536

    answer = client.post("/api/v1/jobs", content=body(), headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    one_mebibyte = b'{"key": "bnl"}'.ljust(2**20)
    answer = client.post("/api/v1/sites", content=one_mebibyte, headers={"Content-Type": "application/json"})
    assert answer.status_code == 201


def test_who_tries_tokens_has_to_wait(make_client):
    client = make_client(read_token="r")
    for n in range(10):
        assert client.get("/api/v1/jobs", headers=bearer(f"guess-{n}")).status_code == 401
    answer = client.get("/api/v1/jobs", headers=bearer("guess-10"))
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert client.get("/api/v1/jobs", headers=bearer("r")).status_code == 429  # or a guess would show itself
    assert client.get("/healthz").status_code == 200


def test_who_tries_passwords_has_to_wait(make_client):
    """The same name with ten passwords, or one password with ten names: each attempt counts."""
    client = make_client(read_token="r")
    for n in range(10):
        body = {"user": f"ada{n % 2}", "password": f"password {n}"}
        assert client.post("/api/v1/session", json=body).status_code == 401
    answer = client.post("/api/v1/session", json={"user": "ada", "password": "password"})
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
    assert client.get("/api/v1/sign-in").status_code == 200


def test_a_form_on_another_port_of_this_host_changes_nothing(client):
    headers = {"Origin": "http://127.0.0.1:9999", "Sec-Fetch-Site": "same-site"}
    answer = client.post("/api/v1/sites", json={"key": "forged"}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin")
    assert client.get("/api/v1/sites").json()["items"] == []
    own = {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-origin"}
    assert client.post("/api/v1/sites", json={"key": "bnl"}, headers=own).status_code == 201


@pytest.mark.parametrize("header", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP", "Via"])
def test_local_mode_is_off_for_what_a_proxy_passes_on(client, header):
    answer = client.get("/api/v1/jobs", headers={header: "127.0.0.1"})
    assert (answer.status_code, answer.json()["code"]) == (401, "token_not_set")
    assert "proxy" in answer.json()["detail"]


def test_local_mode_can_be_off(make_client):
    assert make_client(local_mode=False).get("/api/v1/jobs").status_code == 401


@pytest.mark.parametrize("error", [ValueError("a bug"), Unavailable("gone")])
def test_errors_carry_the_security_headers(client, monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(client.app.state.stores.jobs, "list", fail)
    answer = client.get("/api/v1/jobs")
    assert answer.status_code in (500, 503)
    for name in ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy"):
        assert name in answer.headers


STRANGE = ["[", "[::1", "a b", "", "\x80", "127.0.0.1:99999", "127.0.0.1:x", "@", "127.0.0.1@evil"]


@pytest.mark.parametrize("host", STRANGE)
def test_a_strange_host_is_no_failure(client, host):
    answer = client.get("/api/v1/jobs", headers={"Host": host.encode("latin-1")})
    assert answer.status_code in (200, 400, 401)
    assert answer.status_code != 200 or host in ("127.0.0.1:99999", "127.0.0.1:x")
