"""Roles, permissions, token scopes and the visibility of jobs."""

from __future__ import annotations

from app.domain.access.principal import ANYBODY, Principal, SignInMethod, TokenBinding
from app.domain.access.roles import (
    PERMISSIONS,
    ROLES,
    SCOPES,
    Permission,
    Role,
    Scope,
    permissions_of_roles,
    permissions_of_scopes,
    require_roles,
    require_scopes,
)
from app.domain.access.visibility import EVERY_JOB, JobPolicy, JobVisibility

__all__ = [
    "ANYBODY",
    "EVERY_JOB",
    "PERMISSIONS",
    "ROLES",
    "SCOPES",
    "JobPolicy",
    "JobVisibility",
    "Permission",
    "Principal",
    "Role",
    "Scope",
    "SignInMethod",
    "TokenBinding",
    "permissions_of_roles",
    "permissions_of_scopes",
    "require_roles",
    "require_scopes",
]
