"""Comparison of meters that should agree."""

from __future__ import annotations

from app.domain.checks.cross_check import (
    LEAST_MS,
    LEAST_W,
    LOSSES_PCT,
    Cause,
    CauseSign,
    MeterComparison,
    Side,
    Verdict,
    cause_of_ratio,
    compare,
)
from app.domain.checks.scale_plausibility import MeterLevel, ScaleSuspicion, scale_suspicions
from app.domain.checks.shapes import Mixed, mixed_up

__all__ = [
    "LEAST_MS",
    "LEAST_W",
    "LOSSES_PCT",
    "Cause",
    "CauseSign",
    "MeterComparison",
    "MeterLevel",
    "Mixed",
    "ScaleSuspicion",
    "Side",
    "Verdict",
    "cause_of_ratio",
    "compare",
    "mixed_up",
    "scale_suspicions",
]
