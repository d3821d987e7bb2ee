"""The OpenAPI document: every answer is described, with short stable names, permissions and examples."""

import re
from functools import cache

import jsonschema_rs
import orjson
import pytest
from fastapi.routing import iter_route_contexts

from app.api.http.dependencies import Access
from app.api.service.document import TAGS, _asked, operations
from tests.checked_client import check, described
from tests.frontend_types import TYPES, types
from tests.paths import ROOT

FREE = {
    "Figure.data", "Figure.layout", "Figure.narrow", "ObjectChange.fields", "AuditEntry.before", "AuditEntry.after",
    "AuditLine.before", "AuditLine.after",
}  # fmt: skip
"""Figures hold plotly's own keys, and a change any field of any kind."""


def successes(operation):
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            yield status, answer


def used(document):
    """The names of the schemas that successful answers hold."""
    schemas = document["components"]["schemas"]
    answers = str([list(successes(operation)) for *_, operation in operations(document)])
    waiting = ["LiveValues", *re.findall(r"'#/components/schemas/(\w+)'", answers)]
    found = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += re.findall(r"'#/components/schemas/(\w+)'", str(schemas[name]))
    return {name: schemas[name] for name in found}


def untyped(schema, path):
    """Every place of a schema where anything is allowed."""
    known = {"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"}
    if not known & schema.keys():
        yield path
    for name, field in schema.get("properties", {}).items():
        if f"{path}.{name}" not in FREE:
            yield from untyped(field, f"{path}.{name}")
    if schema.get("type") == "array":
        for item in schema.get("prefixItems", [schema.get("items", {})]):
            yield from untyped(item, f"{path}[]")
    if schema.get("type") == "object" and not {"properties", "patternProperties"} & schema.keys():
        more = schema.get("additionalProperties", True)
        yield from untyped(more if isinstance(more, dict) else {}, f"{path}{{}}")
    for one in schema.get("anyOf", ()):
        yield from untyped(one, path)


def test_every_answer_declares_what_it_holds():
    for path, method, operation in operations(described()):
        for status, answer in successes(operation):
            if status == "204":
                assert "content" not in answer
                continue
            assert answer["content"], f"{method} {path}"
            for media_type, content in answer["content"].items():
                assert content["schema"], f"{method} {path} {media_type}"
                if media_type != "application/json":
                    assert len(answer["description"]) > 40, f"{method} {path}: columns or content"


def test_nothing_in_an_answer_is_without_a_type():
    found = [place for name, schema in used(described()).items() for place in untyped(schema, name)]
    assert found == []


def bodies():
    for path, method, operation in operations(described()):
        for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
            yield f"{method} {path} {media_type}", content


def test_nothing_in_a_request_is_without_a_type():
    document = described()
    asked = [(place, content["schema"]) for place, content in bodies()]
    asked += [(name, document["components"]["schemas"][name]) for name in _asked(document)]
    assert [found for place, schema in asked for found in untyped(schema, place)] == []
    assert {"AlertRuleBody", "SlurmJobsBody", "SlurmJobTimes"} <= {name for name, _ in asked}


def test_bodies_have_examples_that_fit_their_schemas():
    components = described()["components"]
    for place, content in bodies():
        if "example" in content:
            validator = jsonschema_rs.Draft202012Validator({**content["schema"], "components": components})
            assert [str(error) for error in validator.iter_errors(content["example"])] == [], place


def test_every_schema_of_an_answer_is_described():
    assert [n for n, s in used(described()).items() if not s.get("description")] == []


def test_operations_have_short_names_of_their_own():
    names = [operation["operationId"] for *_, operation in operations(described())]
    assert len(names) == len(set(names))
    assert [name for name in names if not re.fullmatch(r"[a-z]+(_[a-z]+){1,3}", name)] == []
    assert {"list_jobs", "get_node_curve", "register_job", "list_headroom", "evaluate_what_if"} <= set(names)


def test_every_tag_is_described_and_used():
    document = described()
    assert {tag for *_, operation in operations(document) for tag in operation["tags"]} == set(TAGS)
    assert [tag["name"] for tag in document["tags"]] == list(TAGS)


def test_the_document_names_the_permission_of_every_route(client):
    document = described()
    assert document["components"]["securitySchemes"].keys() == {"token", "password"}
    needs = {
        (context.path, method.lower()): next(
            d.call.need for d in context.dependant.dependencies if isinstance(d.call, Access)
        )
        for context in iter_route_contexts(client.app.routes)
        for method in context.methods
    }
    for path, method, operation in operations(document):
        need = needs[path, method]
        assert operation["security"] == ([] if need == "public" else [{"token": [need]}, {"password": [need]}])


