"""How many more nodes fit, and what-if answers."""

from __future__ import annotations

from app.services.capacity.capacity_levels import LEVELS, NotEvaluated, Unknown
from app.services.capacity.capacity_loads import BasisName, constant
from app.services.capacity.pdu_circuit import circuit_of
from app.services.capacity.rack_feeds import (
    BreakerLimit,
    FeedReadings,
    LineState,
    PduState,
    RackFeeds,
    failover_cords,
    failover_needs,
    rack_feeds,
    read_feeds,
)
from app.services.capacity.rack_fit import LevelFit, RackCapacity, RackFit, rack_capacity, site_margin_pct
from app.services.capacity.rack_fits import NoRackCapacity, RackFits, rack_fits
from app.services.capacity.rack_headroom import BasisLoad, RackHeadroom, margins_offered, rack_headroom
from app.services.capacity.rack_space import FreeSpace, free_space, height_u
from app.services.capacity.stores import CapacityStores
from app.services.capacity.what_if_fit import AdditionFit, Shortage, addition_of
from app.services.capacity.what_if_request import MOST_ADDED, WantedNodes, WhatIfRequest
from app.services.capacity.what_if_scenario import EvaluatedWhatIf, LevelChange, Trip, WhatIf, what_if

__all__ = [
    "LEVELS",
    "MOST_ADDED",
    "AdditionFit",
    "BasisLoad",
    "BasisName",
    "BreakerLimit",
    "CapacityStores",
    "EvaluatedWhatIf",
    "FeedReadings",
    "FreeSpace",
    "LevelChange",
    "LevelFit",
    "LineState",
    "NoRackCapacity",
    "NotEvaluated",
    "PduState",
    "RackCapacity",
    "RackFeeds",
    "RackFit",
    "RackFits",
    "RackHeadroom",
    "Shortage",
    "Trip",
    "Unknown",
    "WantedNodes",
    "WhatIf",
    "WhatIfRequest",
    "addition_of",
    "circuit_of",
    "constant",
    "failover_cords",
    "failover_needs",
    "free_space",
    "height_u",
    "margins_offered",
    "rack_capacity",
    "rack_feeds",
    "rack_fits",
    "rack_headroom",
    "read_feeds",
    "site_margin_pct",
    "what_if",
]
