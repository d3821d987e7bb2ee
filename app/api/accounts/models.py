"""Request and answer models of accounts and factors."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from app.api.http import Moment, Text
from app.models import Carbon, Cost, Method
from app.services.accounts import Account, Accounts, Line, Per, SiteTotal
from app.services.factors import Charge, SiteFactors, carbon_of, cost_of
from app.store.accounts import FactorStep, SiteFactor

ACCOUNT_COLUMNS = (
    "site", "period", "line", "key", "hours", "jobs", "energy_j", "energy_kwh", "gpu_energy_j", "coverage", "cost",
    "currency", "carbon_kg",
)  # fmt: skip
"""Columns of the file."""


class FactorBody(BaseModel):
    """A factor as an operator sets it."""

    model_config = ConfigDict(extra="forbid")

    unit: Text = Field(examples=["EUR/kWh"])
    source: Text = Field(description="where it comes from; part of every answer", examples=["contract 2026"])
    value: float | None = Field(default=None, description="constant; steps take precedence over it")
    steps: list[tuple[Moment, Moment, float]] = Field(default_factory=list, description="[start, end, value], sorted")

    def to_steps(self) -> list[FactorStep]:
        """The store's form."""
        return [FactorStep(*step) for step in self.steps]


class AccountLine(TypedDict):
    """Energy of one user, rack, … or of idle or unattributed time. Energies are null where nothing was measured."""

    site: str
    period: Annotated[str | None, Field(description="day or month; null for the whole window", examples=["2026-11-20"])]
    line: Line
    key: str | None
    hours: Annotated[float, Field(description="node hours")]
    jobs: int | None
    energy_j: float | None
    energy_kwh: float | None
    gpu_energy_j: float | None
    coverage: float | None
    cost: Cost | None
    carbon: Carbon | None


class SiteAccount(TypedDict):
    """The energy of the nodes of a site, and its factors."""

    site: str
    timezone: Annotated[str, Field(examples=["Europe/Berlin"])]
    energy_j: float
    energy_kwh: float
    coverage: float | None
    method: Method
    factors: list[SiteFactor]


class AccountsAnswer(TypedDict):
    """Lines, and what they add up to at each site."""

    by: str
    per: Per
    items: list[AccountLine]
    sites: list[SiteAccount]


def account_line(account: Account, factors: SiteFactors) -> AccountLine:
    """Return a line; where nothing of its node time was measured its energies are missing, not 0."""
    sums = account.sums
    measured = sums.coverage != 0.0
    price, carbon = _charge("price", account), _charge("carbon", account)
    return {
        "site": account.site,
        "period": account.period,
        "line": account.line,
        "key": account.key,
        "hours": account.hours,
        "jobs": len(sums.jobs) if account.line == "jobs" else None,
        "energy_j": sums.energy_j if measured else None,
        "energy_kwh": sums.energy_j / 3.6e6 if measured else None,
        "gpu_energy_j": sums.gpu_j if account.line == "jobs" and measured else None,
        "coverage": sums.coverage,
        "cost": cost_of(factors, *price) if price else None,
        "carbon": carbon_of(factors, *carbon) if carbon else None,
    }


def _charge(kind: Literal["price", "carbon"], account: Account) -> tuple[Charge, float | None] | None:
    """Return a charge and the share of the energy that it covers."""
    if kind not in account.sums.charges:
        return None
    charge = Charge(*account.sums.charges[kind])
    return charge, charge.known_j / account.sums.energy_j if account.sums.energy_j else None


def accounts_answer(found: Accounts, by: str, per: Per) -> AccountsAnswer:
    """Return lines, and what they add up to."""
    factors = {total.site: total.factors for total in found.totals}
    return {
        "by": by,
        "per": per,
        "items": [account_line(line, factors[line.site]) for line in found.lines],
        "sites": [_total(total) for total in found.totals],
    }


def _total(total: SiteTotal) -> SiteAccount:
    return {
        "site": total.site,
        "timezone": total.timezone,
        "energy_j": total.energy_j,
        "energy_kwh": total.energy_j / 3.6e6,
        "coverage": total.covered_ms / total.wanted_ms if total.wanted_ms else None,
        "method": total.method,
        "factors": list(total.factors.by_kind.values()),
    }


def account_cells(line: AccountLine) -> list[object]:
    """A line of the file; missing is empty."""
    cost, carbon = line["cost"], line["carbon"]
    plain: dict[str, object] = {
        **line,
        "cost": cost and cost["amount"],
        "currency": cost and cost["currency"],
        "carbon_kg": carbon and carbon["kg"],
    }
    return [plain[name] for name in ACCOUNT_COLUMNS]
