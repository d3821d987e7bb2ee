"""The stores that a shared node is divided from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.services.energy import EnergyStores
from app.store.database import Engine


class AttributionStores(EnergyStores, Protocol):
    """The stores that a shared node is divided from."""

    @property
    def engine(self) -> Engine:
        """The database."""

    @property
    def now_ms(self) -> Callable[[], int]:
        """The clock [ms UTC]."""
