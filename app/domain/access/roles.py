"""The permission table: what each role and each token scope allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Permission = Literal["read", "what-if", "readings:write", "jobs:write", "operate", "plan", "admin"]
Role = Literal["viewer", "researcher", "project-lead", "operator", "planner", "admin"]
Scope = Literal["read", "readings:write", "jobs:write", "operate", "plan", "admin"]

PERMISSIONS: Mapping[Permission, str] = {
    "read": "dashboards, readings, and jobs as the site's policy shows them",
    "what-if": "capacity questions that add, remove or fail devices",
    "readings:write": "lease devices, deliver readings and events",
    "jobs:write": "register, change and delete jobs",
    "operate": "acknowledge alerts, annotations, maintenance",
    "plan": "cost and carbon factors, energy budgets",
    "admin": "facility, alert rules, users, all tokens, audit log",
}
_EVERYTHING: frozenset[Permission] = frozenset(PERMISSIONS)


@dataclass(frozen=True)
class RoleEntry:
    """A row of the permission table.

    Attributes
    ----------
    jobs: which jobs are shown in full, whatever the site's policy is.
    """

    permissions: frozenset[Permission]
    jobs: Literal["none", "own", "projects", "all"]
    text: str


ROLES: Mapping[Role, RoleEntry] = {
    "viewer": RoleEntry(frozenset({"read"}), "own", "dashboards"),
    "researcher": RoleEntry(frozenset({"read", "jobs:write"}), "own", "own jobs in full; registers own jobs"),
    "project-lead": RoleEntry(
        frozenset({"read", "jobs:write"}), "projects", "researcher, and the jobs of the projects named in the account"
    ),
    "operator": RoleEntry(frozenset({"read", "operate"}), "own", "viewer, acknowledges alerts, plans maintenance"),
    "planner": RoleEntry(frozenset({"read", "what-if", "plan"}), "own", "viewer, what-if, budgets, factors"),
    "admin": RoleEntry(_EVERYTHING, "all", "everything"),
}

SCOPES: Mapping[Scope, frozenset[Permission]] = {
    "read": frozenset({"read"}),
    "readings:write": frozenset({"readings:write"}),
    "jobs:write": frozenset({"jobs:write"}),
    "operate": frozenset({"operate"}),
    "plan": frozenset({"what-if", "plan"}),
    "admin": _EVERYTHING,
}
"""What a token of each scope allows. A token never allows more than the roles of its owner."""


def permissions_of_roles(roles: Iterable[Role]) -> frozenset[Permission]:
    """Return what any of the roles allows."""
    return frozenset().union(*(ROLES[role].permissions for role in roles))


def permissions_of_scopes(scopes: Iterable[Scope]) -> frozenset[Permission]:
    """Return what any of the scopes allows."""
    return frozenset().union(*(SCOPES[scope] for scope in scopes))


def require_roles(names: Iterable[str]) -> tuple[Role, ...]:
    """Return the roles with these names, each once, in the order of the table; raise ValueError for another name."""
    return tuple(role for role in ROLES if role in _known(names, get_args(Role), "role"))


def require_scopes(names: Iterable[str]) -> tuple[Scope, ...]:
    """Return the scopes with these names, each once; raise ValueError for another name."""
    return tuple(scope for scope in SCOPES if scope in _known(names, get_args(Scope), "scope"))


def _known(names: Iterable[str], known: tuple[str, ...], kind: str) -> set[str]:
    found = set(names)
    if unknown := sorted(found - set(known)):
        raise ValueError(f"{unknown[0]!r} is not a {kind}: one of {', '.join(known)}")
    return found
