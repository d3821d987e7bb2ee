"""Polling health, device events, leases and probes."""

from __future__ import annotations

from app.store.devices.health import DeviceEvent, DeviceHealth, HealthStore, PollFailure
from app.store.devices.leases import Collector, CollectorNameTaken, Lease, LeaseStore, Polling, Renewal
from app.store.devices.probes import DeviceProbe, ProbeStore
from app.store.devices.refusals import RefusalStore, RefusedReading

__all__ = [
    "Collector",
    "CollectorNameTaken",
    "DeviceEvent",
    "DeviceHealth",
    "DeviceProbe",
    "HealthStore",
    "Lease",
    "LeaseStore",
    "PollFailure",
    "Polling",
    "ProbeStore",
    "RefusalStore",
    "RefusedReading",
    "Renewal",
]
