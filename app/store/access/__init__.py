"""Users, sessions, API tokens and the audit log."""

from __future__ import annotations

from app.store.access.audit import AuditEntry, AuditFilter, AuditStore
from app.store.access.device_logins import DeviceLogin, DeviceLoginStore
from app.store.access.pseudonyms import PseudonymStore
from app.store.access.sessions import Session, SessionStore
from app.store.access.tokens import ApiToken, ApiTokenStore
from app.store.access.users import Origin, User, UserStore

__all__ = [
    "ApiToken",
    "ApiTokenStore",
    "AuditEntry",
    "AuditFilter",
    "AuditStore",
    "DeviceLogin",
    "DeviceLoginStore",
    "Origin",
    "PseudonymStore",
    "Session",
    "SessionStore",
    "User",
    "UserStore",
]
