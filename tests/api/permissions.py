"""The permission table, as literals: who may use a route, by what the route needs."""

ROLES = {"viewer", "researcher", "project-lead", "operator", "planner", "admin"}
NEEDS = {
    "public": {"nobody", *ROLES},
    "signed-in": ROLES,
    "read": ROLES,
    "what-if": {"planner", "admin"},
    "readings:write": {"admin"},
    "jobs:write": {"researcher", "project-lead", "admin"},
    "operate": {"operator", "admin"},
    "plan": {"planner", "admin"},
    "admin": {"admin"},
}
"""By role."""
SCOPES = {
    "read": {"read"},
    "readings:write": {"readings:write"},
    "jobs:write": {"jobs:write"},
    "operate": {"operate"},
    "plan": {"what-if", "plan"},
    "admin": set(NEEDS) - {"public", "signed-in"},
}
"""What a token of a machine with one scope may, beside what is public and what every token may."""
MACHINES_ONLY = {("POST", "/api/v1/jobs/slurm")}
"""What users may not although they write own jobs: report those of a whole cluster."""


def may(credential: str, need: str) -> bool:
    """Return whether a role, or a token written as `token:SCOPE`, may use a route with this need."""
    kind, _, scope = credential.partition(":")
    if kind == "token":
        return need in ("public", "signed-in") or need in SCOPES[scope]
    return credential in NEEDS[need]
