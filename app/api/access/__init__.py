"""Routes of signing in, users, API tokens and the audit log."""

from __future__ import annotations

from app.api.access import access, audit, my_energy, tokens, users

__all__ = ["access", "audit", "my_energy", "tokens", "users"]
