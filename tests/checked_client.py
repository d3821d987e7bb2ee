"""A client of the application that checks every answer against what the OpenAPI document declares for it."""

from __future__ import annotations

import re
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.api.service.document import document, operations
from app.server.application import create_app
from app.settings import Settings
from tests.examples import record

PROBLEM = "application/problem+json"
JSON = ("application/json", PROBLEM)


def client_of(app: FastAPI, **options: Any) -> TestClient:
    """Return a client of which every answer is checked."""
    client = TestClient(app, base_url="http://127.0.0.1", **options)
    client.event_hooks["response"].append(_received)
    return client


def _received(answer: Any) -> None:
    media_type = answer.headers.get("content-type", "").partition(";")[0]
    body = answer.read() if media_type in JSON else b""
    check(answer.request.method, answer.request.url.path, answer.status_code, media_type, body)


def check(method: str, address: str, status: int, media_type: str, body: bytes) -> None:
    """Fail if an answer is not what the document declares."""
    path, method = path_of(address), method.lower()
    if path is None or method not in described()["paths"][path]:
        return
    declared = f"{status // 100}XX" if media_type == PROBLEM else str(status)
    if status == 304:
        return
    if media_type == PROBLEM:
        described_as = operation(path, method)["responses"][declared]["description"]
        assert f"{status} " in described_as, f"{status} is not one of {described_as}"
    responses = operation(path, method)["responses"]
    assert declared in responses, f"{method} {path} does not declare {declared}"
    content = responses[declared].get("content", {})
    if not media_type and not content:
        return
    assert media_type in content, f"{method} {path} answers {media_type}, declared are {list(content)}"
    if body:
        errors = list(_validator(path, method, declared, media_type).iter_errors(_value(body)))
        listed = [f"{'.'.join(map(str, e.instance_path))}: {e.message[:300]}" for e in errors]
        assert not errors, f"{method} {address} ({status}) is not as declared:\n" + "\n".join(listed[:10])
        if status < 300:
            record(operation(path, method)["operationId"], body)


def is_declared(operation_id: str, value: Any) -> bool:
    """Return whether a JSON answer is one that an operation declares."""
    for path, method, found in operations(described()):
        if found["operationId"] == operation_id:
            status = next(status for status in found["responses"] if status.startswith("2"))
            return bool(_validator(path, method, status, "application/json").is_valid(value))
    return False


@cache
def described() -> dict[str, Any]:
    """The OpenAPI document, made once: it is the same for every application."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Settings(data_dir=Path(folder)))
        made = document(app)
        app.state.stores.engine.dispose()
        return made


@cache
def _paths() -> list[tuple[re.Pattern[str], str]]:
    """What matches an address, and its path in the document: with few parameters first, then long ones."""
    paths = sorted(described()["paths"], key=lambda path: (path.count("{"), -len(path), path))
    return [(re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) + r"\Z"), path) for path in paths]


def path_of(address: str) -> str | None:
    """Return the path in the document that an address belongs to."""
    return next((path for pattern, path in _paths() if pattern.match(address)), None)


@cache
def operation(path: str, method: str) -> dict[str, Any]:
    return next(found for p, m, found in operations(described()) if (p, m) == (path, method))


@cache
def _validator(path: str, method: str, status: str, media_type: str) -> Any:
    schema = operation(path, method)["responses"][status]["content"][media_type]["schema"]
    return jsonschema_rs.Draft202012Validator(
        {**schema, "components": described()["components"]}, validate_formats=True
    )


def _value(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except ValueError:
        raise AssertionError(f"the answer is not JSON: {body[:200]!r}") from None
