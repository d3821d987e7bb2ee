"""The OpenAPI document: what FastAPI derives from the routes, with tags, security and examples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import resources
from typing import Any, Literal

import orjson
from fastapi import FastAPI
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic import TypeAdapter

from app.api.alerts import AlertRuleBody
from app.api.devices import IngestBody
from app.api.facility import body_schemas
from app.api.http import Access, Problem
from app.api.slurm import SlurmJobsBody
from app.services.live import LiveValues

Json = dict[str, Any]

TAGS = {
    "jobs": "Register jobs, read their energy and power, and download their readings.",
    "studies": "Compare repeated runs and power caps.",
    "figures": "Curves as SVG, drawn on the server (needs `wattline[figures]`).",
    "reports": "Files to keep and to print.",
    "accounts": "Energy, cost and carbon by user, project, rack and day; the factors of a site.",
    "headroom": "Rated, usable and observed power; capacity, what-if scenarios and checks of meters.",
    "alerts": "Active and past alerts, and their rules.",
    "facility": "Sites, rooms, racks, models, devices, nodes, shared supplies and auths.",
    "ingest": "Deliver readings.",
    "collectors": "Leases, failed polls and events of collectors.",
    "access": "Sign in, users, API tokens and the audit log.",
    "live": "Latest values as server-sent events.",
    "health": "State of the server, and its metrics.",
    "views": "What the pages of the dashboard show, figures included. These may change in any release.",
}
_SCHEMES: Json = {
    "token": {"type": "http", "scheme": "bearer", "description": "a token of the server (`WATTLINE_…_TOKEN`)"},
    "password": {"type": "http", "scheme": "basic", "description": "the token as password, with any user name"},
}
_OMITTED = "x-may-be-omitted"
_REF = "#/components/schemas/"
_PAGE = re.compile(r"\bPage_(\w+?)(?:Answer)?_(?!\w)")


def document(app: FastAPI) -> Json:
    """Return the OpenAPI document of the application, made once."""
    found: Json | None = getattr(app.state, "openapi", None)
    if found is None:
        found = app.state.openapi = _document(app)
    return found


def _document(app: FastAPI) -> Json:
    made: Json = _named(app.openapi())
    schemas: Json = made["components"]["schemas"]
    for type_ in (Problem, LiveValues):
        schemas |= _named(_schemas(type_))
    schemas |= _named(body_schemas())
    for body in (IngestBody, AlertRuleBody, SlurmJobsBody):
        schemas |= _named(_schemas(body, "validation"))
    made["components"]["securitySchemes"] = _SCHEMES
    if prefix := app.state.stores.settings.path_prefix:
        made["servers"] = [{"url": prefix}]
    made["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
    needs = dict(_needs(app))
    examples: Json = orjson.loads(resources.files("app.api.service").joinpath("examples.json").read_bytes())
    for path, method, operation in operations(made):
        need = needs[path, method]
        for content in operation.get("requestBody", {}).get("content", {}).values():
            if "$ref" in content["schema"]:  # FastAPI adds to it what it derives from the route
                content["schema"] = {"$ref": content["schema"]["$ref"]}
        operation["security"] = [] if need == "public" else [{scheme: [need]} for scheme in _SCHEMES]
        if need != "public":
            operation["x-permission"] = need
        if (example := examples.get(operation["operationId"])) is not None:
            for content in _json_answers(operation):
                content["example"] = example
    for name in schemas.keys() - _asked(made):
        _require_what_is_always_sent(schemas[name])
    return made


def _named(part: Any) -> Any:  # noqa: ANN401 (any JSON)
    """Return a part of the document with plain names of generic schemas and without pydantic's titles.

    Generators of clients would name every `Page_…_` after its title `Page`.
    """
    if isinstance(part, str):
        return _PAGE.sub(r"\1Page", part)
    if isinstance(part, list):
        return [_named(item) for item in part]
    if not isinstance(part, dict):
        return part
    return {_named(name): _named(value) for name, value in part.items() if not _is_title(part, name)}


def _is_title(part: Json, name: str) -> bool:
    """Return whether this is the title of a schema; a field may be called so, and the document has one."""
    return name == "title" and isinstance(part[name], str) and "version" not in part


def operations(made: Json) -> Iterator[tuple[str, str, Json]]:
    """Yield path, method and description of every operation of a document."""
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _json_answers(operation: Json) -> Iterator[Json]:
    """Yield the content of the successful answers of an operation, as far as they are JSON."""
    for status, answer in operation["responses"].items():
        if status.startswith("2") and "application/json" in answer.get("content", {}):
            yield answer["content"]["application/json"]


def _schemas(type_: Any, mode: Literal["serialization", "validation"] = "serialization") -> Json:  # noqa: ANN401
    schema = TypeAdapter(type_).json_schema(mode=mode, ref_template=f"{_REF}{{model}}")
    return {**schema.pop("$defs", {}), type_.__name__: schema}


def _needs(app: FastAPI) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the permission that each path and method needs."""
    for context in iter_route_contexts(app.routes):
        if isinstance(context.original_route, APIRoute):
            gates = [d.call for d in context.dependant.dependencies if isinstance(d.call, Access)]
            for method in context.methods or ():
                yield (str(context.path), method.lower()), gates[0].need


def _asked(made: Json) -> set[str]:
    """Return the names of the schemas that request bodies refer to."""
    schemas = made["components"]["schemas"]
    waiting = [ref for *_, operation in operations(made) for ref in _refs(operation.get("requestBody"))]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _refs(schemas[name])
    return found


def _refs(part: Any) -> Iterable[str]:  # noqa: ANN401 (any JSON)
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"].removeprefix(_REF)
        for value in part.values():
            yield from _refs(value)
    elif isinstance(part, list):
        for value in part:
            yield from _refs(value)


def _require_what_is_always_sent(schema: Json) -> None:
    """Mark the fields of an answer as required, also those with a default, unless they may be omitted."""
    properties: Json = schema.get("properties", {})
    sent = [name for name, field in properties.items() if not field.pop(_OMITTED, False)]
    for field in properties.values():
        field.pop("default", None)
    if sent:
        schema["required"] = sent
