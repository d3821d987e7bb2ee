"""Alerts and their rules."""

from __future__ import annotations

from app.store.alerts.alert_list import AlertFilter
from app.store.alerts.alerts import Acknowledged, AlertCounts, AlertStore, Change, StoredAlert, drop_past
from app.store.alerts.notifications import NotificationStore, ReceiverState, Unsent
from app.store.alerts.silences import SilenceStore

__all__ = [
    "Acknowledged",
    "AlertCounts",
    "AlertFilter",
    "AlertStore",
    "Change",
    "NotificationStore",
    "ReceiverState",
    "SilenceStore",
    "StoredAlert",
    "Unsent",
    "drop_past",
]
