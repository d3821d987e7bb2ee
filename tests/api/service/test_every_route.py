"""What holds for every route: it is described, it passes the one gate, and its errors have one shape."""

import re

import pytest
from fastapi.routing import iter_route_contexts

from app.api.http import dependencies
from app.api.http.dependencies import Access, get_context

KEYS = {"type", "title", "status", "code", "detail", "hint", "retryable", "instance"}
TOKENS = {"read_token": "r", "ingest_token": "i", "admin_token": "a"}


def routes(client):
    return [stores for stores in iter_route_contexts(client.app.routes) if stores.path is not None]


def calls(client):
    """Method, a path in which every parameter is `nobody`, and the route."""
    for route in routes(client):
        for method in sorted(route.methods - {"HEAD"}):
            yield method, re.sub(r"{format}", "csv", re.sub(r"{(?!format)[^}]*}", "nobody", route.path)), route


def problem(answer, status):
    assert answer.status_code == status, (str(answer.request.url), answer.text)
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body.keys() - {"errors"} == KEYS
    assert body["status"] == status
    assert body["instance"] == answer.request.url.path
    assert body["code"]
    assert body["detail"]
    assert body["hint"]
    return body


def test_there_are_routes(client):
    paths = {route.path for route in routes(client)}
    assert {"/api/v1/ingest", "/api/v1/jobs/{id}", "/metrics", "/docs", "/"} <= paths


def test_every_route_passes_the_gate_once(client):
    for route in routes(client):
        gates = [d.call for d in route.dependant.dependencies if isinstance(d.call, Access)]
        assert len(gates) == 1, route.path
        assert route.dependant.dependencies[0].call is gates[0], f"{route.path}: the gate comes first"


def test_every_route_of_the_reference_is_described(client):
    document = client.get("/api/v1/openapi.json").json()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert operation.get("summary"), f"{method} {path}"
            assert operation["tags"], f"{method} {path}"
            described = operation["responses"]["4XX"]["content"]["application/problem+json"]["schema"]
            assert described == {"$ref": "#/components/schemas/Problem"}
    described = document["components"]["schemas"]["Problem"]["properties"]
    assert described.keys() - {"errors"} == KEYS


def test_references_of_the_document_lead_somewhere(client):
    answer = client.get("/api/v1/openapi.json")
    schemas = answer.json()["components"]["schemas"]
    assert {ref.rpartition("/")[2] for ref in re.findall(r'"\$ref":"([^"]+)"', answer.text)} <= set(schemas)


def test_without_a_token_every_route_but_the_public_ones_answers_401(make_client):
    client = make_client(**TOKENS)
    for method, path, route in calls(client):
        (gate,) = [d.call for d in route.dependant.dependencies if isinstance(d.call, Access)]
        if gate.need != "public":
            assert problem(client.request(method, path), 401)["code"] == "unauthorized"


def test_a_method_that_is_not_there_is_a_405(client):
    for path in {path for _, path, _ in calls(client)}:
        assert problem(client.request("PROPFIND", path), 405)["code"] == "method_not_allowed"


def test_an_address_that_is_not_there_is_a_404(client):
    for path in ("/api/v1/typo", "/api/v2/jobs", "/js/nope.js", "/api/v1/jobs/1/2/3", "/api"):
        assert problem(client.get(path, headers={"Accept": "text/html"}), 404)["code"] == "not_found"


def test_a_fault_of_ours_is_reported_without_its_insides(client, caplog, monkeypatch):
    def broken(*_):
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr(dependencies, "seen_by", broken)
    for method, path, route in calls(client):
        if any(d.call is get_context for d in route.dependant.dependencies):
            body = {"json": {}} if method in ("POST", "PATCH") else {}
            assert "42" not in str(problem(client.request(method, path, **body), 500))
    assert "the secret is 42" in caplog.text


def test_bodies_that_are_not_json_are_refused(client, hall):
    for method, path, route in calls(client):
        if method in ("POST", "PATCH") and not path.endswith(("/ingest", "/facility", "/link", "/test")):
            answer = client.request(method, path, content=b"{", headers={"Content-Type": "application/json"})
            problem(answer, answer.status_code)
            assert answer.status_code in (400, 422), f"{method} {path}"
            assert route.path


def test_an_address_that_no_database_can_hold_is_refused(client):
    for path in ("/api/v1/jobs/a%00b", "/api/v1/jobs?user=%00", "/api/v1/devices/%00"):
        assert problem(client.get(path), 400)["code"] == "bad_request"


@pytest.mark.parametrize("path", ["/docs", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js"])
def test_the_reference_is_served_from_here(client, path):
    answer = client.get(path)
    assert answer.status_code == 200
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    if path == "/docs":
        assert not re.findall(r"https?://", answer.text)
        files = set(re.findall(r'(?:src|href)="([^"]+)"', answer.text))
        assert {file for file in files if not file.startswith("/static/")} == {
            "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js", "/api/v1/openapi.json",
        }  # fmt: skip


def test_there_are_no_other_files_beside_the_reference(client):
    problem(client.get("/docs/index.html"), 404)
