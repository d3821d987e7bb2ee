"""The stores that headroom is computed from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.services.energy import EnergyStores
from app.store.rollups import DaySumStore, MinuteStore
from app.store.timeseries import FrameStore


class HeadroomStores(EnergyStores, Protocol):
    """The stores that headroom is computed from."""

    @property
    def frames(self) -> FrameStore:
        """Readings."""

    @property
    def minutes(self) -> MinuteStore:
        """Minute rollups."""

    @property
    def day_sums(self) -> DaySumStore:
        """Sums of rows and feeds on past days."""

    @property
    def now_ms(self) -> Callable[[], int]:
        """The clock [ms UTC]."""
