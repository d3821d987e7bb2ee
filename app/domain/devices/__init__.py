"""Reachability of devices, and their assignment to collectors."""

from __future__ import annotations

from app.domain.devices.binding import bound_to
from app.domain.devices.clock_offset import allowed_offset_ms
from app.domain.devices.fencing import in_gaps
from app.domain.devices.leasing import (
    NO_COLLECTOR,
    CollectorState,
    DeviceLease,
    GrantedLease,
    granted,
    leased,
    revived,
)
from app.domain.devices.polling_outages import Stretch, covered_ms, outages
from app.domain.devices.sharing import Allowed, share

__all__ = [
    "NO_COLLECTOR",
    "Allowed",
    "CollectorState",
    "DeviceLease",
    "GrantedLease",
    "Stretch",
    "allowed_offset_ms",
    "bound_to",
    "covered_ms",
    "granted",
    "in_gaps",
    "leased",
    "outages",
    "revived",
    "share",
]
