"""Read what a user's energy of one month is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from app.domain.access import JobVisibility
from app.services.accounts import (
    Account,
    Accounts,
    AccountStores,
    BudgetLine,
    accounts,
    list_budgets,
    parse_month,
)
from app.services.facility import SiteName, site_name
from app.services.factors import SiteFactors
from app.services.jobs import listing
from app.store.facility import Facility
from app.store.jobs import Job, JobFilter

MOST_RUNS = 500


@dataclass(frozen=True)
class UserMonth:
    """The lines of a user by day, and the factors of the sites."""

    first: date
    end: date
    lines: Sequence[Account]
    factors: dict[str, SiteFactors]


@dataclass(frozen=True)
class MyEnergyData:
    """A month of a user up to `now_ms`, the same days of the month before, and the runs, most energy first.

    start_ms, end_ms: of the month by the clocks of the first site [ms UTC]. budgets: of projects that the user leads.
    """

    now_ms: int
    user: str
    month: date
    site: SiteName
    facility: Facility
    this: UserMonth
    before: UserMonth
    jobs: Sequence[Job]
    start_ms: int
    end_ms: int
    budgets: Sequence[BudgetLine]


def read_my_energy(
    stores: AccountStores, user: str, month: str | None, projects: frozenset[str] = frozenset()
) -> MyEnergyData:
    """Read a month (`2026-11`) of a user; the present one if omitted. Days are those of the site's clocks.

    projects: those that the user leads.

    Raises
    ------
    Invalid, NotReady
    """
    facility, now_ms = stores.facility.now(), stores.now_ms()
    today = datetime.fromtimestamp(now_ms / 1000, _zone(facility)).date()
    first = parse_month(month) if month else today.replace(day=1)
    end = min(_next(first), max(today, first) + timedelta(days=1))
    previous = _previous(first)
    before_end = min(previous + (end - first), first)
    start_ms, end_ms = _span(facility, first, end)
    runs = JobFilter(user=user, from_ms=start_ms, to_ms=end_ms)
    jobs, _ = listing(stores, runs, "-energy_j", MOST_RUNS, None)
    return MyEnergyData(
        now_ms,
        user,
        first,
        site_name(facility, None),
        facility,
        _month(accounts(stores, "user", "day", first, end), user, first, end),
        _month(accounts(stores, "user", "day", previous, before_end), user, previous, before_end),
        jobs,
        start_ms,
        end_ms,
        list_budgets(stores, JobVisibility(projects=projects), first, all_=False),
    )


def _month(found: Accounts, user: str, first: date, end: date) -> UserMonth:
    lines = [line for line in found.lines if line.line == "jobs" and line.key == user]
    return UserMonth(first, end, lines, {total.site: total.factors for total in found.totals})


def _zone(facility: Facility) -> ZoneInfo:
    return ZoneInfo(next((site.timezone for site in facility.sites.values() if site.timezone), "UTC"))


def _span(facility: Facility, first: date, end: date) -> tuple[int, int]:
    zone = _zone(facility)
    start_ms, end_ms = (
        round(datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC).timestamp() * 1000)
        for day in (first, end)
    )
    return start_ms, end_ms


def _next(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


def _previous(first: date) -> date:
    return (first - timedelta(days=1)).replace(day=1)
