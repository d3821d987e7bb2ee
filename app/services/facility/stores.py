"""The stores that the facility is read from and applied to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.store.facility import FacilityStore
from app.store.timeseries import FrameStore


class FacilityStores(Protocol):
    """The stores that the facility is read from and applied to."""

    @property
    def facility(self) -> FacilityStore:
        """The facility and its history."""

    @property
    def frames(self) -> FrameStore:
        """Readings."""

    @property
    def now_ms(self) -> Callable[[], int]:
        """The clock [ms UTC]."""
