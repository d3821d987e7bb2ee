"""Factors that turn energy into cost and carbon."""

from __future__ import annotations

from app.domain.accounts.factors import J_PER_KWH, Factor, cuts, weigh

__all__ = ["J_PER_KWH", "Factor", "cuts", "weigh"]
