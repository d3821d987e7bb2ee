"""The figure of the papers: a job's node power over time against its limits, and the load of its GPUs.

Load has a strip of its own below (or, overlaid, the right-hand axis) on one time axis: two scales on one plot suggest a
relation that is not there. What lies before and after the run is shaded and does not count.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from app.domain.timeseries import Curve, FloatArray, IntArray, TimeWindow, gaps
from app.presentation.charts import MAX_POINTS, CurveLabel, placed, polyline, theme
from app.presentation.jobs.gpu_heatmap import LEFT, RIGHT
from app.presentation.text import Missing, PowerScale, notes, past, pct, power_scale

Axes = Literal["strip", "overlay"]

LEVEL = 0.85
"""A run whose median is at least this share of its maximum held that power."""
MOST_BANDS = 60
MOST_NAMES = 4
NODE_POINTS = 12_000
_LEAST_NODE_POINTS = 80
_STRIP, _POWER = (0.0, 0.21), (0.29, 1.0)
_WIDE_BAND = 0.09


@dataclass(frozen=True, kw_only=True)
class JobCurves:
    """A job's curves over a window that may reach beyond it.

    Attributes
    ----------
    total: power of its nodes together [W], its shares of those it shares. source: what it is called (`wall`).
    whole: power of the nodes themselves [W] where it shares any of them.
    nodes: label → power, of a job on several nodes only.
    gpu_sum, load: Σ power [W] and mean load [%] of its `gpus` GPUs; None without readings.
    start_ms, end_ms: of the job; end None while it runs.
    missing: device → when it was silent [ms]. silence: why nothing at all is known.
    """

    total: Curve
    start_ms: int
    end_ms: int | None
    source: str = "wall"
    whole: Curve | None = None
    nodes: Mapping[str, Curve] = field(default_factory=dict)
    gpu_sum: Curve | None = None
    load: Curve | None = None
    gpus: int = 0
    rated_w: float | None = None
    control_w: float | None = None
    missing: Missing = field(default_factory=dict)
    silence: str = "No readings from the meters of this job's nodes in this window."


def power(job: JobCurves, view: TimeWindow, title: str, name: str, axes: Axes = "strip") -> theme.Figure:
    """The curves of a job in a window; `job.silence` says why where there are none."""
    drawn = _drawn(job, view)
    if not drawn:
        return theme.empty("No power readings in this stretch", job.silence)
    top_w = max(*(float(np.nanmax(d.v)) for d in drawn), job.rated_w or 0.0, job.control_w or 0.0)
    scale = power_scale(top_w)
    load = _points(job.load, view) if job.load is not None else None
    if load is not None and not load[0].size:
        load = None
    top = top_w / scale.per * 1.09 or 1.0
    strip = load is not None and axes == "strip"
    layout = _layout(view, top, axes if load is not None else None)
    shapes, labels = _limits(job, scale, top)
    layout["shapes"] = _bands(job, view) + shapes
    names = placed([CurveLabel(d.title, d.ink, d.t_ms, d.v / scale.per) for d in drawn if d.title], view, top)
    layout["annotations"] = labels + _edges(job, view, strip) + names
    traces = [_trace(d, scale, len(job.nodes)) for d in drawn]
    if load is not None:
        traces.append(theme.line("GPU load", *load, "@load", width=1, unit="%", digits=0, yaxis="y2"))
        layout["annotations"] += _load_name(job, load, view)
    figure_notes = notes(job.missing, *_inside(job, view), running=job.end_ms is None)
    narrow = _narrow(layout, load is not None)
    return theme.figure(title, scale.unit, traces, layout, name=name, narrow=narrow, notes=figure_notes)


def power_title(
    median_w: float, max_w: float, rated_w: float | None, nodes: int, running: bool, *, shared: bool = False
) -> str:
    """What the run held, or drew at most, and how far that is under the nameplate."""
    if math.isnan(median_w) or math.isnan(max_w):
        return "Power of the node" if nodes == 1 else "Power of the nodes"
    who = "The node" if nodes == 1 else f"The {nodes} nodes"
    if shared:
        who = "Its share" if nodes == 1 else f"Its shares of {nodes} nodes"
    held = median_w >= LEVEL * max_w
    w = median_w if held else max_w
    did = ("holds" if nodes == 1 else "hold") if running and held else "held" if held else "drew up to"
    scale = power_scale(max(max_w, rated_w or 0.0))
    text = f"{who} {did} {scale.words(w)}{'' if nodes == 1 else ' together'}"
    if rated_w is None or rated_w <= 0:
        return text
    share = 100 * (1 - w / rated_w)
    return f"{text}, {pct(abs(share))} {'under' if share >= 0 else 'over'} {'its' if nodes == 1 else 'their'} rating"


@dataclass(frozen=True)
class _Drawn:
    """A curve as it is drawn [W]. title: the words beside it; empty where a neighbour's stand for it."""

    name: str
    title: str
    color: str
    ink: str
    width: float
    t_ms: IntArray
    v: FloatArray


