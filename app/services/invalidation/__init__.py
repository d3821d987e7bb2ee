"""Figures that are out of date after a change."""

from __future__ import annotations

from app.services.invalidation.invalidation import (
    IDLE_DAYS_MS,
    REACH_MS,
    jobs_changed,
    node_changed,
    readings_changed,
)
from app.services.invalidation.stores import InvalidationStores

__all__ = ["IDLE_DAYS_MS", "REACH_MS", "InvalidationStores", "jobs_changed", "node_changed", "readings_changed"]
