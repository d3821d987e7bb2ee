"""The stores in which figures are marked as out of date."""

from __future__ import annotations

from typing import Protocol

from app.services.attribution import AttributionStores
from app.services.caches import BaselineCache, SummaryCache
from app.store.jobs import JobStore


class InvalidationStores(AttributionStores, Protocol):
    """The stores in which figures are marked as out of date."""

    @property
    def jobs(self) -> JobStore:
        """Jobs and their figures."""

    @property
    def baselines(self) -> BaselineCache:
        """Measured idle power."""

    @property
    def running(self) -> SummaryCache:
        """Figures of running jobs."""
