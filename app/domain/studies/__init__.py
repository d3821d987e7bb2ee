"""Statistics of repeated runs."""

from __future__ import annotations

from app.domain.studies.run_profile import Band, band, fractions, profile
from app.domain.studies.significance import Difference, difference
from app.domain.studies.study import Configuration, Ratio, Spread, StudyComparison, compare, ratio, spread

__all__ = [
    "Band",
    "Configuration",
    "Difference",
    "Ratio",
    "Spread",
    "StudyComparison",
    "band",
    "compare",
    "difference",
    "fractions",
    "profile",
    "ratio",
    "spread",
]
