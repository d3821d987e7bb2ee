"""Every GPU of a job over time, as a heat map."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from app.domain.energy import mean_w
from app.domain.timeseries import Curve, IntArray, TimeWindow, bucket_means, gaps
from app.presentation.charts import theme, times, values
from app.presentation.text import THIN, num, span

COLUMNS = 240
LEFT, RIGHT = 50, 58
"""Margins of the map [px]; the power figure above has the same, so that their time axes agree."""
ODD_SHARE = 0.1
"""A GPU whose mean differs from the others' median by more than this is named."""
IDLE_W = 100.0
_LONG_GAP = 0.03
_MOST_NOTES = 2
_SCALE = [[0, "@q0"], [0.25, "@q1"], [0.5, "@q2"], [0.7, "@q3"], [0.88, "@q4"], [1, "@q5"]]


def gpu_heat(gpus: Mapping[str, Curve], job: TimeWindow, view: TimeWindow, step_ms: int, name: str) -> theme.Figure:
    """Mean power [W] of each GPU in at most 240 stretches, none shorter than `step_ms` (the readings' interval).

    The title speaks of the run, without what the view shows before and after it.
    """
    edges = bucket_edges(view, step_ms)
    z = np.array([bucket_means(curve, edges) for curve in gpus.values()])
    if not z.size or not np.isfinite(z).any():
        return theme.empty(
            "No GPU readings in this stretch", "The exporter of the node reported nothing in this window."
        )
    rows = list(gpus)
    trace: theme.Part = {
        "type": "heatmap",
        "name": "GPU power",
        "unit": "W",
        "x": times((edges[:-1] + edges[1:]) // 2),
        "y": rows,
        "z": values(z),
        "zmin": 0,
        "zmax": top_of_scale(float(np.nanmax(z))),
        "ygap": 2 if len(rows) <= 16 else 1 if len(rows) <= 64 else 0,
        "hoverongaps": False,
        "colorscale": _SCALE,
        "colorbar": _colorbar(float(np.nanmax(z))),
        "hovertemplate": "%{y} · %{z:,.0f} W<br>%{x|%-d %b %H:%M:%S}<extra></extra>",
    }
    layout = _layout(rows, gpus, view)
    start, end = max(job.start_ms, view.start_ms), min(job.end_ms, view.end_ms)
    means = {row: mean_w(curve, start, max(start, end)) for row, curve in gpus.items()}
    shown = layout["yaxis"]["tickvals"]
    narrow = {
        "xaxis": layout["xaxis"] | {"nticks": 4},
        "yaxis": layout["yaxis"] | {"ticktext": [row.rpartition(" · ")[2] for row in shown]},
        "margin": layout["margin"] | {"l": 46, "r": 46},
    }
    return theme.figure(heat_title(means), "W per GPU", [trace], layout, name=name, narrow=narrow)


def heat_title(means: Mapping[str, float]) -> str:
    """Whether the GPUs drew alike, or which did not."""
    known = {k: w for k, w in means.items() if not math.isnan(w)}
    if not known:
        return "GPUs"
    middle = float(np.median(list(known.values())))
    if len(known) == 1:
        return f"The GPU drew {num(middle)}{THIN}W in the mean"
    odd = max(known, key=lambda k: abs(known[k] - middle))
    share = known[odd] / middle - 1 if middle > 0 else 0.0
    if len(known) < 3 or middle < IDLE_W or abs(share) < ODD_SHARE:
        return f"The {len(known)} GPUs drew {'' if len(known) < 3 else 'alike, '}{num(middle)}{THIN}W each in the mean"
    return f"{odd} drew {num(abs(100 * share))}{THIN}% {'more' if share > 0 else 'less'} than the others"


def bucket_edges(view: TimeWindow, step_ms: int) -> IntArray:
    """Edges int64[n + 1] [ms] of at most 240 equal stretches."""
    n = max(1, min(COLUMNS, view.length_ms // max(1, step_ms)))
    edges: IntArray = np.linspace(view.start_ms, view.end_ms, n + 1).astype(np.int64)
    return edges


def top_of_scale(highest: float) -> float:
    """The next round value: 1, 1.5, 2, 3, 4, 5, 6, 8 × 10ⁿ."""
    if highest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(highest))
    return next(f * power for f in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if f * power >= highest)


def _colorbar(highest: float) -> theme.Part:
    ticks = [tick for tick in theme.round_ticks(top_of_scale(highest)) if tick > 0]
    return {
        "thickness": 8,
        "len": 1,
        "y": 0.5,
        "ypad": 0,
        "x": 1.006,
        "xpad": 0,
        "outlinewidth": 0,
        "tickvals": ticks,
        "ticktext": [f"{num(tick)}{THIN}W" if tick == ticks[-1] else num(tick) for tick in ticks],
        "tickfont": {"size": 11, "color": "@ink-3"},
    }


def _layout(rows: Sequence[str], gpus: Mapping[str, Curve], view: TimeWindow) -> theme.Part:
    shown = list(rows) if len(rows) <= 16 else list(rows)[:: math.ceil(len(rows) / 12)]
    longest = max(len(row) for row in shown)
    notes = _gap_notes(gpus, view)
    return {
        "margin": {
            "l": max(LEFT, min(200, round(18 + 6.2 * longest))),
            "r": RIGHT,
            "t": 18 if notes else 10,
            "b": 24,
            "autoexpand": False,
        },
        "hovermode": "closest",
        "xaxis": theme.time_axis(view.start_ms, view.end_ms, nticks=9, showspikes=False),
        "yaxis": {"autorange": "reversed", "showgrid": False, "tickvals": shown, "rangemode": "normal"},
        "annotations": notes,
    }


def _gap_notes(gpus: Mapping[str, Curve], view: TimeWindow) -> list[theme.Part]:
    """The longest stretches in which some, but not all, were silent."""
    found = [
        (b - a, row, (a + b) // 2)
        for row, curve in gpus.items()
        for a, b in gaps(curve, view.start_ms, view.end_ms)
        if _LONG_GAP * view.length_ms <= b - a < 0.9 * view.length_ms
    ]
    alone = [f for f in found if sum(abs(g[2] - f[2]) < f[0] // 2 for g in found) < max(2, len(gpus))]
    at = {"xref": "x", "xanchor": "center", "yref": "paper", "short": "gap"}
    return [
        theme.label(f"{row}: no readings, {span(length / 1000)}", 1, "@ink-2", **at | {"x": middle})
        for length, row, middle in sorted(alone, reverse=True)[:_MOST_NOTES]
    ]


def bucket_length_s(view: TimeWindow, step_ms: int) -> float:
    """How long each stretch of the map is [s]."""
    edges = bucket_edges(view, step_ms)
    return float(view.length_ms) / (len(edges) - 1) / 1000
