"""The tables of roles and scopes in docs/users.md are those of the code.

`python -m tests.api.access.test_permission_table` writes them.
"""

from app.domain.access import PERMISSIONS, ROLES, SCOPES
from tests.paths import DOCS

DOCUMENT = DOCS / "users.md"
COMMAND = "python -m tests.api.access.test_permission_table"
JOBS = {
    "none": "none",
    "own": "own",
    "projects": "own, and those of the user's projects",
    "all": "all",
}


def table(head, rows):
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, ["---"] * len(head), *rows])


def listed(permissions):
    return ", ".join(f"`{p}`" for p in PERMISSIONS if p in permissions)


def tables():
    roles = [[f"`{name}`", role.text, listed(role.permissions), JOBS[role.jobs]] for name, role in ROLES.items()]
    scopes = [
        [f"`{name}`", ", ".join(f"`{p}`" for p in PERMISSIONS if p in allowed)] for name, allowed in SCOPES.items()
    ]
    permissions = [[f"`{name}`", text] for name, text in PERMISSIONS.items()]
    return {
        "roles": table(["role", "is for", "permissions", "jobs in full"], roles)
        + "\n"
        + table(["permission", "allows"], permissions),
        "scopes": table(["scope", "permissions"], scopes),
    }


def written():
    text = DOCUMENT.read_text(encoding="utf-8")
    for name, content in tables().items():
        begin, end = f"<!-- {name}: {COMMAND} -->\n", f"<!-- end of {name} -->\n"
        head, _, rest = text.partition(begin)
        _, _, tail = rest.partition(end)
        text = f"{head}{begin}\n{content}\n{end}{tail}"
    return text


def test_the_tables_are_current():
    assert DOCUMENT.read_text(encoding="utf-8") == written(), f"run {COMMAND}"


def test_an_administrator_may_everything_and_every_role_may_read():
    assert ROLES["admin"].permissions == set(PERMISSIONS)
    assert all("read" in role.permissions for role in ROLES.values())


if __name__ == "__main__":
    DOCUMENT.write_text(written(), encoding="utf-8")
