"""The stores that curves are read from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.services.energy import EnergyStores
from app.store.database import Engine
from app.store.rollups import MinuteStore
from app.store.timeseries import FrameStore


class CurveStores(EnergyStores, Protocol):
    """The stores that curves are read from."""

    @property
    def engine(self) -> Engine:
        """The database, for the retention border."""

    @property
    def frames(self) -> FrameStore:
        """Readings."""

    @property
    def minutes(self) -> MinuteStore:
        """Minute rollups."""

    @property
    def now_ms(self) -> Callable[[], int]:
        """The clock [ms UTC]."""
