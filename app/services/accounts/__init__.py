"""Energy accounts by user, project and day."""

from __future__ import annotations

from app.services.accounts.ledger import OF_JOBS, OF_PLACES, Account, Accounts, Line, Per, SiteTotal, accounts
from app.services.accounts.node_days import DayKeeper
from app.services.accounts.stores import AccountStores

__all__ = [
    "OF_JOBS",
    "OF_PLACES",
    "Account",
    "AccountStores",
    "Accounts",
    "DayKeeper",
    "Line",
    "Per",
    "SiteTotal",
    "accounts",
]
