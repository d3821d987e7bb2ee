"""Requests made from the OpenAPI document by schemathesis, with a fixed seed, as everyone: no answer is a 5xx."""

from __future__ import annotations

import json
import os
from itertools import cycle
from typing import Any

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import Case

from app.api.service.document import document
from app.server.application import create_app
from app.settings import Settings
from tests.api import hall

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("WATTLINE_TEST_EXAMPLES", "4"))
TOKENS = {"no one": None, "viewer": "r", "collector": "i", "admin": "a"}
STREAMS = {"/api/v1/live"}
"""Answers without an end."""
SEED = 16


@pytest.fixture
def client(sqlite_engine, tmp_path):
    tokens = {"read_token": "r", "ingest_token": "i", "admin_token": "a"}
    app = create_app(Settings(data_dir=tmp_path, **tokens), lambda: hall.NOW, sqlite_engine)
    hall.build(app.state.stores)
    return TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)


def sent(client: TestClient, case: Case, token: str | None) -> Any:
    """Send a case with a token, whatever credentials schemathesis made up for it."""
    request = case.as_transport_kwargs(base_url="http://127.0.0.1")
    headers = {name: value for name, value in dict(request["headers"]).items() if name.lower() != "authorization"}
    body = {"content": request["data"]} if request.get("data") is not None else {}
    if "json" in request:
        body = {"content": json.dumps(request["json"]).encode()}
        headers["Content-Type"] = "application/json"
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    return client.request(request["method"], request["url"], params=request.get("params"), headers=headers, **body)


def test_no_request_is_a_failure_of_the_server(client):
    schema = schemathesis.openapi.from_dict(json.loads(json.dumps(document(client.app))))
    failed: list[str] = []
    others = cycle([(role, token) for role, token in TOKENS.items() if role != "admin"])
    statuses: dict[int, int] = {}
    for result in schema.get_all_operations():
        operation = result.ok()

        @seed(SEED)
        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def send(case: Case) -> None:
            for role, token in (("admin", TOKENS["admin"]), next(others)):
                answer = sent(client, case, token)
                statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
                if answer.status_code >= 500:
                    failed.append(f"{role}: {case.as_curl_command()} -> {answer.status_code} {answer.text[:200]}")

        if operation.path not in STREAMS:
            send()
    assert not failed, "\n".join(failed)
    assert statuses[200] > 100
    assert {401, 403, 404, 422} <= set(statuses)
