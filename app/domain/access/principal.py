"""The principal of a request: a user, a token or this machine, and what it may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.domain.access.roles import ROLES, Permission, Role
from app.domain.access.visibility import JobPolicy, JobVisibility

SignInMethod = Literal["none", "session", "token", "built-in token", "proxy", "this machine"]


@dataclass(frozen=True)
class TokenBinding:
    """What a token is limited to: readings of one collector, jobs of one cluster or of one user; None: no limit."""

    collector: str | None = None
    cluster: str | None = None
    user: str | None = None


@dataclass(frozen=True)
class Principal:
    """Who sends a request.

    Attributes
    ----------
    name: user name, as in the jobs of this user; of a token without owner, a built-in token or this machine a label.
    is_user: whether `name` is a user with an account.
    sees_all_jobs: for built-in tokens and this machine, as before there were accounts.
    session: hash of the session that it was identified by.
    """

    name: str = ""
    label: str = ""
    how: SignInMethod = "none"
    is_user: bool = False
    roles: tuple[Role, ...] = ()
    permissions: frozenset[Permission] = frozenset()
    projects: frozenset[str] = frozenset()
    sees_all_jobs: bool = False
    binding: TokenBinding = TokenBinding()
    session: str | None = None

    def may(self, permission: Permission) -> bool:
        """Return whether it has a permission."""
        return permission in self.permissions

    def job_view(self, policy: JobPolicy) -> JobVisibility:
        """Return which jobs it sees in full, and what of the others."""
        shown = {ROLES[role].jobs for role in self.roles}
        return JobVisibility(
            everything=self.sees_all_jobs or "all" in shown,
            policy=policy,
            user=self.name if self.is_user else None,
            projects=self.projects if "projects" in shown else frozenset(),
        )


ANYBODY = Principal()
"""A request without credentials."""
