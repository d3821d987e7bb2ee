"""Live power of nodes, PDUs, racks, rooms and sites."""

from __future__ import annotations

from app.services.live.energy_counters import EnergyCounters
from app.services.live.live import (
    DeviceNow,
    LiveFilter,
    LiveView,
    RackPowers,
    Snapshot,
    rack_powers,
    racks_now,
    take,
    wanted,
)
from app.services.live.live_values import LiveValues
from app.services.live.power_now import PowerReader, points_like, sum_of_racks
from app.services.live.power_values import NodeNow, SumNow, keys_wire
from app.services.live.stores import LiveStores

__all__ = [
    "DeviceNow",
    "EnergyCounters",
    "LiveFilter",
    "LiveStores",
    "LiveValues",
    "LiveView",
    "NodeNow",
    "PowerReader",
    "RackPowers",
    "Snapshot",
    "SumNow",
    "keys_wire",
    "points_like",
    "rack_powers",
    "racks_now",
    "sum_of_racks",
    "take",
    "wanted",
]
