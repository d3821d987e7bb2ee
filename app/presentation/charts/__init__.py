"""Parts shared by all figures: theme, arrays, labels, colours."""

from __future__ import annotations

from app.presentation.charts import theme
from app.presentation.charts.arrays import MAX_POINTS, polyline, times, values
from app.presentation.charts.curve_names import CurveLabel, limit_label, placed
from app.presentation.charts.group_palette import group_colors, ink, opaque, plain
from app.presentation.charts.theme import PENDING_MS, Empty, Figure, PowerFigures, holes

__all__ = [
    "MAX_POINTS",
    "PENDING_MS",
    "CurveLabel",
    "Empty",
    "Figure",
    "PowerFigures",
    "group_colors",
    "holes",
    "ink",
    "limit_label",
    "opaque",
    "placed",
    "plain",
    "polyline",
    "theme",
    "times",
    "values",
]
