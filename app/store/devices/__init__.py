"""Polling health, device events and leases."""

from __future__ import annotations

from app.store.devices.health import DeviceEvent, DeviceHealth, HealthStore, PollFailure
from app.store.devices.leases import Collector, Lease, LeaseStore, Polling, Renewal
from app.store.devices.refusals import RefusalStore, RefusedReading

__all__ = [
    "Collector",
    "DeviceEvent",
    "DeviceHealth",
    "HealthStore",
    "Lease",
    "LeaseStore",
    "PollFailure",
    "Polling",
    "RefusalStore",
    "RefusedReading",
    "Renewal",
]
