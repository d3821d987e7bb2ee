"""Live power of nodes, PDUs, racks, rooms and sites."""

from __future__ import annotations

from app.services.live.energy_counters import EnergyCounters
from app.services.live.lines_now import BalanceNow, LinesNow, balance_now, lines_now
from app.services.live.live import (
    DeviceNow,
    LiveFilter,
    RackPowers,
    Snapshot,
    rack_powers,
    racks_now,
    take,
    wanted,
)
from app.services.live.live_values import LiveValues, SumBasis
from app.services.live.live_view import LiveView, take_all
from app.services.live.power_now import UNREAD, PowerReader, points_like, sum_of_racks
from app.services.live.power_values import NodeNow, SumNow, keys_wire
from app.services.live.stores import LiveStores

__all__ = [
    "UNREAD",
    "BalanceNow",
    "DeviceNow",
    "EnergyCounters",
    "LinesNow",
    "LiveFilter",
    "LiveStores",
    "LiveValues",
    "LiveView",
    "NodeNow",
    "PowerReader",
    "RackPowers",
    "Snapshot",
    "SumBasis",
    "SumNow",
    "balance_now",
    "keys_wire",
    "lines_now",
    "points_like",
    "rack_powers",
    "racks_now",
    "sum_of_racks",
    "take",
    "take_all",
    "wanted",
]
