"""Accounts: the energy of nodes by user, project, rack, … and day, with idle energy as its own line.

Σ lines of a site = Σ energies of its nodes: nothing is lost and nothing counted twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from app.domain.energy import TotalMethod
from app.errors import Invalid, NotFound, Unavailable
from app.services.accounts.node_days import SiteDay
from app.services.accounts.stores import AccountStores
from app.services.factors import SiteFactors, site_factors
from app.services.rollups import LocalDay, local_days
from app.store.jobs import Job

Line = Literal["jobs", "idle", "unattributed"]
Per = Literal["window", "month", "day"]
OF_JOBS = ("user", "project", "partition", "cluster", "name", "job")
OF_PLACES = ("rack", "node")
LONGEST_DAYS = 400
AT_ONCE = 500
"""Days of nodes that one request computes at most."""


class NotReady(Unavailable):
    """There is more to compute than one request should wait for."""

    code = "accounts_not_ready"
    retry_after_s = 5


@dataclass
class Sums:
    """What one line adds up: energies [J], and by `price` and `carbon` an amount with the energy it is known for.

    held_ms, covered_ms: node time of the line (for idle and unattributed: of its nodes), and what of it was measured.
    """

    energy_j: float = 0.0
    gpu_j: float = 0.0
    held_ms: int = 0
    covered_ms: int = 0
    jobs: set[str] = field(default_factory=set)
    charges: dict[str, tuple[float, float]] = field(default_factory=dict)

    def add(self, amounts: Mapping[str, Any], job: str | None = None) -> None:
        """Add a day of a node."""
        self.energy_j += amounts["energy_j"]
        self.gpu_j += amounts.get("gpu_j", 0.0)
        self.held_ms += amounts.get("held_ms", 0)
        self.covered_ms += amounts.get("covered_ms", 0)
        self.jobs |= {job} - {None}  # type: ignore[arg-type]
        for kind in ("price", "carbon"):
            if kind in amounts:
                amount, known_j = self.charges.get(kind, (0.0, 0.0))
                self.charges[kind] = (amount + amounts[kind][0], known_j + amounts[kind][1])

    @property
    def coverage(self) -> float | None:
        """Measured / node time; None where it is unknown."""
        return self.covered_ms / self.held_ms if self.held_ms else None


@dataclass(frozen=True)
class Account:
    """One line of a site: its key (None: unknown), in which day or month (None: the whole window), how much."""

    site: str
    line: Line
    key: str | None
    period: str | None
    hours: float
    sums: Sums


@dataclass
class SiteTotal:
    """What the nodes of a site drew together [J]: the figure that its lines add up to."""

    site: str
    timezone: str
    factors: SiteFactors
    energy_j: float = 0.0
    covered_ms: int = 0
    wanted_ms: int = 0
    methods: set[TotalMethod] = field(default_factory=set)

    @property
    def method(self) -> TotalMethod:
        """Return how its nodes were measured: by the integral of power, by registers only, or not all alike."""
        return next(iter(self.methods), "integral") if len(self.methods) < 2 else "mixed"


@dataclass(frozen=True)
class Accounts:
    """Lines by period, jobs' before idle and unattributed, the largest first; and the totals of the sites."""

    lines: Sequence[Account]
    totals: Sequence[SiteTotal]


@dataclass(frozen=True)
class _Entry:
    """Energy of one job, or of no job, on a day of a node."""

    site: str
    period: str | None
    place: Mapping[str, str | None]
    line: Line
    job: str | None
    amounts: Mapping[str, Any]


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
    ledger = _Ledger(stores, per, first, end)
    for key, timezone in _sites(stores, site):
        ledger.read(key, timezone)
    jobs = stores.jobs.many({entry.job for entry in ledger.entries if entry.job})
    sums: dict[tuple[str, str | None, Line, str | None], Sums] = defaultdict(Sums)
    for entry in ledger.entries:
        key_ = _key(by, entry, jobs.get(entry.job or ""))
        sums[entry.site, entry.period, entry.line, key_].add(entry.amounts, entry.job)
    lines = [
        Account(key, line, who, period, ledger.hours[key, period], each)
        for (key, period, line, who), each in sums.items()
    ]
    order: tuple[Line, ...] = ("jobs", "idle", "unattributed")
    lines.sort(key=lambda a: (a.period or "", a.site, order.index(a.line), -a.sums.energy_j, a.key or ""))
    return Accounts(lines, ledger.totals)


class _Ledger:
    """The days of all sites."""

    def __init__(self, stores: AccountStores, per: Per, first: date, end: date) -> None:
        self._stores, self._per, self._first, self._end = stores, per, first, end
        self._left = AT_ONCE
        self.entries: list[_Entry] = []
        self.hours: dict[tuple[str, str | None], float] = defaultdict(float)
        self.totals: list[SiteTotal] = []

    def read(self, site: str, timezone: str) -> None:
        """Read the days of a site that have begun."""
        now_ms = self._stores.now_ms()
        days = [day for day in local_days(self._first, self._end, timezone) if day.start_ms < now_ms]
        if not days:
            return
        factors = site_factors(self._stores, site, days[0].start_ms, days[-1].end_ms)
        total = SiteTotal(site, timezone, factors)
        for day in days:
            self._read_day(total, day)
        self.totals.append(total)

    def _read_day(self, total: SiteTotal, day: LocalDay) -> None:
        found = SiteDay(self._stores, total.site, day)
        missing = found.missing()
        if len(missing) > self._left:
            found.compute(missing[: self._left])
            raise NotReady(
                f"there are more than {AT_ONCE} days of nodes to compute; those before {day.date} are done",
                "ask again: it goes on from there; or ask for fewer days",
            )
        self._left -= len(missing)
        period = {"window": None, "month": f"{day.date:%Y-%m}", "day": day.date.isoformat()}[self._per]
        self.hours[total.site, period] += day.hours
        for piece, content in found.contents():
            total.energy_j += content["node_j"]
            total.covered_ms += content["covered_ms"]
            if content["covered_ms"]:
                total.methods.add(content.get("method", "integral"))
            total.wanted_ms += piece.end_ms - piece.start_ms
            found_lines = _lines(content, piece.end_ms - piece.start_ms)
            place = {"node": piece.node.key, "rack": piece.node.rack}
            self.entries += [
                _Entry(total.site, period, place, line, job, amounts) for line, job, amounts in found_lines
            ]


def _lines(content: Mapping[str, Any], wanted_ms: int) -> Iterator[tuple[Line, str | None, Mapping[str, Any]]]:
    for job, amounts in content["jobs"].items():
        yield "jobs", job, amounts
    of_node = {"held_ms": wanted_ms, "covered_ms": content["covered_ms"]}
    yield "idle", None, content["idle"] | of_node
    if content["unattributed"]["energy_j"]:
        yield "unattributed", None, content["unattributed"] | of_node


def _key(by: str, entry: _Entry, job: Job | None) -> str | None:
    if by in OF_PLACES:
        return entry.place[by]
    if job is None:
        return None
    if by == "job":
        return job.id
    if by.startswith("tag:"):
        return job.tags.get(by.removeprefix("tag:"))
    return getattr(job, by) or None


def _sites(stores: AccountStores, site: str | None) -> list[tuple[str, str]]:
    known = stores.facility.now().sites
    if site is not None and site not in known:
        raise NotFound(f"there is no site {site!r}", "GET /api/v1/sites lists them")
    return [(key, known[key].timezone or "UTC") for key in ([site] if site else known)]


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
