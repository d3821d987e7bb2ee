"""Live power of nodes, racks and sites."""

from __future__ import annotations

from app.services.live.energy_counters import EnergyCounters
from app.services.live.live import LiveFilter, LiveView, Snapshot, take, wanted
from app.services.live.stores import LiveStores

__all__ = ["EnergyCounters", "LiveFilter", "LiveStores", "LiveView", "Snapshot", "take", "wanted"]
