"""The figures of the node page: all its sources of power on one chart, and its GPUs as small multiples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.domain.energy import mean_w, statistics
from app.domain.timeseries import Curve, FloatArray, IntArray, TimeWindow
from app.presentation.charts import holes, polyline, theme
from app.presentation.text import count, kw, moment, num, span, stretch

ODD_SHARE = 0.15
"""A GPU whose mean differs from the others' median by more than this is named."""
BUSY_W = 150.0
MOST_BANDS = 60
RESIDUAL = "wall − components"
_SHORT = {RESIDUAL: "rest", "components": "parts"}
"""The label at the end of a curve whose name is too long."""
_SPACE = (0.035, 0.13)


@dataclass(frozen=True, kw_only=True)
class NodeSources:
    """Every source of a node's power [W], and the limits shown with it.

    Attributes
    ----------
    wall: the sum of its outlets, or its fallback; wall_name says which.
    gpu_sum, bmc: None where there is none. residual: wall − components. is_partial: a part is missing now.
    """

    wall: Curve
    wall_name: str = "wall"
    gpu_sum: Curve | None = None
    bmc: Curve | None = None
    residual: Curve | None = None
    rated_w: float | None = None
    control_w: float | None = None
    missing: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    is_coarse: bool = False
    is_partial: bool = False


def power(node: NodeSources, view: TimeWindow, name: str) -> theme.Figure:
    """Return wall, Σ GPU and BMC [kW] with the rated, observed-maximum and control lines."""
    drawn = _drawn(node, view)
    if not drawn:
        return theme.empty("No readings in this window", "The meters of this node reported nothing in this window.")
    found = statistics(node.wall, view.start_ms, view.end_ms)
    max_w, max_at_ms = (math.nan, None) if node.is_coarse else (found.max, found.max_at_ms)
    tops = [float(np.nanmax(s.v)) for s in drawn] + [w / 1000 for w in (node.rated_w, node.control_w) if w is not None]
    shapes, labels = _lines(node, max_w, max_at_ms, view)
    shapes += [theme.band(a, b, "@idle/.1") for a, b in holes(node.wall, view)[:MOST_BANDS]]
    layout: theme.Part = {
        "margin": {"l": 40, "r": 62, "t": 10, "b": 24},
        "xaxis": theme.time_axis(view.start_ms, view.end_ms, nticks=10),
        "yaxis": theme.power_axis(max(tops) * 1.1, theme.round_ticks(max(tops))),
        "shapes": shapes,
        "annotations": labels + _ends(drawn, max(tops)),
    }
    narrow = {"xaxis": layout["xaxis"] | {"nticks": 5}, "margin": layout["margin"] | {"l": 34, "r": 42}}
    traces = [theme.line(s.title, s.t_ms, s.v, s.color, width=s.width, fill=s.color == "@power") for s in drawn]
    title = power_title(max_w, node.rated_w, node.wall_name, is_partial=node.is_partial)
    return theme.figure(title, "kW", traces, layout, name=name, narrow=narrow, notes=_notes(node))


def power_title(max_w: float, rated_w: float | None, source: str = "wall", *, is_partial: bool = False) -> str:
    """Compare the node with its nameplate; components alone are not compared with it.

    `is_partial`: a part of it is missing now, so that the node may have drawn more.
    """
    if math.isnan(max_w):
        return "Power of the node"
    if source == "components":
        return f"Its components alone drew up to {kw(max_w)}"
    if is_partial and (rated_w is None or rated_w >= max_w):
        return f"The node drew {kw(max_w)} or more{'' if rated_w is None else f', rated {kw(rated_w, 1)}'}"
    if rated_w is None:
        return f"The node drew up to {kw(max_w)}"
    room = rated_w - max_w
    return f"The node stays {kw(room)} under its rating" if room >= 0 else f"The node was {kw(-room)} over its rating"


@dataclass(frozen=True)
class _Drawn:
    """A curve as drawn [kW]."""

    title: str
    color: str
    ink: str
    width: float
    t_ms: IntArray
    v: FloatArray


def _drawn(node: NodeSources, view: TimeWindow) -> list[_Drawn]:
    rows = (
        (node.wall, node.wall_name, "@power", "@power", 1.8),
        (node.gpu_sum, "Σ GPU", "@gpu", "@gpu-t", 1.3),
        (node.bmc, "BMC", "@aux", "@aux-t", 1.2),
        (node.residual, RESIDUAL, "@idle", "@ink-2", 1.1),
    )
    drawn = []
    for curve, title, color, ink, width in rows:
        t, v = polyline(curve or Curve.empty(), view.start_ms, view.end_ms)
        if t.size:
            drawn.append(_Drawn(title, color, ink, width, t, v / 1000))
    return drawn


def _lines(
    node: NodeSources, max_w: float, max_at_ms: int | None, view: TimeWindow
) -> tuple[list[theme.Part], list[theme.Part]]:
    shapes, labels = [], []
    if node.rated_w is not None:
        shapes.append(theme.limit(node.rated_w / 1000, "@ink", "dash"))
        labels.append(theme.label(f"rated {kw(node.rated_w, 1)}", node.rated_w / 1000, "@ink"))
    if node.control_w is not None:
        shapes.append(theme.limit(node.control_w / 1000, "@idle", "dot"))
        text = f"control run {kw(node.control_w)}"
        labels.append(theme.label(text, node.control_w / 1000, "@ink-2", short=f"control {kw(node.control_w, 1)}"))
    if max_at_ms is not None:
        shapes.append(theme.limit(max_w / 1000, "@ink-2", "solid", 1))
        text = f"observed max {kw(max_w)} at {moment(max_at_ms, view.end_ms)}"
        labels.append(theme.label(text, max_w / 1000, "@ink-2", x=0.995, xanchor="right", short=f"max {kw(max_w)}"))
    return shapes, labels


