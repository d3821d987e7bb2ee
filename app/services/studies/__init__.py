"""Groups of repeated runs and power-cap studies."""

from __future__ import annotations

from app.services.studies.cap_study import KS, Best, Cap, PowerCaps, against, is_power_cap, power_caps
from app.services.studies.comparison import Comparison, is_numeric, read_comparison
from app.services.studies.grouping_tags import StudyTag, Suggestion, study_tags, suggestions
from app.services.studies.run_curves import MOST_CURVES, RunCurve, StudyCurves, TimeAxis, What, study_curves
from app.services.studies.stores import StudyStores
from app.services.studies.studies import COMPARED, MEASURES, Groups, K, RunGroup, compared, groups, number
from app.services.studies.study_runs import ExcludedJob, StudyRun

__all__ = [
    "COMPARED",
    "KS",
    "MEASURES",
    "MOST_CURVES",
    "Best",
    "Cap",
    "Comparison",
    "ExcludedJob",
    "Groups",
    "K",
    "PowerCaps",
    "RunCurve",
    "RunGroup",
    "StudyCurves",
    "StudyRun",
    "StudyStores",
    "StudyTag",
    "Suggestion",
    "TimeAxis",
    "What",
    "against",
    "compared",
    "groups",
    "is_numeric",
    "is_power_cap",
    "number",
    "power_caps",
    "read_comparison",
    "study_curves",
    "study_tags",
    "suggestions",
]
