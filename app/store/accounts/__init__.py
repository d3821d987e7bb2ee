"""Node days, site days and cost factors."""

from __future__ import annotations

from app.store.accounts.factors import FactorStep, FactorStore, SiteFactor
from app.store.accounts.node_days import NodeDay, NodeDayStore, any_day, touch
from app.store.accounts.site_days import SiteDay, SiteDayStore

__all__ = [
    "FactorStep",
    "FactorStore",
    "NodeDay",
    "NodeDayStore",
    "SiteDay",
    "SiteDayStore",
    "SiteFactor",
    "any_day",
    "touch",
]