def _drawn(job: JobCurves, view: TimeWindow) -> list[_Drawn]:
    found = [_node(label, curve, i, len(job.nodes), view) for i, (label, curve) in enumerate(job.nodes.items())]
    if job.gpu_sum is not None:
        name = "GPU" if job.gpus == 1 else f"Σ {job.gpus} GPUs"
        found.append(_Drawn(name, f"<b>{name}</b>", "@gpu", "@gpu-t", 1.3, *_points(job.gpu_sum, view)))
    several = len(job.nodes)
    name = f"{several} nodes" if several else "Node"
    title = f"<b>{several} nodes</b> together" if several else f"<b>node</b> ({job.source})"
    if job.whole is not None:
        whole = f"{several} whole nodes" if several else f"whole node ({job.source})"
        found.append(_Drawn(whole, whole, "@idle", "@ink-2", 1.2, *_points(job.whole, view)))
        name, title = "Its share", f"<b>its share</b>{' of them together' if several else ''}"
    found.append(_Drawn(name, title, "@power", "@power", 1.8, *_points(job.total, view)))
    return [d for d in found if np.isfinite(d.v).any()]


def _node(label: str, curve: Curve, i: int, n: int, view: TimeWindow) -> _Drawn:
    """One of several nodes, with its name; of many the middle one carries the name of them all."""
    t, v = polyline(curve, view.start_ms, view.end_ms, min(MAX_POINTS, max(_LEAST_NODE_POINTS, NODE_POINTS // n)))
    several = f"<b>each of the {n} nodes</b>" if i == n // 2 else ""
    title = label if n <= MOST_NAMES else several
    return _Drawn(label, title, "@s1" if i % 2 else "@s2", "@s1", 0.9, t, v)


def _points(curve: Curve, view: TimeWindow) -> tuple[IntArray, FloatArray]:
    return polyline(curve, view.start_ms, view.end_ms)


def _trace(d: _Drawn, scale: PowerScale, nodes: int) -> theme.Part:
    alone = d.color == "@power" and not nodes
    trace = theme.line(
        d.name, d.t_ms, scale.of(d.v), d.color, width=d.width, unit=scale.unit, digits=scale.digits, fill=alone
    )
    if d.color in ("@s1", "@s2") and nodes > 6:
        trace["hoverinfo"] = "skip"
        del trace["hovertemplate"]
    return trace


def _layout(view: TimeWindow, top: float, axes: Axes | None) -> theme.Part:
    layout: theme.Part = {
        "margin": {"l": LEFT, "r": RIGHT if axes else 14, "t": 8, "b": 26},
        "xaxis": theme.time_axis(view.start_ms, view.end_ms, nticks=9),
        "yaxis": theme.power_axis(top, theme.round_ticks(top, 6)),
        "hoversubplots": "axis",
    }
    if axes is None:
        return layout
    ticks = {"tickvals": [0, 50, 100], "ticktext": ["0", "50", "100 %"], "side": "right", "fixedrange": True}
    look = {"zeroline": False, "tickfont": {"size": 11, "color": "@ink-3"}, "range": [0, 112]}
    if axes == "overlay":
        return layout | {"yaxis2": ticks | look | {"overlaying": "y", "showgrid": False}}
    layout["xaxis"]["anchor"] = "y2"
    layout["yaxis"]["domain"] = list(_POWER)
    strip = {"domain": list(_STRIP), "anchor": "x", "showgrid": True, "gridcolor": "@grid"}
    return layout | {"yaxis2": ticks | look | strip}


def _narrow(layout: theme.Part, load: bool) -> theme.Part:
    return {
        "xaxis": layout["xaxis"] | {"nticks": 4},
        "margin": layout["margin"] | {"l": 42, "r": 46 if load else 8},
    }


def _limits(job: JobCurves, scale: PowerScale, top: float) -> tuple[list[theme.Part], list[theme.Part]]:
    """Rated dashed, control run dotted, each with its name and value; the lower one's below where they are close."""
    shapes, labels = [], []
    right = {"x": 0.99, "xanchor": "right"}
    if job.rated_w is not None:
        y = job.rated_w / scale.per
        shapes.append(theme.limit(y, "@ink", "dash"))
        labels.append(theme.label(f"rated {scale.limit(job.rated_w)}", y, "@ink", **right))
    if job.control_w is not None:
        y = job.control_w / scale.per
        close = job.rated_w is not None and 0 <= job.rated_w / scale.per - y < 0.07 * top
        shapes.append(theme.limit(y, "@idle", "dot", 1.8))
        text = f"control run {scale.words(job.control_w)}"
        where = {"yanchor": "top"} if close else {}
        labels.append(theme.label(text, y, "@ink-2", short=f"control {scale.words(job.control_w)}", **right, **where))
    return shapes, labels


def _outside(job: JobCurves, view: TimeWindow) -> list[tuple[str, int, int]]:
    end = view.end_ms if job.end_ms is None else job.end_ms
    found = [("before", view.start_ms, min(job.start_ms, view.end_ms)), ("after", max(end, view.start_ms), view.end_ms)]
    return [(word, a, b) for word, a, b in found if a < b]


def _inside(job: JobCurves, view: TimeWindow) -> tuple[int, int]:
    """The part of the window in which the job ran."""
    return max(job.start_ms, view.start_ms), view.end_ms if job.end_ms is None else min(job.end_ms, view.end_ms)


def _inside_gaps(job: JobCurves, view: TimeWindow) -> list[tuple[int, int]]:
    start, end = _inside(job, view)
    return past(gaps(job.total, start, end), end, running=job.end_ms is None)[:MOST_BANDS] if start < end else []


def _bands(job: JobCurves, view: TimeWindow) -> list[theme.Part]:
    return [
        *(theme.band(a, b, "@idle/.1") for _, a, b in _outside(job, view)),
        *(theme.band(a, b, "@idle/.2") for a, b in _inside_gaps(job, view)),
    ]


def _edges(job: JobCurves, view: TimeWindow, strip: bool) -> list[theme.Part]:
    """`before`, `after` and `no readings` where there is room for them: between the strips, else at the bottom."""
    words = [*_outside(job, view), *(("no readings", a, b) for a, b in _inside_gaps(job, view))]
    room = {"before": _WIDE_BAND / 2, "after": _WIDE_BAND / 2, "no readings": _WIDE_BAND}
    at = {"xref": "x", "xanchor": "center", "short": ""}
    if strip:
        y, low = (_STRIP[1] + _POWER[0]) / 2, {"yref": "paper", "yanchor": "middle"}
    else:
        y, low = 0.0, {"yref": "y", "yanchor": "bottom"}
    return [
        theme.label(word, y, "@ink-3", **at | low | {"x": (a + b) // 2})
        for word, a, b in words
        if b - a >= room[word] * view.length_ms
    ]


def _load_name(job: JobCurves, load: tuple[IntArray, FloatArray], view: TimeWindow) -> list[theme.Part]:
    text = "<b>GPU load</b>" + (f", mean of {job.gpus}" if job.gpus > 1 else "")
    return placed(
        [CurveLabel(text, "@load", *load)], view, 112.0, yref="y2", short="<b>GPU load</b>", height=0.3, near=0.5
    )
