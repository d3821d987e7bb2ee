"""Minute rollups and local days."""

from __future__ import annotations

from app.services.rollups.local_calendar import LocalDay, local_date, local_days
from app.services.rollups.minute_rollups import refresh_minutes
from app.services.rollups.stores import RollupStores

__all__ = ["LocalDay", "RollupStores", "local_date", "local_days", "refresh_minutes"]
