"""Request and answer models of accounts and factors."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.api.http import Moment, Text
from app.domain.timeseries import rfc3339
from app.services.accounts import Account, Accounts, SiteTotal
from app.services.factors import Charge, SiteFactors, tell_charge
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


def factor_to_wire(factor: SiteFactor) -> dict[str, Any]:
    """A factor without its steps."""
    return {
        "site": factor.site,
        "kind": factor.kind,
        "unit": factor.unit,
        "source": factor.source,
        "value": factor.constant,
        "changed": rfc3339(factor.changed_ms),
    }


def account_to_wire(account: Account, factors: SiteFactors) -> dict[str, Any]:
    """A line; where nothing of its node time was measured its energies are missing, not 0."""
    sums = account.sums
    measured = sums.coverage != 0.0
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
        "cost": _charge(factors, "price", account),
        "carbon": _charge(factors, "carbon", account),
    }


def _charge(factors: SiteFactors, kind: Literal["price", "carbon"], account: Account) -> dict[str, Any] | None:
    if kind not in account.sums.charges:
        return None
    charge = Charge(*account.sums.charges[kind])
    covered = charge.known_j / account.sums.energy_j if account.sums.energy_j else None
    return {**tell_charge(factors, kind, charge), "coverage": covered}


def accounts_to_wire(found: Accounts, by: str, per: str) -> dict[str, Any]:
    """Lines, and what they add up to."""
    factors = {total.site: total.factors for total in found.totals}
    return {
        "by": by,
        "per": per,
        "items": [account_to_wire(line, factors[line.site]) for line in found.lines],
        "sites": [_total(total) for total in found.totals],
    }


def _total(total: SiteTotal) -> dict[str, Any]:
    return {
        "site": total.site,
        "timezone": total.timezone,
        "energy_j": total.energy_j,
        "energy_kwh": total.energy_j / 3.6e6,
        "coverage": total.covered_ms / total.wanted_ms if total.wanted_ms else None,
        "method": total.method,
        "factors": [factor_to_wire(factor) for factor in total.factors.by_kind.values()],
    }


def account_cells(line: dict[str, Any]) -> list[object]:
    """A line of the file; missing is empty."""
    cost, carbon = line["cost"] or {}, line["carbon"] or {}
    plain = {**line, "cost": cost.get("amount"), "currency": cost.get("currency"), "carbon_kg": carbon.get("kg")}
    return [plain[name] for name in ACCOUNT_COLUMNS]
