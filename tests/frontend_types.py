"""Types of the answers for frontend/js: `python -m tests.frontend_types` writes `frontend/js/api_types.d.ts`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from tests.checked_client import described
from tests.paths import ROOT

TYPES = ROOT / "frontend/js/api_types.d.ts"
HEAD = """\
// The answers of the API, generated from its OpenAPI document by `python -m tests.frontend_types`. Do not edit.
// For the type checker and the reader; no browser loads this file. answers.d.ts has the names that pages use.
"""
_PLAIN = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}


def name_of(ref: str) -> str:
    """Return the name of the schema that a reference names."""
    return ref.rpartition("/")[2]


def type_of(schema: dict[str, Any], indent: str = "") -> str:
    """Return the type of a JSON schema."""
    if "$ref" in schema:
        return name_of(schema["$ref"])
    if "const" in schema:
        return _literal(schema["const"])
    if "enum" in schema:
        return " | ".join(map(_literal, schema["enum"]))
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " | ".join(dict.fromkeys(type_of(one, indent) for one in schema[union]))
    if "allOf" in schema:
        return " & ".join(type_of(one, indent) for one in schema["allOf"])
    kind = schema.get("type")
    if kind == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(type_of(one, indent) for one in schema['prefixItems'])}]"
        item = type_of(schema.get("items", {}), indent)
        return f"({item})[]" if "|" in item else f"{item}[]"
    if kind == "object" or "properties" in schema:
        return _object(schema, indent)
    return _PLAIN.get(str(kind), "any")


def _literal(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else json.dumps(value)


def _object(schema: dict[str, Any], indent: str) -> str:
    more = schema.get("additionalProperties")
    others = type_of(more, indent) if isinstance(more, dict) else "any"
    if "properties" not in schema:
        return f"Record<string, {others}>"
    required = schema.get("required", ())
    lines = [
        f"{indent}  {_key(name)}{'' if name in required else '?'}: {type_of(field, indent + '  ')};"
        for name, field in schema["properties"].items()
    ]
    if more:
        lines.append(f"{indent}  [more: string]: {others if more is not True else 'any'};")
    return "\n".join(["{", *lines, f"{indent}}}"])


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_$][\w$]*", name) else f"'{name}'"


def _used(schemas: dict[str, Any], roots: Iterable[str]) -> list[str]:
    waiting, found = list(roots), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            refs = re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(schemas[name]))
            waiting += refs
    return sorted(found)


def types() -> str:
    """Return the file: every schema that a successful answer holds."""
    document = described()
    schemas = document["components"]["schemas"]
    answers = [
        answer
        for methods in document["paths"].values()
        for operation in methods.values()
        for status, answer in operation["responses"].items()
        if status.startswith("2")
    ]
    roots = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(answers)))
    parts = [HEAD]
    for name in _used(schemas, roots):
        schema = schemas[name]
        comment = " ".join(str(schema.get("description", "")).split())
        about = f"/** {comment} */\n" if comment else ""
        body = type_of(schema)
        parts.append(f"{about}export type {name} = {body};\n")
    return "\n".join(parts)


if __name__ == "__main__":
    TYPES.write_text(types(), encoding="utf-8")
