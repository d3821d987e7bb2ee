"""The stores that users and their credentials come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.settings import Settings
from app.store.access import ApiTokenStore, AuditStore, DeviceLoginStore, PseudonymStore, SessionStore, UserStore


class AccessStores(Protocol):
    """The stores that users and their credentials come from."""

    @property
    def settings(self) -> Settings:
        """Settings of the operator."""

    @property
    def users(self) -> UserStore:
        """Users."""

    @property
    def sessions(self) -> SessionStore:
        """Sessions of browsers."""

    @property
    def device_logins(self) -> DeviceLoginStore:
        """Commands that wait for a user."""

    @property
    def pseudonyms(self) -> PseudonymStore:
        """Names of users in every table."""

    @property
    def tokens(self) -> ApiTokenStore:
        """API tokens."""

    @property
    def audit(self) -> AuditStore:
        """Audit log."""

    @property
    def now_ms(self) -> Callable[[], int]:
        """The clock [ms UTC]."""
