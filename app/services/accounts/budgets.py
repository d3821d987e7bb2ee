"""The energy of projects that have a budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from app.domain.access import JobVisibility
from app.domain.accounts import parse_budget
from app.domain.timeseries import local_date
from app.errors import Invalid, Unavailable
from app.services.accounts.ledger import accounts
from app.services.accounts.stores import AccountStores
from app.store.facility import Facility, Site

ProjectEnergy = Mapping[str, Mapping[str, float] | None]
"""Site → project → energy of this month's days that are over [J]; None while a site's is computed."""


@dataclass(frozen=True)
class BudgetLine:
    """The budget of a project at a site for a month, and what it used of it.

    `used_j`, `used_pct`: on the days before `until`; null while they are computed.
    """

    site: str
    project: str
    month: str
    until: str
    budget_j: float
    used_j: float | None
    used_pct: float | None


def read_project_energy(stores: AccountStores, facility: Facility, now_ms: int) -> ProjectEnergy:
    """Return the energy of projects [J] by site: of this month's days that are over; None while it is computed.

    Sites without budgets are not read.
    """
    return {key: _used(stores, key, *_days(site, now_ms, None)) for key, site in facility.sites.items() if site.budgets}


def list_budgets(stores: AccountStores, view: JobVisibility, month: date | None, *, all_: bool) -> list[BudgetLine]:
    """Return the budgets of a month and their use: of all projects, or of those whose jobs are all shown in full.

    month: its first day; None: the present one. `stores` show these jobs in full.
    """
    facility, now_ms = stores.facility.now(), stores.now_ms()
    found: list[BudgetLine] = []
    for key, site in facility.sites.items():
        budgets = [budget for text in site.budgets or () if (budget := parse_budget(text)) is not None]
        shown = [budget for budget in budgets if all_ or view.is_open or budget.project in view.projects]
        if not shown:
            continue
        first, end = _days(site, now_ms, month)
        used = _used(stores, key, first, end)
        for budget in shown:
            joules = None if used is None else used.get(budget.project, 0.0)
            pct = None if joules is None else 100.0 * joules / budget.energy_j
            found.append(
                BudgetLine(key, budget.project, f"{first:%Y-%m}", end.isoformat(), budget.energy_j, joules, pct)
            )
    return found


def parse_month(text: str) -> date:
    """Return the first day of a month written as `2026-11`.

    Raises
    ------
    Invalid
    """
    try:
        found = date.fromisoformat(f"{text}-01")
    except ValueError:
        found = date.min
    if not 2000 <= found.year <= 9000 or len(text) != len("2026-11"):
        raise Invalid(f"{text[:80]!r} is not a month", "write it like 2026-11", code="bad_month") from None
    return found


def _days(site: Site, now_ms: int, month: date | None) -> tuple[date, date]:
    """Return the first day of a month and the first day of it that is not over."""
    today = local_date(now_ms, site.timezone)
    first = month or today.replace(day=1)
    following = (first + timedelta(days=31)).replace(day=1)
    return first, max(first, min(today, following))


def _used(stores: AccountStores, site: str, first: date, end: date) -> Mapping[str, float] | None:
    try:
        lines = accounts(stores, "project", "window", first, end, site).lines if first < end else ()
    except Unavailable:
        return None
    return {line.key: line.sums.energy_j for line in lines if line.line == "jobs" and line.key}
