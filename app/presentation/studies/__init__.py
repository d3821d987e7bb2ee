"""Figures of studies and comparisons."""

from __future__ import annotations

from app.presentation.studies import power_cap
from app.presentation.studies.run_overlay import Overlaid, OverlayLine, TimeAxis, overlay
from app.presentation.studies.study import Bar, group_bars, height_px

__all__ = ["Bar", "Overlaid", "OverlayLine", "TimeAxis", "group_bars", "height_px", "overlay", "power_cap"]
