"""The stores that power and energy are computed from."""

from __future__ import annotations

from typing import Protocol

from app.store.facility import FacilityStore
from app.store.timeseries import ReadingSource


class EnergyStores(Protocol):
    """The stores that power and energy are computed from."""

    @property
    def frames(self) -> ReadingSource:
        """Readings."""

    @property
    def facility(self) -> FacilityStore:
        """The facility and its history."""
