"""Power caps compared with a reference: energy gain, performance loss, EDP and EDS.

After figures 2 to 6 of Koszczał et al. 2023; gains on one axis, EDP and EDS on another, both over the cap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.studies import StudyComparison
from app.presentation.charts import ink, plain, theme, values
from app.presentation.text import THIN, num, pct


@dataclass(frozen=True)
class CapPoint:
    """A cap and its comparison; standard deviations in %, NaN if unknown."""

    cap: float
    comparison: StudyComparison
    gain_std: float = math.nan
    loss_std: float = math.nan


@dataclass(frozen=True)
class Axis:
    """Title and unit (may be empty) of the capped quantity."""

    title: str
    unit: str

    def words(self, cap: float) -> str:
        """Format a cap: `170 W`."""
        return f"{num(cap, 0 if cap == round(cap) else 2)}{THIN}{self.unit}".rstrip(THIN)


def axis_of(tag: str) -> Axis:
    """Return the axis of a tag: `power_cap_w` is a power cap in W."""
    base, _, unit = tag.rpartition("_")
    if base and unit in ("w", "kw", "mhz"):
        return Axis(plain(base.replace("_", " ")), {"w": "W", "kw": "kW", "mhz": "MHz"}[unit])
    return Axis(plain(tag.replace("_", " ")), "")


def gains(points: Sequence[CapPoint], reference: float, axis: Axis, name: str) -> theme.Figure:
    """Draw energy gain, performance loss and their difference [%, points] over the cap."""
    lines = [
        _Line(
            "energy gain",
            "gain",
            "@power",
            [p.comparison.energy_gain_pct for p in points],
            [p.gain_std for p in points],
        ),
        _Line(
            "performance loss",
            "loss",
            "@gpu",
            [p.comparison.performance_loss_pct for p in points],
            [p.loss_std for p in points],
        ),
        _Line("difference", "diff.", "@aux", [p.comparison.net_points for p in points]),
    ]
    best = [
        max(range(len(points)), key=lambda i: lines[0].v[i]),
        None,
        max(range(len(points)), key=lambda i: lines[2].v[i]),
    ]
    at = points[max(range(len(points)), key=lambda i: (lines[2].v[i], points[i].cap))]
    return _figure(_gain_title(at, reference, axis), "%", points, reference, axis, lines, best, 0.0, name)


def costs(points: Sequence[CapPoint], reference: float, ks: Sequence[float], axis: Axis, name: str) -> theme.Figure:
    """Draw EDP and EDS_k over the cap, each 1 at the reference: lower is better."""
    lines = [_Line("EDP", "EDP", "@load", [p.comparison.edp for p in points])]
    colors = ("@power", "@gpu", "@aux", "@idle")
    for i, k in enumerate(ks):
        lines.append(
            _Line(f"EDS, k = {k:g}", f"EDS {k:g}", colors[i % len(colors)], [p.comparison.eds[k] for p in points])
        )
    best: list[int | None] = [min(range(len(points)), key=line.v.__getitem__) for line in lines]
    first = points[best[0] or 0]
    gain = first.comparison.edp_gain_pct
    title = "No cap has a better EDP than the reference"
    if gain > 0:
        title = f"EDP is best at {axis.words(first.cap)}, {pct(gain, 1)} under the reference"
    return _figure(title, "of the reference", points, reference, axis, lines, best, 1.0, name)


@dataclass(frozen=True)
class _Line:
    name: str
    short: str
    color: str
    v: Sequence[float]
    std: Sequence[float] = ()


def _gain_title(best: CapPoint, reference: float, axis: Axis) -> str:
    c = best.comparison
    if best.cap == reference or c.net_points <= 0:
        return "No cap saves more than it costs"
    less, more = pct(c.energy_gain_pct, 1), pct(abs(c.performance_loss_pct), 1)
    time = f"{more} {'more' if c.performance_loss_pct >= 0 else 'less'} time"
    return f"{axis.words(best.cap)}: {less} less energy for {time}"


def _figure(
    title: str, unit: str, points: Sequence[CapPoint], reference: float, axis: Axis, lines: Sequence[_Line],
    best: Sequence[int | None], level: float, name: str,
) -> theme.Figure:  # fmt: skip
    caps = [p.cap for p in points]
    low, high = _reach(lines, level)
    traces = [_trace(line, caps, unit, axis) for line in lines]
    traces += [_ring(line, caps[i], line.v[i]) for line, i in zip(lines, best, strict=True) if i is not None]
    span = max(caps) - min(caps) or 1.0
    layout: theme.Part = {
        "margin": {"l": 48, "r": 112, "t": 8, "b": 40},
        "hovermode": "x unified",
        "xaxis": {
            "range": [min(caps) - 0.03 * span, max(caps) + 0.03 * span],
            "title": {"text": f"{axis.title}, {axis.unit}" if axis.unit else axis.title},
            "tickvals": caps if len(caps) <= 9 else None,
            "nticks": 9,
            "hoverformat": ",.4~g",
            "fixedrange": True,
        },
        "yaxis": {"range": [low, high], "ticksuffix": f"{THIN}%" if unit == "%" else "", "rangemode": "normal"},
        "shapes": [theme.limit(level, "@ink-3", "dash", 1)],
        "annotations": [*_names(lines, low, high), *_bests(lines, best, caps, axis, lower=level == 1.0)],
    }
    narrow = {
        "margin": layout["margin"] | {"l": 40, "r": 58},
        "xaxis": layout["xaxis"] | {"tickvals": None, "nticks": 5},
    }
    note = f"Against {axis.words(reference)}. Rings mark the best value of each line."
    return theme.figure(title, unit, traces, layout, name=name, narrow=narrow, notes=[note])


def _reach(lines: Sequence[_Line], level: float) -> tuple[float, float]:
    ends = [level]
    for line in lines:
        stds = [0.0 if math.isnan(s) else s for s in line.std] or [0.0] * len(line.v)
        ends += [x + sign * s for x, s in zip(line.v, stds, strict=True) for sign in (-1, 1)]
    margin = 0.1 * (max(ends) - min(ends) or 1.0)
    return min(ends) - margin, max(ends) + margin


def _trace(line: _Line, caps: Sequence[float], unit: str, axis: Axis) -> theme.Part:
    shown = "%{y:.1f} %" if unit == "%" else "%{y:.3f}"
    trace: theme.Part = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": line.name,
        "unit": unit,
        "x": list(caps),
        "y": values(line.v),
        "line": {"color": line.color, "width": 1.8},
        "marker": {"color": line.color, "size": 5},
        "hovertemplate": shown,
    }
    if any(not math.isnan(s) for s in line.std):
        array = [None if math.isnan(s) else s for s in line.std]
        trace["error_y"] = {"type": "data", "array": array, "color": line.color, "thickness": 1, "width": 3}
    return trace


def _ring(line: _Line, cap: float, v: float) -> theme.Part:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [cap],
        "y": values([v]),
        "marker": {"color": "rgba(0,0,0,0)", "size": 13, "line": {"color": line.color, "width": 2}},
        "hoverinfo": "skip",
    }


def _names(lines: Sequence[_Line], low: float, high: float) -> list[theme.Part]:
    """Place names at the right ends, pushed apart where lines meet (at the reference all do)."""
    room = 0.085 * (high - low)
    order = sorted(range(len(lines)), key=lambda i: _approach(lines[i]))
    places: dict[int, float] = {}
    floor = low + 0.5 * room
    for i in order:
        floor = max(floor, lines[i].v[-1])
        places[i] = floor
        floor += room
    over = floor - room - (high - 0.5 * room)
    shift = max(0.0, over)
    return [
        theme.label(
            f"<b>{line.name}</b>",
            places[i] - shift,
            ink(line.color),
            x=1.0,
            xshift=6,
            yanchor="middle",
            short=f"<b>{line.short}</b>",
        )
        for i, line in enumerate(lines)
    ]


def _approach(line: _Line) -> tuple[float, float]:
    """Return the end of a line and its mean, to sort names of lines that end in one point."""
    return line.v[-1], math.fsum(line.v) / len(line.v)


def _bests(
    lines: Sequence[_Line], best: Sequence[int | None], caps: Sequence[float], axis: Axis, *, lower: bool
) -> list[theme.Part]:
    """Label each best cap once, at the outermost of the lines that have their best there."""
    out: dict[int, float] = {}
    for line, i in zip(lines, best, strict=True):
        if i is not None:
            out[i] = (min if lower else max)(line.v[i], out.get(i, line.v[i]))
    side = {"yanchor": "top", "yshift": -9} if lower else {"yanchor": "bottom", "yshift": 9}
    return [
        theme.label(axis.words(caps[i]), v, "@ink-2", xref="x", x=caps[i], xanchor="center", yref="y", short="", **side)
        for i, v in out.items()
    ]
