"""The stores that alert rules read and alerts are kept in."""

from __future__ import annotations

from typing import Protocol

from app.services.accounts import AccountStores
from app.services.capacity import CapacityStores
from app.services.devices import DeviceStores
from app.services.live import LiveStores
from app.settings import Settings
from app.store.alerts import NotificationStore, SilenceStore
from app.store.database import Engine


class AlertStores(LiveStores, CapacityStores, DeviceStores, AccountStores, Protocol):
    """The stores that alert rules read and alerts are kept in."""

    @property
    def settings(self) -> Settings:
        """The settings, which declare the receivers."""

    @property
    def engine(self) -> Engine:
        """The database."""

    @property
    def notifications(self) -> NotificationStore:
        """What receivers were sent."""

    @property
    def silences(self) -> SilenceStore:
        """Silences."""
