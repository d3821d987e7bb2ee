"""Readings that cannot be true: one gate for all of them."""

from __future__ import annotations

from app.domain.plausibility.counters import CounterColumns, CounterHistory
from app.domain.plausibility.gate import PlausibilityGate
from app.domain.plausibility.ranges import RANGES, rating_limits
from app.domain.plausibility.reasons import Reasons, RefusalReason
from app.domain.plausibility.refusals import RefusalRun, refusal_runs

__all__ = [
    "RANGES",
    "CounterColumns",
    "CounterHistory",
    "PlausibilityGate",
    "Reasons",
    "RefusalReason",
    "RefusalRun",
    "rating_limits",
    "refusal_runs",
]
