"""docs/routes.md lists every route of the document: `python -m tests.docs.test_routes` writes it."""

from app.api.service.document import TAGS, operations
from tests.checked_client import described
from tests.paths import DOCS

DOCUMENT = DOCS / "routes.md"
COMMAND = "python -m tests.docs.test_routes"
HEAD = """# All routes

Every route of the OpenAPI document, by tag, with its operation name (of generated clients), the permission that it
needs ([users.md](users.md)), its query parameters and the statuses of its successful answers. Errors have one shape
([api.md](api.md#errors)). What parameters and fields mean is in the reference that the server shows at `/docs`.
"""


def row(path, method, operation):
    query = [f"`{p['name']}`" for p in operation.get("parameters", []) if p["in"] == "query"]
    statuses = [status for status in sorted(operation["responses"]) if status.startswith("2")]
    need = operation.get("x-permission", "none")
    return [f"`{method.upper()} {path}`", f"`{operation['operationId']}`", need, ", ".join(query), ", ".join(statuses)]


def page():
    by_tag = {tag: [] for tag in TAGS}
    for path, method, operation in operations(described()):
        by_tag[operation["tags"][0]].append(row(path, method, operation))
    text = f"{HEAD}\n<!-- {COMMAND} -->\n"
    for tag, rows in by_tag.items():
        table = [["route", "operation", "permission", "query parameters", "status"], ["---"] * 5, *rows]
        text += f"\n## {tag}\n\n{TAGS[tag]}\n\n" + "".join(f"| {' | '.join(cells)} |\n" for cells in table)
    return text


def test_the_list_of_routes_is_current():
    assert DOCUMENT.read_text(encoding="utf-8") == page(), f"run {COMMAND}"


def test_a_route_names_its_permission_and_its_parameters():
    rows = {cells[0]: cells for cells in (row(*each) for each in operations(described()))}
    assert rows["`GET /api/v1/accounts`"][2:] == ["read", "`from`, `to`, `by`, `per`, `site`", "200"]
    assert rows["`DELETE /api/v1/jobs/{id}`"][2:] == ["jobs:write", "", "204"]


if __name__ == "__main__":
    DOCUMENT.write_text(page(), encoding="utf-8")
