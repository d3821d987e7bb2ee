"""The stores that live power is computed from."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from app.services.caches import DerivedPowerCache, LastValueCache
from app.services.energy import EnergyStores
from app.store.alerts import AlertStore
from app.store.timeseries import FrameStore


class LiveStores(EnergyStores, Protocol):
    """The stores that live power is computed from."""

    @property
    def frames(self) -> FrameStore:
        """Readings."""

    @property
    def alerts(self) -> AlertStore:
        """Alerts and their rules."""

    @property
    def last_values(self) -> LastValueCache:
        """Last values of points that report none now."""

    @property
    def derived_powers(self) -> DerivedPowerCache:
        """Power now of points that report energy registers alone."""

    @property
    def now_ms(self) -> Callable[[], int]:
        """The clock [ms UTC]."""

    @property
    def stopping(self) -> threading.Event:
        """Set when the server begins to stop."""
