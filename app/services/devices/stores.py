"""The stores that the state of devices is read from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.store.devices import HealthStore, RefusalStore
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
        """Polling health, events and leases."""

    @property
    def now_ms(self) -> Callable[[], int]:
        """The clock [ms UTC]."""

    @property
    def refusals(self) -> RefusalStore:
        """Refused readings."""
