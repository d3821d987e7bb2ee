"""The facility with its history."""

from __future__ import annotations

from app.models import (
    Auth,
    Breaker,
    Device,
    FacilityObject,
    Model,
    Node,
    PowerConnection,
    Psus,
    Rack,
    Room,
    SharedSupply,
    Site,
    Validity,
)
from app.store.facility import facility
from app.store.facility.facility import FacilityStore, StillFacility
from app.store.facility.history import History
from app.store.facility.snapshot import Facility

__all__ = [
    "Auth",
    "Breaker",
    "Device",
    "Facility",
    "FacilityObject",
    "FacilityStore",
    "History",
    "Model",
    "Node",
    "PowerConnection",
    "Psus",
    "Rack",
    "Room",
    "SharedSupply",
    "Site",
    "StillFacility",
    "Validity",
    "facility",
]
