"""Figures of studies and comparisons."""

from __future__ import annotations

from app.presentation.studies import power_cap
from app.presentation.studies.compare_view import (
    CompareView,
    OverlayView,
    bars,
    cap_figures,
    compare_view,
    group_label,
    overlay_view,
    run_name,
)
from app.presentation.studies.difference_text import difference_text, excluded_text, reference_label
from app.presentation.studies.run_overlay import Overlaid, OverlayLine, overlay
from app.presentation.studies.study import Bar, group_bars, height_px
from app.presentation.studies.study_warnings import study_warnings

__all__ = [
    "Bar",
    "CompareView",
    "Overlaid",
    "OverlayLine",
    "OverlayView",
    "bars",
    "cap_figures",
    "compare_view",
    "difference_text",
    "excluded_text",
    "group_bars",
    "group_label",
    "height_px",
    "overlay",
    "overlay_view",
    "power_cap",
    "reference_label",
    "run_name",
    "study_warnings",
]
