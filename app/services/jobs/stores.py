"""The stores that jobs and their figures come from."""

from __future__ import annotations

import threading
from typing import Protocol

from app.services.attribution import AttributionStores
from app.services.caches import BaselineCache, SummaryCache
from app.services.factors import FactorStores
from app.store.devices import HealthStore
from app.store.jobs import JobStore
from app.store.timeseries import FrameStore


class JobStores(AttributionStores, FactorStores, Protocol):
    """The stores that jobs and their figures come from."""

    @property
    def frames(self) -> FrameStore:
        """Readings."""

    @property
    def jobs(self) -> JobStore:
        """Jobs and their figures."""

    @property
    def health(self) -> HealthStore:
        """Events."""

    @property
    def baselines(self) -> BaselineCache:
        """Measured idle power."""

    @property
    def running(self) -> SummaryCache:
        """Figures of running jobs."""

    @property
    def stopping(self) -> threading.Event:
        """Set when the server begins to stop."""
