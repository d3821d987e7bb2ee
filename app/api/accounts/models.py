"""Request and answer models of accounts and factors."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from app.api.http import Moment, RecordColumnAnswer, Text
from app.models import Carbon, Cost, Method
from app.services.accounts import Account, Accounts, Line, Per, SiteTotal
from app.services.factors import Charge, SiteFactors, carbon_of, cost_of
from app.services.files import RecordTable, number, text
from app.store.accounts import FactorStep, SiteFactor

ACCOUNT_COLUMNS = (
    *map(text, ("site", "period", "line", "key")), number("hours"), number("jobs"), number("energy_j"),
    number("energy_kwh"), number("gpu_energy_j"), number("coverage"), number("cost", "currency"), text("currency"),
    number("carbon_kg"),
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


_Days = TypedDict("_Days", {"from": date, "to": date})


class AccountsSummary(_Days):
    """What a file of accounts cannot say in its cells: its days, whose clocks, and the method and coverage per site.

    `zone`: null where several sites have different ones.
    """

    by: str
    per: Per
    zone: str | None
    sites: list[SiteAccount]
    columns: list[RecordColumnAnswer]


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


def accounts_table(content: AccountsAnswer, start: date, end: date) -> RecordTable:
    """Return the lines as a table, and what a file of them states about itself."""
    zones = {site["timezone"] for site in content["sites"]}
    facts = {
        "by": content["by"],
        "per": content["per"],
        "from": start,
        "to": end,
        "zone": zones.pop() if len(zones) == 1 else None,
        "sites": content["sites"],
    }
    return RecordTable(ACCOUNT_COLUMNS, [_cells(line) for line in content["items"]], facts)


def _cells(line: AccountLine) -> list[object]:
    cost, carbon = line["cost"], line["carbon"]
    plain: dict[str, object] = {
        **line,
        "cost": cost and cost["amount"],
        "currency": cost and cost["currency"],
        "carbon_kg": carbon and carbon["kg"],
    }
    return [plain[column.name] for column in ACCOUNT_COLUMNS]
