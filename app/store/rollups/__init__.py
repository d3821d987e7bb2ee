"""Minute and day rollups, and retention."""

from __future__ import annotations

from app.store.rollups.days import day_figures, save_days
from app.store.rollups.minutes import MinuteStore, first_reading, packed, patched, save
from app.store.rollups.retention import (
    announce,
    drop_days,
    minutes_to_hours,
    retention_borders,
    retire_samples,
    retired_before,
    until_done,
)

__all__ = [
    "MinuteStore",
    "announce",
    "day_figures",
    "drop_days",
    "first_reading",
    "minutes_to_hours",
    "packed",
    "patched",
    "retention_borders",
    "retire_samples",
    "retired_before",
    "save",
    "save_days",
    "until_done",
]
