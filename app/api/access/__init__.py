"""Routes of signing in, users, API tokens and the audit log."""

from __future__ import annotations

from app.api.access import access, audit, tokens, users

__all__ = ["access", "audit", "tokens", "users"]
