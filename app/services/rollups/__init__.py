"""Minute rollups."""

from __future__ import annotations

from app.services.rollups.minute_rollups import refresh_minutes
from app.services.rollups.stores import RollupStores

__all__ = ["RollupStores", "refresh_minutes"]
