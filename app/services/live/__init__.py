"""Live power of nodes, PDUs, racks, rooms and sites."""

from __future__ import annotations

from app.services.live.energy_counters import EnergyCounters
from app.services.live.live import DeviceNow, LiveFilter, LiveView, Snapshot, take, wanted
from app.services.live.live_values import LiveValues
from app.services.live.power_now import PowerReader, sum_of_racks
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
    "Snapshot",
    "SumNow",
    "keys_wire",
    "sum_of_racks",
    "take",
    "wanted",
]
