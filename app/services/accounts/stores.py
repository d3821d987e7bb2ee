"""The stores that energy accounts are made from."""

from __future__ import annotations

from typing import Protocol

from app.services.jobs import JobStores
from app.store.accounts import NodeDayStore


class AccountStores(JobStores, Protocol):
    """The stores that energy accounts are made from."""

    @property
    def node_days(self) -> NodeDayStore:
        """Days of nodes."""
