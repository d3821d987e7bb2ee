"""An unknown query parameter is an error under /api/v1, and ignored by pages and their files."""

import re

import pytest
from fastapi.routing import APIRoute, iter_route_contexts


def api_routes(client):
    """Method, path with every placeholder filled in, and route, of everything that the application serves."""
    for context in iter_route_contexts(client.app.routes):
        route = context.original_route
        if isinstance(route, APIRoute):
            path = re.sub(r"{format}", "csv", re.sub(r"{(?!format)[^}]*}", "nobody", route.path))
            for method in sorted(route.methods - {"HEAD"}):
                yield method, path, route


def test_every_route_of_the_api_rejects_an_unknown_parameter(client):
    tried = 0
    for method, path, _ in api_routes(client):
        if path.startswith("/api/v1"):
            answer = client.request(method, path, params={"zzz_unknown": "1"})
            assert answer.status_code == 422, f"{method} {path}: {answer.status_code}"
            assert answer.headers["content-type"] == "application/problem+json"
            body = answer.json()
            assert (body["code"], body["detail"]) == ("unknown_parameter", "unknown query parameter 'zzz_unknown'")
            assert [item["where"] for item in body["errors"]] == ["query.zzz_unknown"]
            tried += 1
    assert tried > 80


def test_every_route_of_the_api_knows_the_parameters_of_its_description(client):
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    for template, operations in paths.items():
        path = re.sub(r"{format}", "csv", re.sub(r"{(?!format)[^}]*}", "nobody", template))
        for method, operation in operations.items():
            names = [given["name"] for given in operation.get("parameters", []) if given["in"] == "query"]
            if path == "/api/v1/live":  # an answer that does not end
                continue
            answer = client.request(method, path, params=dict.fromkeys(names, "1"))
            assert "unknown_parameter" not in answer.text, f"{method} {path} {names}"


def test_pages_and_their_files_ignore_unknown_parameters(client):
    for path in ("/", "/jobs", "/docs", "/docs/swagger-ui.css"):
        assert client.get(path, params={"utm_source": "mail"}).status_code == 200


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("tags=model:resnet", "did you mean 'tag'? known parameters: cluster, job_id, user, project, node, state, tag"),
        ("limt=5", "did you mean 'limit'? known"),
        ("qqqqqqqq=5", "known parameters: cluster"),
    ],
)
def test_the_nearest_parameter_is_suggested(client, query, hint):
    answer = client.get(f"/api/v1/jobs?{query}")
    assert answer.status_code == 422
    assert answer.json()["hint"].startswith(hint)


def test_every_unknown_parameter_is_named(client):
    answer = client.get("/api/v1/jobs?tags=a&limit=5&frm=1&tags=b")
    assert answer.json()["detail"] == "unknown query parameters 'tags', 'frm'"
    assert [(e["where"], e["hint"].partition("?")[0]) for e in answer.json()["errors"]] == [
        ("query.tags", "did you mean 'tag'"),
        ("query.frm", "did you mean 'from'"),
    ]


def test_a_route_without_parameters_says_so(client):
    assert client.get("/api/v1/jobs/1?view=total").json()["hint"] == "this route has no query parameters"


def test_access_is_checked_before_the_parameters(make_client):
    assert make_client(read_token="r").get("/api/v1/jobs?tags=a").status_code == 401
