"""The figures of the rack page: its nodes stacked against its limits, and the title of the elevation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.energy import statistics
from app.domain.timeseries import Curve, FloatArray, IntArray, TimeWindow, add, downsample, gaps, value_at
from app.presentation.charts import MAX_POINTS, CurveLabel, holes, limit_label, theme, values
from app.presentation.text import count, kw, limit_kw, moment, names, num, span, stretch

MOST_LABELS = 9
MOST_BANDS = 60
MOST_NOTES = 3
MIN_BAND_SHARE = 0.0015
"""A stretch below this share of the window is too thin to see; the note below counts it."""


@dataclass(frozen=True)
class NodeCurve:
    """A node's power [W], its rating, and since when its meters are read. `is_read`: False while some cannot be."""

    label: str
    power: Curve
    rated_w: float | None = None
    began_ms: int | None = None
    is_read: bool = True


def stack(
    nodes: Sequence[NodeCurve],
    total: Curve,
    usable_w: float | None,
    view: TimeWindow,
    name: str,
    max_name: str | None = "max",
    *,
    is_partial: bool = False,
) -> theme.Figure:
    """Return the nodes' power stacked [kW], from the bottom of the rack up, with usable and rated power.

    Each band is drawn from the top down as a filled curve of the running sum, with a NaN wherever the node is
    missing: so a gap is a gap for that node, and no fill runs across it. What remains there is pale, because
    the sum of the rest is not the rack. `total` is the power of the rack: its inlets where they are metered, else the
    sum of its nodes. `max_name`: what its maximum is; None where there is none. `is_partial`: a part is missing now.
    """
    drawn = [n for n in nodes if len(n.power)]
    t = _grid([n.power for n in drawn], view)
    if not t.size and not all(n.is_read for n in nodes):
        return theme.empty("Not known now", "The readings of these nodes cannot be read now.")
    if not t.size:
        return theme.empty("No readings in this window", "The meters of these nodes reported nothing in this window.")
    own = np.array([value_at(n.power, t) for n in drawn]) / 1000
    peak = statistics(total, view.start_ms, view.end_ms)
    rated_w = _rated_w(nodes)
    drawn_w = float(np.nansum(own, axis=0).max()) * 1000
    top = max(w for w in (peak.max, drawn_w, usable_w or 0.0, rated_w or 0.0) if w == w) / 1000
    edge = CurveLabel("", "", t, np.nansum(own, axis=0))
    limits, labels = _limits(usable_w, rated_w, len(nodes), edge, view)
    labels += _names(drawn, own, top)
    labels += _peak(peak.max, peak.max_at_ms, view, max_name) if max_name else []
    layout: theme.Part = {
        "margin": {"l": 34, "r": 84, "t": 8, "b": 24},
        "xaxis": theme.time_axis(view.start_ms, view.end_ms, nticks=9),
        "yaxis": theme.power_axis(top * 1.09, theme.round_ticks(top)),
        "shapes": _shades(drawn, view) + limits,
        "annotations": labels,
    }
    narrow = {"margin": {"l": 30, "r": 30, "t": 8, "b": 24}, "xaxis": layout["xaxis"] | {"nticks": 5}}
    return theme.figure(
        stack_title(peak.max if max_name else math.nan, usable_w, is_partial=is_partial),
        "kW by node",
        [*_bands(drawn, t, own), _total_line(t, own)],
        layout,
        name=name,
        narrow=narrow,
        notes=_notes([n for n in drawn if n.is_read], [n for n in nodes if n.is_read], view),
    )


def stack_title(max_w: float, usable_w: float | None, *, is_partial: bool = False) -> str:
    """Compare the rack with its capacity; `is_partial`: a part is missing now, so that it may be more."""
    if math.isnan(max_w):
        return "Power by node"
    if is_partial and (usable_w is None or usable_w >= max_w):
        of = "" if usable_w is None else f" of {limit_kw(usable_w)}"
        return f"The rack drew {kw(max_w, 1)} or more{of}"
    if usable_w is None:
        return f"The rack drew up to {kw(max_w, 1)}"
    room = usable_w - max_w
    return (
        f"The rack stays {kw(room, 0 if room >= 10e3 else 1)} under its capacity"
        if room >= 0
        else f"The rack was {kw(-room, 1)} over its capacity"
    )


def _rated_w(nodes: Sequence[NodeCurve]) -> float | None:
    """Return the sum of the nodes' ratings [W]; None unless every node has one."""
    rated = [n.rated_w for n in nodes if n.rated_w is not None]
    return sum(rated) if len(rated) == len(nodes) and nodes else None


def _shades(drawn: Sequence[NodeCurve], view: TimeWindow) -> list[theme.Part]:
    """Return pale stretches, behind and above the bands, where a node is missing."""
    visible = _visible(_missing(drawn, view), view)
    behind = [theme.band(a, b, "@idle/.12") for a, b in visible]
    return behind + [theme.band(a, b, "@surface/.62", layer="above") for a, b in visible]


