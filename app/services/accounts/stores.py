"""The stores that energy accounts are made from."""

from __future__ import annotations

from typing import Protocol

from app.services.caches import RunningDayCache
from app.services.jobs import JobStores
from app.store.accounts import NodeDayStore, SiteDayStore


class AccountStores(JobStores, Protocol):
    """The stores that energy accounts are made from."""

    @property
    def node_days(self) -> NodeDayStore:
        """Days of nodes."""

    @property
    def site_days(self) -> SiteDayStore:
        """Sums of days of sites."""

    @property
    def running_days(self) -> RunningDayCache:
        """Days of nodes that are not over."""
