"""Rated, usable and observed power of nodes, models, racks, rooms, sites, PDUs, lines and feeds."""

from __future__ import annotations

from app.services.headroom.daily_peaks import DailyMax, DailyPeaks, daily_peaks
from app.services.headroom.day_sums import prepare_day_sums
from app.services.headroom.groups import racks_of_places
from app.services.headroom.headroom import LevelName, headroom_rows
from app.services.headroom.headroom_row import HeadroomRow, ObservedLoad
from app.services.headroom.stores import HeadroomStores

__all__ = [
    "DailyMax",
    "DailyPeaks",
    "HeadroomRow",
    "HeadroomStores",
    "LevelName",
    "ObservedLoad",
    "daily_peaks",
    "headroom_rows",
    "prepare_day_sums",
    "racks_of_places",
]
