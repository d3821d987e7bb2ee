"""The stores that ingest writes, and those that latest readings come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.services.counters import Counters
from app.services.invalidation import InvalidationStores
from app.store.devices import RefusalStore
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
    def counters(self) -> Counters:
        """Counts of this process."""

    @property
    def refusals(self) -> RefusalStore:
        """Refused readings."""