def test_ingest_declares_one_body_for_its_three_answers():
    answers = described()["paths"]["/api/v1/ingest"]["post"]["responses"]
    schemas = [answers[status]["content"]["application/json"]["schema"] for status in ("200", "422", "503")]
    assert schemas == [{"$ref": "#/components/schemas/IngestAnswer"}] * 3
    assert "Retry-After" in answers["503"]["headers"]


def test_an_answer_that_is_not_as_declared_is_noticed():
    with pytest.raises(AssertionError, match="is not as declared"):
        check("GET", "/api/v1/devices/pdu-a/span", 200, "application/json", b'{"first": 1, "last": null}')
    with pytest.raises(AssertionError, match="declared are"):
        check("GET", "/api/v1/jobs.csv", 200, "application/json", b"{}")
    check("GET", "/api/v1/devices/pdu-a/span", 200, "application/json", b'{"first": null, "last": null}')


def test_the_types_of_the_frontend_are_current():
    assert TYPES.read_text(encoding="utf-8") == types(), "run python -m tests.frontend_types"


@cache
def examples():
    """By operation: status, address and example of each JSON answer; None where there is no example."""
    found = {}
    for path, method, operation in operations(described()):
        for status, answer in successes(operation):
            content = answer.get("content", {}).get("application/json")
            if content is not None:
                address = re.sub(r"{\w+}", "1", path.replace("{format}", "json"))
                found[operation["operationId"], status] = method, address, content.get("example")
    return found


def test_every_json_answer_has_an_example():
    assert {name for (name, _), (*_, example) in examples().items() if example is None} == set()


def test_examples_are_as_declared():
    for (_, status), (method, address, example) in examples().items():
        if example is not None:
            check(method, address, int(status), "application/json", orjson.dumps(example))


def test_times_have_the_name_they_are_sent_as():
    """A field `…_ms` in an answer would be a time without a declaration: times are RFC 3339, `t` alone is in ms."""
    fields = [f"{name}.{field}" for name, schema in used(described()).items() for field in schema.get("properties", {})]
    assert [field for field in fields if field.endswith("_ms")] == []


def test_the_table_of_statuses_is_that_of_the_document():
    """docs/api.md names every status of an error, and those after which a client sends the same request again."""
    text = (ROOT / "docs/api.md").read_text(encoding="utf-8").partition("| status | meaning |")[2]
    rows = [row.split("|")[1] for row in text.splitlines()[2:] if row.startswith("|")]
    named = [int(status) for row in rows for status in re.findall(r"\b[45]\d\d\b", row)]
    answers = described()["paths"]["/api/v1/jobs"]["get"]["responses"]
    known = re.findall(r"\b[45]\d\d\b", answers["4XX"]["description"] + answers["5XX"]["description"])
    assert sorted(named) == sorted(map(int, known))
    # RFC 9110: Retry-After belongs to 429 and 503
    assert [row.strip()[:3] for row in rows if "Retry-After" in row] == ["429", "503"]


def introduced():
    """Parameters of each operation, by method and path as docs/api.md writes it."""
    return {
        (m.upper(), re.sub(r"{\w+}", "X", path.replace(".{format}", kind))): {p["name"] for p in found}
        for path, m, operation in operations(described())
        for kind in (".{format}", ".csv")
        for found in [operation.get("parameters", [])]
    }


def test_every_address_in_the_introduction_is_one_of_the_document():
    """docs/api.md writes parameters in capitals, a choice of methods never."""
    text = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(GET|POST|PUT|PATCH|DELETE) (/api/v1/[^\s`?{|]*[\w}])", text))
    known = set(introduced())
    assert len(named) > 12
    assert {(m, p) for m, p in named if (m, re.sub(r"\b[A-Z]+\b", "X", p)) not in known} == set()


def test_every_query_parameter_in_the_introduction_is_one_of_its_route():
    text = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    named = re.findall(r"(GET|POST|PUT|PATCH|DELETE) (/api/v1/[^\s`?]*)\?([^\s`)]*)", text)
    known = introduced()
    unknown = {
        (path, name)
        for method, path, query in named
        for name in re.findall(r"(?:^|&)(\w+)", query)
        if name not in known[method, re.sub(r"\b[A-Z]+\b|{\w+}", "X", path)]
    }
    assert len(named) > 8
    assert unknown == set()
