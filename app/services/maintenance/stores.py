"""The stores that retention works on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.store.database import Engine


class MaintenanceStores(Protocol):
    """The stores that retention works on."""

    @property
    def engine(self) -> Engine:
        """The database."""

    @property
    def now_ms(self) -> Callable[[], int]:
        """The clock [ms UTC]."""