def _ends(drawn: Sequence[_Drawn], top: float) -> list[theme.Part]:
    """Return the names at the right end of the curves, moved apart where they would overlap."""
    labels, low = [], -math.inf
    for source in sorted(drawn, key=lambda s: _last(s.v)):
        low = max(_last(source.v), low + top * 0.055)
        labels.append(theme.label(f"<b>{_short(source.title)}</b>", low, source.ink, x=1, xshift=5, yanchor="middle"))
    return labels


def _short(title: str) -> str:
    """Return what fits beside the chart: `wall` of `wall, derived`."""
    name = title.partition(",")[0]
    return _SHORT.get(name, name)


def _last(v: FloatArray) -> float:
    return float(v[np.isfinite(v)][-1])


def _notes(node: NodeSources) -> list[str]:
    """Say which meter is missing, and when."""
    notes = []
    for meter, stretches in node.missing.items():
        total = span(sum(b - a for a, b in stretches) / 1000)
        if len(stretches) == 1:
            notes.append(f"{meter}: no readings {stretch(*stretches[0])} ({total}).")
        else:
            notes.append(f"{meter}: no readings {len(stretches)} times, {total} in all.")
    return notes[:4]


def gpus(curves: Mapping[str, Curve], view: TimeWindow, name: str) -> theme.Figure:
    """Return one small chart for each GPU [W], all on one scale."""
    known = {title: c for title, c in curves.items() if len(c)}
    if not known:
        return theme.empty("No GPU readings in this window", "GPU power is read from the exporter of a node.")
    top = max(statistics(c, view.start_ms, view.end_ms).max for c in known.values())
    top = 100.0 if math.isnan(top) else top
    wide, narrow = _grid(list(known), 4, top, view), _grid(list(known), 2, top, view)
    traces = []
    for i, (title, curve) in enumerate(known.items()):
        t, v = polyline(curve, view.start_ms, view.end_ms, 400)
        mark = "" if i == 0 else str(i + 1)
        axes = {"xaxis": f"x{mark}", "yaxis": f"y{mark}"}
        traces.append(theme.line(title, t, v, "@gpu", width=1.2, unit="W", digits=0, fill=True) | axes)
    title = gpus_title({k: mean_w(c, view.start_ms, view.end_ms) for k, c in known.items()})
    return theme.figure(title, "W each", traces, wide, name=name, narrow=narrow)


def gpus_title(means: Mapping[str, float]) -> str:
    """Say whether the GPUs draw the same power, or which one does not."""
    known = {k: w for k, w in means.items() if not math.isnan(w)}
    if len(known) < 3:
        return "GPUs" if not known else count(len(known), "GPU")
    middle = float(np.median(list(known.values())))
    odd = max(known, key=lambda k: abs(known[k] - middle))
    share = known[odd] / middle - 1 if middle > 0 else 0.0
    if middle < BUSY_W:
        return f"{count(len(known), 'GPU')}, {num(middle)}\u2009W in the mean"
    if abs(share) < ODD_SHARE:
        return f"The {len(known)} GPUs draw alike, {num(middle)}\u2009W in the mean"
    return f"{odd} drew {num(abs(100 * share))}\u2009% {'more' if share > 0 else 'less'} than the others"


def _grid(titles: Sequence[str], columns: int, top: float, view: TimeWindow) -> theme.Part:
    """Return the layout of small multiples: domains, ticks on the outer ones only, a title in each."""
    columns = min(columns, len(titles))
    rows = math.ceil(len(titles) / columns)
    width, height = (1 - _SPACE[0] * (columns - 1)) / columns, (1 - _SPACE[1] * (rows - 1)) / rows
    layout: theme.Part = {"margin": {"l": 34, "r": 10, "t": 18, "b": 22}, "annotations": [], "hovermode": "x"}
    ticks = theme.round_ticks(top, 2)
    for i, title in enumerate(titles):
        row, column = divmod(i, columns)
        x0, y1 = column * (width + _SPACE[0]), 1 - row * (height + _SPACE[1])
        mark = "" if i == 0 else str(i + 1)
        below = i + columns >= len(titles)
        layout[f"xaxis{mark}"] = theme.time_axis(
            view.start_ms, view.end_ms, nticks=4, domain=[x0, x0 + width], anchor=f"y{mark}",
            showticklabels=below, ticks="outside" if below else "", matches="x" if mark else None,
        )  # fmt: skip
        layout[f"yaxis{mark}"] = theme.power_axis(
            top * 1.12, ticks, domain=[y1 - height, y1], anchor=f"x{mark}", showticklabels=column == 0
        )
        layout["annotations"].append(theme.label(title, y1, "@ink-2", x=x0, yref="paper", yanchor="bottom", yshift=1))
    return layout
