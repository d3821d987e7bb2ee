"""Stores needed to read and change the facility."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.store.database import Engine
from app.store.facility import FacilityStore
from app.store.timeseries import FrameStore


class FacilityStores(Protocol):
    """Stores needed to read and change the facility."""

    @property
    def engine(self) -> Engine:
        """The database."""

    @property
    def facility(self) -> FacilityStore:
        """The facility and its history."""

    @property
    def frames(self) -> FrameStore:
        """Readings."""

    @property
    def now_ms(self) -> Callable[[], int]:
        """The clock [ms UTC]."""
