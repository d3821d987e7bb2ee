"""Headroom, capacity and what-if answers."""

from __future__ import annotations

from app.services.capacity.capacity_levels import LEVELS
from app.services.capacity.capacity_loads import BasisName, constant
from app.services.capacity.feeds_panel import FeedsView, failover_cords, failover_needs, rack_feeds
from app.services.capacity.headroom import LevelName, headroom_rows
from app.services.capacity.headroom_panel import HeadroomPanel, rack_headroom
from app.services.capacity.headroom_row import HeadroomRow, ObservedLoad
from app.services.capacity.pdu_circuit import circuit_of
from app.services.capacity.rack_fit import RackCapacity, rack_capacity
from app.services.capacity.rack_space import FreeSpace, free_space, height_u
from app.services.capacity.stores import CapacityStores
from app.services.capacity.what_if_request import MOST_ADDED, WantedNodes, WhatIfRequest
from app.services.capacity.what_if_scenario import WhatIf, what_if

__all__ = [
    "LEVELS",
    "MOST_ADDED",
    "BasisName",
    "CapacityStores",
    "FeedsView",
    "FreeSpace",
    "HeadroomPanel",
    "HeadroomRow",
    "LevelName",
    "ObservedLoad",
    "RackCapacity",
    "WantedNodes",
    "WhatIf",
    "WhatIfRequest",
    "circuit_of",
    "constant",
    "failover_cords",
    "failover_needs",
    "free_space",
    "headroom_rows",
    "height_u",
    "rack_capacity",
    "rack_feeds",
    "rack_headroom",
    "what_if",
]
