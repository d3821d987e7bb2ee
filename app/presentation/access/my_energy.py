"""The page of a user's own energy in one month."""

from __future__ import annotations

import math
from calendar import monthrange
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated

from app.domain.energy import K
from app.models import TimeMs, sent_as
from app.presentation.access.month_of_runs import idle_by_day, uncertainty_pct
from app.presentation.charts import Figure, theme
from app.presentation.jobs import JobListRow, job_row
from app.presentation.text import num
from app.services.accounts import BudgetLine
from app.services.facility import SiteName
from app.services.pages import MyEnergyData, UserMonth
from app.store.jobs import Job

_J_PER_KWH = 3.6e6
_MOST_ROWS = 20


@dataclass(frozen=True)
class MyEnergyTotals:
    """Sums of a month; null where nothing is known. `idle_j`: of it drawn by allocated GPUs that did nothing.

    `uncertainty_pct`: of `energy_j`, expanded with the coverage factor `k`; null where a meter states no accuracy.
    `before_j`: of the same days of the month before. `cost`, `carbon_kg`: by the factors of the site.
    """

    energy_j: float | None
    uncertainty_pct: float | None
    k: int
    before_j: float | None
    cost: float | None
    currency: str | None
    cost_source: str
    carbon_kg: float | None
    carbon_source: str
    idle_j: float | None
    runs: int
    running: int
    coverage: float | None


@dataclass(frozen=True)
class MyEnergyDay:
    """A day of a month; `idle_j`: of its energy drawn by allocated GPUs that did nothing, also in %.

    Null where none of the GPUs reports power and utilization.
    """

    date: str
    energy_j: float
    idle_j: float | None
    idle_pct: float | None


@dataclass(frozen=True)
class MyEnergyView:
    """The energy of a user's jobs in one month. `figures`: name → figure; `runs`: most energy first, whole runs.

    `from_ms`, `to_ms`: the month by the clocks of the site. `budgets`: of the projects that the user leads.
    """

    now_ms: Annotated[TimeMs, sent_as("now")]
    site: SiteName
    user: str
    month: str
    month_label: str
    from_ms: Annotated[TimeMs, sent_as("from")]
    to_ms: Annotated[TimeMs, sent_as("to")]
    before_label: str
    previous: str
    following: str | None
    totals: MyEnergyTotals
    days: Sequence[MyEnergyDay]
    figures: dict[str, Figure]
    runs: Sequence[JobListRow]
    runs_title: str
    budgets: Sequence[BudgetLine]
    how: Sequence[tuple[str, str]]


def my_energy_view(data: MyEnergyData) -> MyEnergyView:
    """Return what the page shows."""
    totals, days = _totals(data), _days(data)
    first = data.month
    following = (first + timedelta(days=31)).replace(day=1)
    label, before = f"{first:%B}", f"{data.before.first:%B}"
    by_energy = sorted(data.jobs, key=lambda job: -(_energy_of(job) or 0.0))
    rows = [job_row(data.facility, job) for job in by_energy[:_MOST_ROWS]]
    return MyEnergyView(
        now_ms=data.now_ms,
        site=data.site,
        user=data.user,
        month=f"{first:%Y-%m}",
        month_label=f"{label} {first.year}",
        from_ms=data.start_ms,
        to_ms=data.end_ms,
        before_label=before,
        previous=f"{data.before.first:%Y-%m}",
        following=f"{following:%Y-%m}" if data.this.end == following else None,
        totals=totals,
        days=days,
        figures={"days": _figure(data, totals, days, label, before)},
        runs=rows,
        runs_title=_runs_title(data.jobs),
        budgets=data.budgets,
        how=_how(data),
    )


def _totals(data: MyEnergyData) -> MyEnergyTotals:
    lines = data.this.lines
    price, carbon = _charge(data.this, "price"), _charge(data.this, "carbon")
    factors = list(data.this.factors.values())
    held, covered = (sum(getattr(line.sums, name) for line in lines) for name in ("held_ms", "covered_ms"))
    currencies = {f.by_kind["price"].unit.partition("/")[0] for f in factors if "price" in f.by_kind}
    idle = idle_by_day(data.jobs, data.this.first, data.this.end)
    uncertainty = uncertainty_pct(data.jobs, data.start_ms, data.end_ms, data.now_ms)
    energy_j = _energy_j(data.this)
    return MyEnergyTotals(
        energy_j=energy_j,
        uncertainty_pct=None if energy_j is None else uncertainty,
        k=int(K),
        before_j=_energy_j(data.before),
        cost=price if len(currencies) == 1 else None,
        currency=next(iter(currencies)) if len(currencies) == 1 else None,
        cost_source=_sources(data.this, "price"),
        carbon_kg=None if carbon is None else carbon / 1000,
        carbon_source=_sources(data.this, "carbon"),
        idle_j=math.fsum(idle.values()) if idle else None,
        runs=len(data.jobs),
        running=sum(job.end_ms is None for job in data.jobs),
        coverage=covered / held if held else None,
    )


def _energy_j(month: UserMonth) -> float | None:
    known = [line.sums.energy_j for line in month.lines if line.sums.coverage != 0.0]
    return math.fsum(known) if known else None


def _charge(month: UserMonth, kind: str) -> float | None:
    known = [line.sums.charges[kind] for line in month.lines if kind in line.sums.charges]
    amounts = [amount for amount, known_j in known if known_j]
    return math.fsum(amounts) if amounts else None


