"""Energy accounts by user, project and day."""

from __future__ import annotations

from app.services.accounts.account_lines import Account, Accounts, SiteTotal
from app.services.accounts.budgets import BudgetLine, ProjectEnergy, list_budgets, parse_month, read_project_energy
from app.services.accounts.day_keeper import DayKeeper
from app.services.accounts.day_sums import Line
from app.services.accounts.ledger import OF_JOBS, OF_PLACES, Per, accounts
from app.services.accounts.stores import AccountStores

__all__ = [
    "OF_JOBS",
    "OF_PLACES",
    "Account",
    "AccountStores",
    "Accounts",
    "BudgetLine",
    "DayKeeper",
    "Line",
    "Per",
    "ProjectEnergy",
    "SiteTotal",
    "accounts",
    "list_budgets",
    "parse_month",
    "read_project_energy",
]
