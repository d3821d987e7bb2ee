"""The load-duration curve of a job: for how much of the run its power was at or above a level."""

from __future__ import annotations

import math

import numpy as np

from app.domain.energy import Statistics, load_duration
from app.domain.timeseries import Curve, FloatArray
from app.presentation.charts import theme, values
from app.presentation.text import THIN, PowerScale, num, power_scale

POINTS = 401


def load_duration_figure(
    total: Curve, start_ms: int, end_ms: int, found: Statistics, rated_w: float | None, name: str, silence: str
) -> theme.Figure:
    """The curve over the covered time of a job, with its maximum, its median and the rated line.

    `silence` says why there is none.
    """
    share, v = load_duration(total, start_ms, end_ms, POINTS)
    if not np.isfinite(v).any():
        return theme.empty("No power to draw", silence)
    scale = power_scale(max(found.max, rated_w or 0.0))
    top = max(found.max, rated_w or 0.0) / scale.per * 1.12
    trace: theme.Part = {
        "type": "scatter",
        "mode": "lines",
        "name": "power",
        "unit": scale.unit,
        "x": values(100 * share),
        "y": values(scale.of(v)),
        "line": {"color": "@power", "width": 1.8},
        "fill": "tozeroy",
        "fillcolor": "@power/.1",
        "hovertemplate": f"at or above %{{y:,.{scale.digits}f}} {scale.unit} for %{{x:.0f}} %<extra></extra>",
    }
    layout = _layout(found, scale, top, rated_w)
    narrow = {"margin": layout["margin"] | {"l": 30}}
    title = duration_title(v, share)
    return theme.figure(title, scale.unit, [trace], layout, name=name, narrow=narrow)


def duration_title(v: FloatArray, share: FloatArray) -> str:
    """For how much of the run the power was above a round level near its median."""
    level = round_level(float(v[len(v) // 2]))
    if level <= 0:
        return "Load duration"
    reached = 100 * float(share[v >= level].max(initial=0.0))
    words = power_scale(level).limit(level)
    if reached >= 100:
        return f"Never under {words}"
    return f"Above {words} for {num(math.floor(reached))}{THIN}% of the run"


def round_level(median: float) -> float:
    """The largest level of a half power-of-ten step (450, 4 500, 10 000) that is at most 97 % of the median."""
    if not median > 0:
        return 0.0
    step = 10.0 ** math.floor(math.log10(median)) / 2
    return math.floor(0.97 * median / step) * step


def _layout(found: Statistics, scale: PowerScale, top: float, rated_w: float | None) -> theme.Part:
    median, highest = found.median / scale.per, found.max / scale.per
    across: theme.Part = {"type": "line", "line": {"color": "@ink-3", "width": 1, "dash": "dot"}}
    shapes = [across | {"x0": 50, "x1": 50, "y0": 0, "y1": median}]
    beside = {"xref": "x", "xanchor": "left"}
    labels = [
        theme.label(f"median {scale.words(found.median)}", median / 2, "@ink-2", **beside, x=50, xshift=5),
        theme.label(f"max {scale.words(found.max)}", highest, "@ink-2", **beside, x=0, xshift=5, yshift=1),
    ]
    if rated_w is not None:
        y = rated_w / scale.per
        shapes.append(theme.limit(y, "@ink", "dash"))
        labels.append(theme.label(f"rated {scale.limit(rated_w)}", y, "@ink", x=0.99, xanchor="right"))
    return {
        "margin": {"l": 34, "r": 22, "t": 6, "b": 40},
        "hovermode": "closest",
        "xaxis": {
            "range": [0, 100],
            "tickvals": [0, 25, 50, 75, 100],
            "ticktext": ["0", "25", "50", "75", f"100{THIN}%"],
            "title": {"text": "share of the run at or above"},
            "fixedrange": True,
            "showspikes": False,
        },
        "yaxis": theme.power_axis(top, theme.round_ticks(top)),
        "shapes": shapes,
        "annotations": labels,
    }
