"""The stores that ingest writes, and those that latest readings come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.services.counters import Counters
from app.services.invalidation import InvalidationStores
from app.services.timeseries.counter_watch import CounterWatch
from app.store.devices import HealthStore, LeaseStore, RefusalStore
from app.store.timeseries import FrameStore


class LatestStores(Protocol):
    """The stores that latest readings come from."""

    @property
    def frames(self) -> FrameStore:
        """Readings."""

    @property
    def now_ms(self) -> Callable[[], int]:
        """The clock [ms UTC]."""


class IngestStores(LatestStores, InvalidationStores, Protocol):
    """The stores that ingest writes."""

    @property
    def frames(self) -> FrameStore:
        """Readings."""

    @property
    def counter_watch(self) -> CounterWatch:
        """What was seen of energy counters."""

    @property
    def health(self) -> HealthStore:
        """Events of devices."""

    @property
    def leases(self) -> LeaseStore:
        """Leases of devices."""

    @property
    def counters(self) -> Counters:
        """Counts of this process."""

    @property
    def refusals(self) -> RefusalStore:
        """Refused readings."""
