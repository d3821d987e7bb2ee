"""Budgets of energy: how much a project may use in a month."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BUDGET = re.compile(r"(?P<project>\S(?:.{0,198}\S)?) (?P<amount>\d{1,9}(?:\.\d{1,3})?) (?P<unit>[kMG]Wh)")
_JOULES = {"kWh": 3.6e6, "MWh": 3.6e9, "GWh": 3.6e12}


@dataclass(frozen=True)
class EnergyBudget:
    """What a project may use in a month [J]."""

    project: str
    energy_j: float


def parse_budget(text: str) -> EnergyBudget | None:
    """Return a budget written as `PROJECT AMOUNT UNIT`, such as `llm 5000 kWh`; None for anything else."""
    found = _BUDGET.fullmatch(text)
    energy_j = float(found["amount"]) * _JOULES[found["unit"]] if found else 0.0
    return EnergyBudget(found["project"], energy_j) if found and energy_j > 0 else None
