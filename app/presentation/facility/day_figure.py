"""The figure of the last day of the facility: what was measured, and above it what the missing part drew last."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from app.domain.energy import statistics
from app.domain.timeseries import Curve, FloatArray, IntArray, TimeWindow
from app.presentation.charts import CurveLabel, limit_label, polyline, theme
from app.presentation.facility.day_power import DayPower, PartialDay
from app.presentation.text import clock, limit_kw, names


def day(power: DayPower, usable_w: float | None, labels: Mapping[str, str], missing: str = "silent") -> theme.Figure:
    """Return the power of the facility [kW] against its usable power.

    Where a member is missing the line drops to what is known; above it the last value of the missing member is held,
    hatched, and enters no sum. `labels`: member → what it is called. `missing`: what is said of a missing member.
    """
    total, partial, view = power.total, power.partial, power.view
    t, v = polyline(total, view.start_ms, view.end_ms)
    if not t.size and (partial is None or partial.max_w is None):
        return theme.empty(f"No readings in {view.label}", "The curve begins with the first reading of every rack.")
    peaks = [statistics(total, view.start_ms, view.end_ms).max] if t.size else []
    peaks += [float(np.nanmax(partial.held_w))] if partial and np.isfinite(partial.held_w).any() else []
    peaks += [partial.max_w[0]] if partial and partial.max_w else []
    top = max([*peaks, usable_w or 0.0]) / 1000
    data = [theme.line("facility", t, v / 1000, "@power", digits=1, fill=True)] if t.size else []
    words: list[theme.Part] = []
    shapes: list[theme.Part] = []
    if partial:
        data += _partial_lines(partial)
        shapes, words = _where_it_begins(partial, view, top, labels, missing)
    data += _now(total, partial, view)
    if usable_w:
        shapes.append(theme.limit(usable_w / 1000, "@ink-2", width=1.2))
        curve = CurveLabel("", "", t, v / 1000)
        words.append(limit_label(f"usable {limit_kw(usable_w)}", usable_w / 1000, "@ink-2", curve, view, top * 1.13))
    layout: theme.Part = {
        "margin": {"l": 40, "r": 14, "t": 16, "b": 22},
        "xaxis": theme.time_axis(view.start_ms, view.end_ms, nticks=7),
        "yaxis": theme.power_axis(top * 1.13, theme.round_ticks(top)),
        "shapes": shapes,
        "annotations": words,
    }
    return theme.figure(
        "",
        "kW",
        data,
        layout,
        name=f"facility-{view.label.replace(' ', '')}",
        narrow={"xaxis": layout["xaxis"] | {"nticks": 4}},
    )


def _partial_lines(partial: PartialDay) -> list[theme.Part]:
    known = theme.line("known part", partial.t_ms, partial.known_w / 1000, "@power", digits=1)
    below = _area(partial.t_ms, np.zeros_like(partial.known_w), partial.known_w) | {"fillcolor": "@power/.1"}
    if not np.isfinite(partial.held_w).any():
        return [below, known]
    hatch = {"shape": "/", "size": 5, "solidity": 0.3, "fgcolor": "@power"}
    above = _area(partial.t_ms, partial.known_w, partial.held_w) | {"fillcolor": "@power/.02", "fillpattern": hatch}
    held = theme.line("with last known", partial.t_ms, partial.held_w / 1000, "@power", digits=1, width=1.2)
    return [below, known, above, held | {"line": held["line"] | {"dash": "dot"}}]


def _area(t_ms: IntArray, low: FloatArray, high: FloatArray) -> theme.Part:
    """Return the area between two lines, a closed outline for each stretch: a fill to zero would run across gaps."""
    x: list[IntArray] = []
    y: list[FloatArray] = []
    for rows in np.split(np.arange(len(t_ms)), np.flatnonzero(np.isnan(high))):
        inside = rows[np.isfinite(high[rows])]
        if inside.size > 1:
            t = t_ms[inside]
            x += [t, t[::-1], t[:1]]
            y += [high[inside], low[inside][::-1], np.array([np.nan])]
    if not x:
        x, y = [t_ms[:0]], [high[:0]]
    outline = theme.line("", np.concatenate(x), np.concatenate(y) / 1000, "@power", width=0)
    del outline["name"]
    return outline | {"fill": "toself", "hoverinfo": "skip"}


def _where_it_begins(
    partial: PartialDay, view: TimeWindow, top: float, labels: Mapping[str, str], missing: str
) -> tuple[list[theme.Part], list[theme.Part]]:
    """Mark the begin of the longest stretch, and what is missing in it."""
    start = partial.longest[0]
    called = list(dict.fromkeys(labels.get(name, name) for name in partial.silent))
    if start <= view.start_ms and len(called) == len(set(labels.values())):
        return [], []
    line = {"color": "@ink-3", "width": 1, "dash": "dot"}
    mark = {"type": "line", "xref": "x", "x0": start, "x1": start, "yref": "y", "y0": 0, "y1": top * 0.92, "line": line}
    late = start > view.start_ms + 0.6 * view.length_ms
    when = "" if start <= view.start_ms else f"{clock(start)} "
    text = f"{when}{names(called)} {missing}"
    brief = called[0] if len(called) == 1 else str(len(called))
    anchor = {"xref": "x", "x": start, "xanchor": "right" if late else "left", "short": f"{when}{brief} {missing}"}
    return [mark] if when else [], [theme.label(text, top * 0.92, "@ink-2", yanchor="top", **anchor)]


def _now(total: Curve, partial: PartialDay | None, view: TimeWindow) -> list[theme.Part]:
    """Return the dot at the end of the line."""
    if partial is not None and partial.longest[1] >= view.end_ms and np.isfinite(partial.known_w[-1]):
        return [theme.now_mark(int(partial.t_ms[-1]), float(partial.known_w[-1]) / 1000, "@power")]
    if len(total) and view.end_ms - int(total.t_ms[-1]) <= theme.PENDING_MS:
        return [theme.now_mark(int(total.t_ms[-1]), float(total.v[-1]) / 1000, "@power")]
    return []
