"""Rated, usable and observed power of nodes, models, racks, rooms, sites, PDUs, lines and feeds."""

from __future__ import annotations

from app.services.headroom.headroom import LevelName, headroom_rows
from app.services.headroom.headroom_row import HeadroomRow, ObservedLoad

__all__ = ["HeadroomRow", "LevelName", "ObservedLoad", "headroom_rows"]
