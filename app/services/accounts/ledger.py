"""Accounts: the energy of nodes by user, project, rack, … and day, with idle energy as its own line.

Σ lines of a site = Σ energies of its nodes: nothing is lost and nothing counted twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from typing import Literal

from app.domain.timeseries import LocalDay, local_days
from app.errors import Invalid, NotFound
from app.services.accounts.account_lines import Account, Accounts, SiteTotal, Sums, sums_by_key
from app.services.accounts.day_sums import LINES, DaySum, Line, lines_of, sum_day
from app.services.accounts.node_days import NodesOfDay
from app.services.accounts.site_days import Allowance, SiteDays
from app.services.accounts.stores import AccountStores
from app.services.factors import site_factors
from app.store.jobs import JOB_KEYS, job_keys

Per = Literal["window", "month", "day"]
OF_JOBS = JOB_KEYS
OF_PLACES = ("rack", "node")
LONGEST_DAYS = 400

_LineKey = tuple[str, str | None, Line, str | None]
"""Site, period, line, key."""


def accounts(stores: AccountStores, by: str, per: Per, first: date, end: date, site: str | None = None) -> Accounts:
    """Energy of the days from `first` until before `end`, each in the zone of its site; `by` is one of `OF_JOBS` or
    `OF_PLACES`, or `tag:NAME`.

    Raises
    ------
    Invalid, NotFound
        There is nothing like `by`; the window is empty or longer than 400 days; there is no such site.
    NotReady
        More than 500 days of nodes had to be computed; those that were are kept, so asking again goes on.
    """
    _check(by, first, end)
    ledger = _Ledger(stores, per)
    sites = list(_sites(stores, first, end, site))
    lines = ledger.of_places(sites, by) if by in OF_PLACES else ledger.of_jobs(sites, by)
    found = [
        Account(site, line, key, period, ledger.hours[site, period], sums)
        for (site, period, line, key), sums in lines.items()
    ]
    found.sort(key=lambda a: (a.period or "", a.site, LINES.index(a.line), -a.sums.energy_j, a.key or ""))
    return Accounts(found, [total for total, _ in sites])


class _Ledger:
    """The lines of all sites. `hours`: by site and period, how long its days are together."""

    def __init__(self, stores: AccountStores, per: Per) -> None:
        self._stores, self._per = stores, per
        self._allowance = Allowance()
        self.hours: dict[tuple[str, str | None], float] = defaultdict(float)

    def of_jobs(self, sites: list[tuple[SiteTotal, list[LocalDay]]], by: str) -> dict[_LineKey, Sums]:
        """Add up by what `by` says of each job, from the sums of days."""
        found: dict[tuple[str, str | None], list[DaySum]] = defaultdict(list)
        for total, days in sites:
            of_site = SiteDays(self._stores, total.site, total.factors)
            known = of_site.known(days[0].start_ms, days[-1].end_ms)
            for day in days:
                stored = known.get(day.start_ms)
                one = DaySum.of_document(stored.content) if stored else of_site.add_up(day, self._allowance)
                total.add(one)
                found[total.site, self._count(total, day)].append(one)
        jobs = dict.fromkeys(job for some in found.values() for one in some for _, job in one.lines if job is not None)
        keys = job_keys(self._stores.engine, list(jobs), by, self._stores.jobs.view)
        return {
            (*place, *each): sums for place, some in found.items() for each, sums in sums_by_key(some, keys).items()
        }

    def of_places(self, sites: list[tuple[SiteTotal, list[LocalDay]]], by: str) -> dict[_LineKey, Sums]:
        """Add up by rack or node, from the days of nodes."""
        found: dict[_LineKey, Sums] = defaultdict(Sums)
        for total, days in sites:
            for day in days:
                nodes = NodesOfDay(self._stores, total.site, day)
                self._allowance.spend(nodes, day)
                period, contents = self._count(total, day), nodes.contents()
                total.add(sum_day((piece.end_ms - piece.start_ms, content) for piece, content in contents))
                for piece, content in contents:
                    place = piece.node.key if by == "node" else piece.node.rack
                    for line, job, amounts in lines_of(content, piece.end_ms - piece.start_ms):
                        found[total.site, period, line, place].add(amounts, job)
        return found

    def _count(self, total: SiteTotal, day: LocalDay) -> str | None:
        """Return the period of a day and count its hours."""
        period = {"window": None, "month": f"{day.date:%Y-%m}", "day": day.date.isoformat()}[self._per]
        self.hours[total.site, period] += day.hours
        return period


def _sites(
    stores: AccountStores, first: date, end: date, site: str | None
) -> Iterator[tuple[SiteTotal, list[LocalDay]]]:
    """Yield the sites with their days that have begun."""
    known = stores.facility.now().sites
    if site is not None and site not in known:
        raise NotFound(f"there is no site {site!r}", "GET /api/v1/sites lists them")
    now_ms = stores.now_ms()
    for key in [site] if site else known:
        timezone = known[key].timezone or "UTC"
        days = [day for day in local_days(first, end, timezone) if day.start_ms < now_ms]
        if days:
            factors = site_factors(stores, key, days[0].start_ms, days[-1].end_ms)
            yield SiteTotal(key, timezone, factors), days


def _check(by: str, first: date, end: date) -> None:
    if by not in (*OF_JOBS, *OF_PLACES) and not (by.startswith("tag:") and by.removeprefix("tag:")):
        raise Invalid(
            f"there are no accounts by {by!r}",
            f"one of {', '.join((*OF_JOBS, *OF_PLACES))}, or tag:NAME",
            code="bad_by",
        )
    if not 0 < (end - first).days <= LONGEST_DAYS:
        raise Invalid(
            f"from {first} to {end} is not between 1 and {LONGEST_DAYS} days",
            "`to` is the first day that does not count: from=2026-10-01&to=2026-11-01 is October",
            code="bad_window",
        )
