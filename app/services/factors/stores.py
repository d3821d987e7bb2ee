"""The stores of cost and carbon factors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.store.accounts import FactorStore
from app.store.facility import FacilityStore
from app.store.jobs import JobStore


class FactorStores(Protocol):
    """The stores of cost and carbon factors."""

    @property
    def facility(self) -> FacilityStore:
        """The facility and its history."""

    @property
    def factors(self) -> FactorStore:
        """Cost and carbon factors."""

    @property
    def jobs(self) -> JobStore:
        """Jobs and their figures."""

    @property
    def now_ms(self) -> Callable[[], int]:
        """The clock [ms UTC]."""