def _grid(curves: Sequence[Curve], view: TimeWindow) -> IntArray:
    """Return times that all bands share: those that keep the peaks of every node, and both edges of every gap."""
    if not curves:
        return np.empty(0, np.int64)
    each = max(8, MAX_POINTS // len(curves) - 8)
    parts = [downsample(c, view.start_ms, view.end_ms, each)[0] for c in curves]
    edges = [
        np.array([[a, a + 1, b - 1, b] for a, b in gaps(c, view.start_ms, view.end_ms)], np.int64).ravel()
        for c in curves
    ]
    t = np.unique(np.concatenate(parts + [e for e in edges if e.size <= MAX_POINTS // 4]))
    inside: IntArray = t[(t >= view.start_ms) & (t <= view.end_ms)]
    return inside if any(np.isfinite(value_at(c, inside)).any() for c in curves) else np.empty(0, np.int64)


def _bands(nodes: Sequence[NodeCurve], t: IntArray, own: FloatArray) -> list[theme.Part]:
    sums = np.nancumsum(own, axis=0)
    sums[np.isnan(own)] = np.nan
    return [
        theme.line(n.label, t, sums[i], "@surface", width=0.8)
        | {
            "fill": "tozeroy",
            "fillcolor": f"@s{i % 2 + 1}",
            "customdata": values(own[i]),
            "hovertemplate": "%{customdata:.2f} kW",
        }
        for i, n in reversed(list(enumerate(nodes)))
    ]


def _total_line(t: IntArray, own: FloatArray) -> theme.Part:
    """Return the edge of the stack, so that the hover states the sum of the nodes; not drawn where one is missing."""
    return theme.line("all nodes", t, own.sum(axis=0), "@ink-2", width=0.8)


def _limits(
    usable_w: float | None, rated_w: float | None, nodes: int, edge: CurveLabel, view: TimeWindow
) -> tuple[list[theme.Part], list[theme.Part]]:
    """Return the lines of the limits, and their names where the stack does not reach them."""
    shapes: list[theme.Part] = []
    labels: list[theme.Part] = []
    top = max([*edge.v, (usable_w or 0.0) / 1000, (rated_w or 0.0) / 1000])
    if usable_w is not None:
        shapes.append(theme.limit(usable_w / 1000, "@ink"))
        name = f"usable {limit_kw(usable_w)}"
        labels.append(limit_label(name, usable_w / 1000, "@ink", edge, view, top, is_filled=True))
    if rated_w is not None:
        shapes.append(theme.limit(rated_w / 1000, "@ink-2", "dash"))
        name = f"rated {num(rated_w / 1000, 1)} kW ({count(nodes, 'node')})"
        labels.append(limit_label(name, rated_w / 1000, "@ink-2", edge, view, top, is_filled=True))
    return shapes, labels


def _names(nodes: Sequence[NodeCurve], own: FloatArray, top: float) -> list[theme.Part]:
    """Return each node's name at the right end of its band; omitted where the bands are too thin for text."""
    last = np.array([row[np.isfinite(row)][-1] if np.isfinite(row).any() else 0.0 for row in own])
    ends = np.cumsum(last)
    if len(nodes) > MOST_LABELS:
        return []
    return [
        theme.label(n.label, float(ends[i] - last[i] / 2), "@ink-2", x=1, xshift=5, yanchor="middle", short=str(i + 1))
        for i, n in enumerate(nodes)
        if last[i] > top * 0.035
    ]


def _peak(max_w: float, max_at_ms: int | None, view: TimeWindow, name: str) -> list[theme.Part]:
    if max_at_ms is None:
        return []
    late = max_at_ms > view.start_ms + view.length_ms * 0.7
    text = f"{name} {num(max_w / 1000, 1 if max_w >= 10e3 else 2)} kW at {moment(max_at_ms, view.end_ms)}"
    anchor = "right" if late else "center" if max_at_ms > view.start_ms + view.length_ms * 0.15 else "left"
    return [theme.label(text, max_w / 1000, "@ink", xref="x", x=max_at_ms, xanchor=anchor, yshift=3)]


def _missing(nodes: Sequence[NodeCurve], view: TimeWindow) -> list[tuple[int, int]]:
    return holes(add([n.power for n in nodes]), view)


def _visible(stretches: Sequence[tuple[int, int]], view: TimeWindow) -> list[tuple[int, int]]:
    wide = [(a, b) for a, b in stretches if b - a >= MIN_BAND_SHARE * view.length_ms]
    return sorted(wide, key=lambda s: s[0] - s[1])[:MOST_BANDS]


def _notes(drawn: Sequence[NodeCurve], nodes: Sequence[NodeCurve], view: TimeWindow) -> list[str]:
    """Say which nodes are missing, and when; gaps too short to see share one sentence."""
    notes = []
    silent = [n.label for n in nodes if n not in drawn]
    if silent:
        notes.append(f"No readings at all: {names(silent, 4)}.")
    by_gaps: dict[tuple[tuple[int, int], ...], list[str]] = {}
    begun: dict[str, list[str]] = {}
    short = 0
    for n in drawn:
        if n.began_ms is not None and view.start_ms < n.began_ms < view.end_ms:
            begun.setdefault(moment(n.began_ms, view.end_ms), []).append(n.label)
        found = tuple(holes(n.power, view, n.began_ms))
        lost = sum(b - a for a, b in found)
        if lost >= MIN_BAND_SHARE * view.length_ms:
            by_gaps.setdefault(found, []).append(n.label)
        short = max(short, lost)
    notes += [f"{names(who, 4)}: {_gap_words(found)}." for found, who in list(by_gaps.items())[:MOST_NOTES]]
    starts = list(begun.items())[:MOST_NOTES]
    notes += [f"{names(who, 4)}: first reading at {when}." for when, who in starts]
    if short and not by_gaps:
        notes.append(f"Short gaps, {span(short / 1000)} a node at most.")
    return notes


def _gap_words(found: Sequence[tuple[int, int]]) -> str:
    total = sum(b - a for a, b in found) / 1000
    if len(found) == 1:
        return f"no readings {stretch(*found[0])} ({span(total)})"
    return f"no readings {len(found)} times, {span(total)} in all"


def elevation_title(free_u: int, nodes: int, height_u: int | None) -> str:
    """Say how much of the rack is empty."""
    if height_u is None:
        return count(nodes, "node")
    return f"{free_u} of {height_u}U are free" if free_u else "The rack is full"
