"""The stores that minute rollups are made from."""

from __future__ import annotations

from typing import Protocol

from app.services.jobs import JobStores
from app.store.rollups import MinuteStore


class RollupStores(JobStores, Protocol):
    """The stores that minute rollups are made from."""

    @property
    def minutes(self) -> MinuteStore:
        """Minute rollups."""
