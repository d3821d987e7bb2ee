"""The tables of keys in docs/facility.md are those of the declared fields.

`python -m tests.facility.test_key_tables` writes them.
"""

from app.services.facility.schema import ENTRIES, TABLES
from tests.paths import DOCS

DOCUMENT = DOCS / "facility.md"
BEGIN, END = "<!-- keys: python -m tests.facility.test_key_tables -->\n", "<!-- end of keys -->\n"
NAMES = {"string": "text", "number": "number", "integer": "whole number", "boolean": "true or false"}


def resolved(part, definitions):
    """A part of a JSON schema without its null alternative and its reference."""
    part = next((option for option in part.get("anyOf", ()) if option.get("type") != "null"), part)
    return definitions[part["$ref"].removeprefix("#/$defs/")] if "$ref" in part else part


def value_text(part):
    """What may be written, in a few words."""
    if "enum" in part:
        return ", ".join(f"`{v}`" for v in part["enum"])
    if part["type"] == "array":
        return "list of texts"
    return "table" if part["type"] == "object" else NAMES[part["type"]]


def default_text(name, part, required):
    """What counts where the key is omitted."""
    if name in required:
        return "required"
    default = part.get("default")
    return "" if default in (None, []) else f"`{default}`"


def rows(schema, prefix=""):
    """One line of the table for every key, those of inner tables after their table."""
    definitions = schema.get("$defs", {})
    for name, part in schema["properties"].items():
        inner = resolved(part, definitions)
        default = default_text(name, part, schema.get("required", ()))
        yield f"| `{prefix}{name}` | {value_text(inner)} | {default} | {part['description']} |"
        if inner["type"] == "object":
            yield from rows(inner | {"$defs": definitions}, f"{prefix}{name}.")


def tables():
    """The tables of all kinds, in the order of the file."""
    parts = []
    for kind, entry in ENTRIES.items():
        title = "[site]" if kind == "site" else f"[{TABLES[kind]}.KEY]"
        first = ["| `key` | text | required | short name of the site |"] if kind == "site" else []
        head = [f"### `{title}`", "", "| key | value | default | meaning |", "|---|---|---|---|"]
        parts.append("\n".join([*head, *first, *rows(entry.model_json_schema()), ""]))
    return "\n".join(parts)


def test_the_document_shows_the_declared_keys():
    text = DOCUMENT.read_text("utf-8")
    written = text[text.index(BEGIN) + len(BEGIN) : text.index(END)]
    assert written.strip() == tables().strip(), "run python -m tests.facility.test_key_tables"


if __name__ == "__main__":
    whole = DOCUMENT.read_text("utf-8")
    before, _, rest = whole.partition(BEGIN)
    DOCUMENT.write_text(f"{before}{BEGIN}\n{tables()}\n{END}{rest.partition(END)[2]}", "utf-8")
