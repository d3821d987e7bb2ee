"""Alerts and their rules."""

from __future__ import annotations

from app.store.alerts.alert_list import AlertFilter
from app.store.alerts.alerts import Acknowledged, AlertCounts, AlertStore, Change, StoredAlert, drop_past

__all__ = ["Acknowledged", "AlertCounts", "AlertFilter", "AlertStore", "Change", "StoredAlert", "drop_past"]