def _sources(month: UserMonth, kind: str) -> str:
    found = {f.by_kind[kind].source for f in month.factors.values() if kind in f.by_kind}
    return ", ".join(sorted(found)) or "no factor is set"


def _by_date(month: UserMonth) -> dict[date, float]:
    days: dict[date, float] = defaultdict(float)
    for line in month.lines:
        if line.period is not None and line.sums.coverage != 0.0:
            days[date.fromisoformat(line.period)] += line.sums.energy_j
    return dict(sorted(days.items()))


def _days(data: MyEnergyData) -> list[MyEnergyDay]:
    idle = idle_by_day(data.jobs, data.this.first, data.this.end)
    return [_day(day, joules, idle.get(day)) for day, joules in _by_date(data.this).items()]


def _day(day: date, energy_j: float, idle_j: float | None) -> MyEnergyDay:
    share = 100 * idle_j / energy_j if idle_j is not None and energy_j > 0 else None
    return MyEnergyDay(day.isoformat(), energy_j, idle_j, share)


def _kwh_by_day(month: UserMonth) -> dict[int, float]:
    return {day.day: joules / _J_PER_KWH for day, joules in _by_date(month).items()}


def _figure(data: MyEnergyData, totals: MyEnergyTotals, days: Sequence[MyEnergyDay], label: str, before: str) -> Figure:
    this, last = _kwh_by_day(data.this), _kwh_by_day(data.before)
    if not this and not last:
        if any(_energy_of(job) for job in data.jobs):
            why = "The minutes of these days are not summed up yet; the runs below have their energies."
            return theme.empty(f"No energy by day in {label} yet", why)
        return theme.empty(f"No energy in {label}", "None of your runs was measured in this month.")
    traces: list[theme.Part] = [_bars("runs", this, label)]
    if idle := [day for day in days if day.idle_j is not None]:
        traces.append(_idle_bars(idle, label))
    if last:
        traces.append(_ticks(f"same day of {before}", last, before))
    longest = max([monthrange(data.month.year, data.month.month)[1], *last])
    layout: theme.Part = {
        "margin": {"l": 40, "r": 8, "t": 8, "b": 24},
        "bargap": 0.34,
        "barmode": "overlay",
        "xaxis": {"range": [0.4, longest + 0.6], "dtick": 2, "tick0": 1, "showspikes": False},
        "yaxis": {"rangemode": "tozero", "nticks": 4},
        "showlegend": True,
    }
    return theme.figure(
        _title(totals, label, before), "kWh per day", traces, layout, name=f"my-energy-{data.month:%Y-%m}"
    )


def _bars(name: str, days: dict[int, float], month: str) -> theme.Part:
    return {
        "type": "bar",
        "name": name,
        "unit": "kWh",
        "x": list(days),
        "y": list(days.values()),
        "marker": {"color": "@power"},
        "hovertemplate": f"%{{x}} {month}: %{{y:.2f}} kWh<extra></extra>",
    }


def _idle_bars(days: Sequence[MyEnergyDay], month: str) -> theme.Part:
    share = [f"{num(day.idle_pct)} %" if day.idle_pct is not None else "" for day in days]
    return {
        **_bars("of it: allocated GPUs idle", {int(d.date[-2:]): (d.idle_j or 0.0) / _J_PER_KWH for d in days}, month),
        "marker": {"color": "@idle"},
        "customdata": share,
        "hovertemplate": f"%{{x}} {month}: %{{y:.2f}} kWh idle, %{{customdata}} of the day<extra></extra>",
    }


def _ticks(name: str, days: dict[int, float], month: str) -> theme.Part:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "unit": "kWh",
        "x": list(days),
        "y": list(days.values()),
        "marker": {"symbol": "line-ew", "size": 16, "line": {"width": 2, "color": "@ink-2"}},
        "hovertemplate": f"%{{x}} {month}: %{{y:.2f}} kWh<extra></extra>",
    }


def _title(totals: MyEnergyTotals, label: str, before: str) -> str:
    if totals.energy_j is None:
        return f"Nothing was measured in {label}"
    title = f"You used {num(totals.energy_j / _J_PER_KWH, 1)} kWh in {label}"
    if not totals.before_j:
        return title
    change_pct = 100 * (totals.energy_j / totals.before_j - 1)
    if abs(change_pct) < 1:
        return f"{title}, as much as in the same days of {before}"
    return f"{title}, {num(abs(change_pct))} % {'more' if change_pct > 0 else 'less'} than in the same days of {before}"


def _runs_title(jobs: Sequence[Job]) -> str:
    known = _known(_energy_of(job) for job in jobs)
    if len(known) < 2:
        return "Runs"
    top, total = known[0], math.fsum(known)
    return f"The largest of {len(jobs)} runs took {num(100 * top / total)} % of their energy" if total else "Runs"


def _energy_of(job: Job) -> float | None:
    return job.summary.energy_j if job.summary else None


def _known(values: Iterable[float | None]) -> list[float]:
    return sorted((value for value in values if value is not None), reverse=True)


def _how(data: MyEnergyData) -> list[tuple[str, str]]:
    return [
        ("Energy", "of the nodes while your jobs held them, by day of the site's clocks; a shared node is divided"),
        ("Runs", "the energy of the whole run, also of its part in another month"),
        ("Idle", "of GPUs that were allocated and below 1 % utilization; part of the energy of the day"),
        ("±", "95 %: errors of the same kind of meter add up, they do not average out over runs"),
        ("Cost and CO₂", "by the factors of the site, PUE included where it is set"),
        ("Seen by", "you, project leads of your projects, and administrators"),
    ]
