"""Request bodies of facility objects in the OpenAPI document, as named schemas."""

from __future__ import annotations

from typing import Any

from app.services.facility import BODIES

REF = "#/components/schemas/"


def body_name(kind: str, *, partly: bool = False) -> str:
    """Return the name of the schema of an object, or of a change of it."""
    return f"{kind.capitalize()}{'Change' if partly else 'Body'}"


def request_body(kind: str, *, partly: bool = False) -> dict[str, Any]:
    """Return what a route says about its body; the schema itself is one of `body_schemas`."""
    schema = {"$ref": f"{REF}{body_name(kind, partly=partly)}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def body_schemas() -> dict[str, Any]:
    """Return the schemas of all bodies and of what they refer to; a change requires no key."""
    schemas: dict[str, Any] = {}
    for kind, model in BODIES.items():
        schema = model.model_json_schema(ref_template=f"{REF}{{model}}")
        schemas |= schema.pop("$defs", {})
        schemas[body_name(kind)] = schema
        schemas[body_name(kind, partly=True)] = {name: value for name, value in schema.items() if name != "required"}
    return schemas
