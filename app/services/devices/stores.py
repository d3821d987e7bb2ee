"""The stores that the state of devices is read from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.services.caches import LoadCache
from app.store.devices import HealthStore, LeaseStore, ProbeStore, RefusalStore
from app.store.facility import FacilityStore
from app.store.timeseries import FrameStore


class DeviceStores(Protocol):
    """The stores that the state of devices is read from."""

    @property
    def facility(self) -> FacilityStore:
        """The facility and its history."""

    @property
    def frames(self) -> FrameStore:
        """Readings."""

    @property
    def health(self) -> HealthStore:
        """Polling health and events."""

    @property
    def leases(self) -> LeaseStore:
        """Leases of devices and their collectors."""

    @property
    def loads(self) -> LoadCache:
        """Series per second of each device."""

    @property
    def now_ms(self) -> Callable[[], int]:
        """The clock [ms UTC]."""

    @property
    def refusals(self) -> RefusalStore:
        """Refused readings."""


class ProbeStores(Protocol):
    """The stores that the probe of a device needs."""

    @property
    def facility(self) -> FacilityStore:
        """The facility and its history."""

    @property
    def leases(self) -> LeaseStore:
        """Leases of devices and their collectors."""

    @property
    def now_ms(self) -> Callable[[], int]:
        """The clock [ms UTC]."""

    @property
    def probes(self) -> ProbeStore:
        """Devices that collectors read once."""
