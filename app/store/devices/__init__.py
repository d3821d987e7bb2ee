"""Polling health, device events and leases."""

from __future__ import annotations

from app.store.devices.health import DeviceEvent, DeviceHealth, HealthStore, Lease, PollFailure, Polling
from app.store.devices.refusals import RefusalStore, RefusedReading

__all__ = [
    "DeviceEvent",
    "DeviceHealth",
    "HealthStore",
    "Lease",
    "PollFailure",
    "Polling",
    "RefusalStore",
    "RefusedReading",
]
