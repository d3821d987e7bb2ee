"""Requests made from the OpenAPI document by schemathesis, with a fixed seed, as every role and every scope of tokens.

No answer is a 5xx. Who may not is refused, 401 without credentials and 403 with them; who may is not.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from itertools import cycle
from typing import Any

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import Case

from app.api.service.document import document
from app.server.application import create_app
from app.services.access import start_session
from app.services.access.secret_text import digest
from app.settings import Settings
from app.store.access import ApiToken, User
from tests.api import hall
from tests.api.permissions import MACHINES_ONLY, ROLES, SCOPES, may

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("WATTLINE_TEST_EXAMPLES", "4"))
SEED = 16
STREAMS = {"/api/v1/live"}
"""Answers without an end."""
OTHERS = ("nobody", *sorted(ROLES - {"admin"}), *(f"token:{scope}" for scope in SCOPES))
"""Each operation is tried by the administrator and by four of them in turn: its neighbours by the next four."""
SIGN_ON = {
    "/sign-in/oidc": {"next"},
    "/sign-in/oidc/callback": {"code", "state", "iss", "error"},
}
"""Addresses for browsers that the document does not name, with their query parameters."""
NEW = {
    "/api/v1/search", "/api/v1/probes", "/api/v1/nodes/{key}/figure.svg", "/api/v1/device-login",
    "/api/v1/device-login/{user_code}", "/api/v1/budgets", "/api/v1/sign-in", *SIGN_ON,
}  # fmt: skip
OF_THE_USER = {
    ("POST", "/api/v1/session"): "a wrong password",
    ("PUT", "/api/v1/me/password"): "a wrong password",
    ("GET", "/api/v1/device-login/{user_code}"): "a token lets no command in",
    ("POST", "/api/v1/device-login/{user_code}"): "a token lets no command in",
    ("GET", "/api/v1/tokens"): "the tokens of others",
    ("POST", "/api/v1/tokens"): "scopes beyond the own roles",
    ("POST", "/api/v1/jobs"): "a job of another user",
    ("POST", "/api/v1/jobs/slurm/prolog"): "a user reports no jobs of a cluster",
    ("POST", "/api/v1/jobs/slurm/epilog"): "a user reports no jobs of a cluster",
    ("GET", "/api/v1/views/my-energy"): "a token of a machine has no energy",
    ("GET", "/api/v1/me/data.json"): "a token of a machine has no data",
}
"""What may be refused although the route may be used, and why."""


class Site:
    """A server with a user of every role and a token of a machine for every scope."""

    def __init__(self, engine: Any, folder: Any) -> None:
        self.app = create_app(
            Settings(
                data_dir=folder,
                host="0.0.0.0",
                oidc_issuer="https://127.0.0.1:1",
                oidc_client_id="wattline",
                group_roles={"*": ["viewer"]},
            ),
            lambda: hall.NOW,
            engine,
        )
        self.stores = self.app.state.stores
        hall.build(self.stores)
        for role in ROLES:
            self.stores.users.create(User(role, (role,)))
        for scope in SCOPES:
            token = ApiToken(scope, digest(f"wl_{scope}"), "wl_", scope, (scope,), "admin", hall.NOW)
            self.stores.tokens.create(token)
        self.client = TestClient(self.app, base_url="http://127.0.0.1", raise_server_exceptions=False)

    def credentials(self, who: str) -> dict[str, str]:
        """Return the headers that prove who sends a request."""
        kind, _, scope = who.partition(":")
        if kind == "nobody":
            return {}
        if kind == "token":
            return {"Authorization": f"Bearer wl_{scope}"}
        cookie, _ = start_session(self.stores, who, "")
        return {"Cookie": f"wattline_session={cookie}"}

    def send(self, case: Case, who: str) -> Any:
        """Send a case, whatever credentials schemathesis made up for it."""
        request = case.as_transport_kwargs(base_url="http://127.0.0.1")
        made_up = {"authorization", "cookie"}
        headers = {name: value for name, value in dict(request["headers"]).items() if name.lower() not in made_up}
        body = {"content": request["data"]} if request.get("data") is not None else {}
        if "json" in request:
            body = {"content": json.dumps(request["json"]).encode()}
            headers["Content-Type"] = "application/json"
        self.client.cookies.clear()
        return self.client.request(
            request["method"],
            request["url"],
            params=request.get("params"),
            headers=headers | self.credentials(who),
            follow_redirects=False,
            **body,
        )


def whole_document(app: Any) -> Any:
    """Return the document with the addresses that it leaves out."""
    made = json.loads(json.dumps(document(app)))
    for path, names in SIGN_ON.items():
        parameters = [{"name": name, "in": "query", "schema": {"type": "string"}} for name in sorted(names)]
        made["paths"][path] = {"get": {"parameters": parameters, "responses": {"303": {"description": "onward"}}}}
    return made


def judge(case: Case, who: str, status: int) -> str | None:
    """Return what is wrong with the status of an answer."""
    route = (case.method.upper(), case.operation.path)
    need = case.operation.definition.raw.get("x-permission", "public")
    allowed = may(who, need) and (who == "admin" or who.startswith("token:") or route not in MACHINES_ONLY)
    if status >= 500:
        return "a failure of the server"
    if not allowed:
        return None if status == (401 if who == "nobody" else 403) else f"{need} is not refused"
    return f"{need} is refused" if status in (401, 403) and route not in OF_THE_USER else None


def test_no_request_is_a_failure_of_the_server_and_roles_may_what_the_table_says(sqlite_engine, tmp_path):
    site = Site(sqlite_engine, tmp_path)
    schema = schemathesis.openapi.from_dict(whole_document(site.app))
    wrong: list[str] = []
    others = cycle(OTHERS)
    statuses: Counter[int] = Counter()
    asked: Counter[str] = Counter()
    paths = set()
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
            for who in ("admin", next(others)):
                answer = site.send(case, who)
                statuses[answer.status_code] += 1
                asked[who] += 1
                if why := judge(case, who, answer.status_code):
                    wrong.append(f"{who}: {why}: {case.as_curl_command()} -> {answer.status_code} {answer.text[:200]}")

        if operation.path not in STREAMS:
            paths.add(operation.path)
            send()
    assert not wrong, "\n".join(wrong)
    assert set(asked) == {"admin", *OTHERS}
    assert paths >= NEW
    assert statuses[200] > 100
    assert {401, 403, 404, 422} <= set(statuses)
