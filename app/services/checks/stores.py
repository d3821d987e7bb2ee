"""The stores that meters are compared from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.services.energy import EnergyStores


class CheckStores(EnergyStores, Protocol):
    """The stores that meters are compared from."""

    @property
    def now_ms(self) -> Callable[[], int]:
        """The clock [ms UTC]."""
