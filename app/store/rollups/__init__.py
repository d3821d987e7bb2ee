"""Minute and day rollups, and retention."""

from __future__ import annotations

from app.store.rollups.day_sums import DaySumStore, StoredSum, decoded_sums, encoded_sum
from app.store.rollups.days import day_figures, save_days
from app.store.rollups.minute_means import MinuteMeans
from app.store.rollups.minutes import MinuteStore, decode_day, first_reading, packed, patched, save
from app.store.rollups.partial_minutes import PartialMinuteStore
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
    "DaySumStore",
    "MinuteMeans",
    "MinuteStore",
    "PartialMinuteStore",
    "StoredSum",
    "announce",
    "day_figures",
    "decode_day",
    "decoded_sums",
    "drop_days",
    "encoded_sum",
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
