"""Built-in tokens: the three tokens of the settings, and what this machine may do where one is not set."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Literal

from pydantic import SecretStr

from app.domain.access import Permission, Principal
from app.services.access.secret_text import digest
from app.settings import Settings

BuiltIn = Literal["read", "ingest", "admin"]
VARIABLE: Mapping[BuiltIn, str] = {
    "read": "WATTLINE_READ_TOKEN",
    "ingest": "WATTLINE_INGEST_TOKEN",
    "admin": "WATTLINE_ADMIN_TOKEN",
}
_OWN: Mapping[BuiltIn, frozenset[Permission]] = {
    "read": frozenset({"read", "what-if"}),
    "ingest": frozenset({"readings:write", "jobs:write", "operate"}),
    "admin": frozenset({"plan", "admin"}),
}
"""What each token adds to the weaker ones."""


def variable_for(permission: Permission) -> str:
    """Return the variable of the weakest built-in token that has a permission."""
    return next(VARIABLE[kind] for kind in VARIABLE if permission in _OWN[kind])


def built_in_principal(settings: Settings, token: str) -> Principal | None:
    """Return the built-in token that a text is, compared in constant time; None if it is none."""
    given = token.encode("utf-8", "surrogateescape")
    found = [k for k, own in _tokens(settings).items() if own and secrets.compare_digest(given, _bytes(own))]
    return _principal(settings, found[-1]) if found else None


def built_in_by_digest(settings: Settings, hash_: str) -> Principal | None:
    """Return the built-in token with this SHA-256, for sessions; None after the token was changed."""
    for kind, own in _tokens(settings).items():
        if own is not None and secrets.compare_digest(digest(own.get_secret_value()), hash_):
            return _principal(settings, kind)
    return None


def local_principal(settings: Settings) -> Principal:
    """Return what this machine may do without a token: that for which none is set."""
    allowed: set[Permission] = set()
    for kind in VARIABLE:
        if _own_token(settings, kind) is None:
            allowed |= _OWN[kind]
    return Principal(
        name="this machine",
        label="This machine",
        how="this machine",
        permissions=frozenset(allowed),
        sees_all_jobs="read" in allowed,
    )


def _principal(settings: Settings, kind: BuiltIn) -> Principal:
    allowed = _OWN["read"]
    if kind != "read":
        allowed |= _OWN["ingest"]
    if kind == "admin" or (kind == "ingest" and settings.admin_token is None):
        allowed |= _OWN["admin"]
    return Principal(
        name=f"{kind} token",
        label=f"The {kind} token",
        how="built-in token",
        permissions=allowed,
        sees_all_jobs=True,
    )


def _own_token(settings: Settings, kind: BuiltIn) -> SecretStr | None:
    """Return the token that a built-in permission needs; the ingest token replaces a missing admin token."""
    tokens = _tokens(settings)
    return tokens[kind] or tokens["ingest"] if kind == "admin" else tokens[kind]


def _tokens(settings: Settings) -> Mapping[BuiltIn, SecretStr | None]:
    return {"read": settings.read_token, "ingest": settings.ingest_token, "admin": settings.admin_token}


def _bytes(token: SecretStr) -> bytes:
    return token.get_secret_value().encode("utf-8", "surrogateescape")
