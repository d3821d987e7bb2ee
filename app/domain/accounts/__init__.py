"""Factors that turn energy into cost and carbon, and budgets of energy."""

from __future__ import annotations

from app.domain.accounts.budgets import EnergyBudget, parse_budget
from app.domain.accounts.factors import J_PER_KWH, Factor, cuts, weigh

__all__ = ["J_PER_KWH", "EnergyBudget", "Factor", "cuts", "parse_budget", "weigh"]
