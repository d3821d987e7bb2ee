"""Routes of signing in, users, API tokens and the audit log."""

from __future__ import annotations

from app.api.access import access, audit, device_login, my_energy, single_sign_on, tokens, users

__all__ = ["access", "audit", "device_login", "my_energy", "single_sign_on", "tokens", "users"]
