"""Runs on one axis: clock time, time since the start, or fraction of the run with mean and band of each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.studies import Band
from app.domain.timeseries import FloatArray, TimeWindow
from app.presentation.charts import CurveLabel, ink, opaque, placed, plain, theme, times, values
from app.presentation.text import THIN, PowerScale, count, length_unit, power_scale
from app.services.studies import TimeAxis

MOST_NAMES = 7
_STEPS = 1_000_000
"""Names are placed on a grid of whole numbers."""


@dataclass(frozen=True, eq=False)
class OverlayLine:
    """One run to draw: x [ms UTC, s from its start, or 0…1] and power [W], NaN where the line breaks."""

    name: str
    group: int
    x: FloatArray
    v: FloatArray


@dataclass(frozen=True, eq=False)
class Overlaid:
    """A group: name, colour, and over fractions of the run the band of its runs."""

    name: str
    color: str
    x: FloatArray | None = None
    band: Band | None = None


def overlay(
    lines: Sequence[OverlayLine], groups: Sequence[Overlaid], axis: TimeAxis, what: str, name: str
) -> theme.Figure:
    """Draw the runs, coloured by group. `what`: `node` or `GPU`."""
    drawn = [line for line in lines if np.isfinite(line.v).any()]
    if not drawn:
        return theme.empty("No readings of these runs", f"The power of the {what} was not measured while they ran.")
    scale = power_scale(max(float(np.nanmax(line.v)) for line in drawn))
    top = max(float(np.nanmax(line.v)) for line in drawn) / scale.per * 1.12 or 1.0
    per, x_axis, (first, last) = _axis(drawn, axis)
    alone = len(drawn) == len({line.group for line in drawn})
    traces = [_run(line, groups[line.group], axis, per, scale, alone) for line in drawn]
    traces = [t for g in groups for t in _band(g, scale)] + traces + [t for g in groups for t in _mean(g, scale)]
    layout: theme.Part = {
        "margin": {"l": 44, "r": 16, "t": 8, "b": 40 if axis != "clock" else 28},
        "hovermode": "closest",
        "xaxis": x_axis,
        "yaxis": theme.power_axis(top, theme.round_ticks(top, 6)),
        "annotations": _names(drawn, groups, scale, top, (first, last), per, axis),
    }
    narrow = {"xaxis": x_axis | {"nticks": 4}, "margin": layout["margin"] | {"l": 38, "r": 10}}
    return theme.figure(_title(groups, drawn, axis), scale.unit, traces, layout, name=name, narrow=narrow)


def _axis(lines: Sequence[OverlayLine], axis: TimeAxis) -> tuple[float, theme.Part, tuple[float, float]]:
    """Return one unit of the axis in units of x, the axis, and its ends in units of x."""
    first = min(float(line.x[0]) for line in lines)
    last = max(float(line.x[-1]) for line in lines)
    if axis == "clock":
        return 1.0, theme.time_axis(round(first), round(last), nticks=8, fixedrange=True), (first, last)
    if axis == "fraction":
        ticks = {"tickvals": [0, 25, 50, 75, 100], "ticktext": ["0", "25", "50", "75", f"100{THIN}%"]}
        title = {"text": "share of the run time"}
        return 0.01, {"range": [0, 100], "title": title, "fixedrange": True, "hoverformat": ".1f", **ticks}, (0.0, 1.0)
    unit = length_unit(last)
    title = {"text": f"time since the start, {unit.name}"}
    look = {"range": [0, last / unit.per], "title": title, "fixedrange": True, "hoverformat": ",.4~g"}
    return unit.per, look, (0.0, last)


def _run(line: OverlayLine, group: Overlaid, axis: TimeAxis, per: float, scale: PowerScale, alone: bool) -> theme.Part:
    x = times(line.x) if axis == "clock" else values(line.x / per)
    thin = group.band is not None and not alone
    color = f"{opaque(group.color)}/.35" if thin else group.color
    return {
        "type": "scatter",
        "mode": "lines",
        "name": line.name,
        "unit": scale.unit,
        "x": x,
        "y": values(scale.of(line.v)),
        "line": {"color": color, "width": 0.9 if thin else 1.5 if alone else 1.1},
        "connectgaps": False,
        "hovertemplate": f"{plain(line.name)}: %{{y:,.{scale.digits}f}} {scale.unit}<extra>{plain(group.name)}</extra>",
    }


def _band(group: Overlaid, scale: PowerScale) -> list[theme.Part]:
    """Draw mean ± std of a group as areas, one per covered stretch, so that no gap is bridged."""
    if group.band is None or group.x is None:
        return []
    found = []
    known = np.isfinite(group.band.std)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]])))
    for a, b in zip(edges[::2], edges[1::2], strict=True):
        x = 100 * group.x[a:b]
        low, high = (scale.of(group.band.mean[a:b] + sign * group.band.std[a:b]) for sign in (-1, 1))
        found.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": values(np.concatenate([x, x[::-1]])),
                "y": values(np.concatenate([high, low[::-1]])),
                "fill": "toself",
                "fillcolor": f"{opaque(group.color)}/.14",
                "line": {"width": 0},
                "hoverinfo": "skip",
            }
        )
    return found


def _mean(group: Overlaid, scale: PowerScale) -> list[theme.Part]:
    if group.band is None or group.x is None or int(group.band.n.max(initial=0)) < 2:
        return []
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "name": f"{group.name}, mean",
            "unit": scale.unit,
            "x": values(100 * group.x),
            "y": values(scale.of(group.band.mean)),
            "line": {"color": group.color, "width": 2},
            "connectgaps": False,
            "hovertemplate": f"mean %{{y:,.{scale.digits}f}} {scale.unit}<extra>{plain(group.name)}</extra>",
        }
    ]


def _names(
    lines: Sequence[OverlayLine], groups: Sequence[Overlaid], scale: PowerScale, top: float, ends: tuple[float, float],
    per: float, axis: TimeAxis,
) -> list[theme.Part]:  # fmt: skip
    """Place the names of groups beside their means or longest runs; of many only the first and the last."""
    there = sorted({line.group for line in lines})
    shown = there if len(there) <= MOST_NAMES else [there[0], there[-1]]
    length = (ends[1] - ends[0]) or 1.0
    named = []
    for g in shown:
        x, v = _telling(groups[g], [line for line in lines if line.group == g])
        at = np.round((x - ends[0]) / length * _STEPS).astype(np.int64)
        named.append(CurveLabel(f"<b>{plain(groups[g].name)}</b>", ink(groups[g].color), at, scale.of(v)))
    if axis == "fraction":
        found = placed(named, TimeWindow(0, _STEPS), top)
    else:
        found = [
            part
            for each in named
            for part in placed(
                [each], TimeWindow(int(each.t_ms[0]), max(int(each.t_ms[-1]), int(each.t_ms[0]) + 1)), top
            )
        ]
    _apart(found, top)
    for label in found:
        x = ends[0] + label["x"] / _STEPS * length
        label["x"] = round(x) if axis == "clock" else x / per
    return found


def _telling(group: Overlaid, lines: Sequence[OverlayLine]) -> tuple[FloatArray, FloatArray]:
    """Return the curve that the name of a group is placed beside."""
    if group.band is not None and group.x is not None:
        return group.x, group.band.mean
    longest = max(lines, key=lambda line: line.x[-1] - line.x[0])
    return longest.x, longest.v


def _apart(labels: Sequence[theme.Part], top: float) -> None:
    """Move labels up that would overlap."""
    placed_: list[tuple[float, float]] = []
    for label in sorted(labels, key=lambda label: label["y"]):
        side = 0.04 * top if label["yanchor"] == "bottom" else -0.04 * top
        y = label["y"] + side
        for x_, y_ in sorted(placed_, key=lambda p: p[1]):
            if abs(x_ - label["x"]) < 0.18 * _STEPS and abs(y_ - y) < 0.075 * top:
                y = y_ + 0.075 * top
        label |= {"y": y, "yanchor": "middle", "yshift": 0}
        placed_.append((label["x"], y))


def _title(groups: Sequence[Overlaid], lines: Sequence[OverlayLine], axis: TimeAxis) -> str:
    words = {"clock": "by the clock", "elapsed": "from their starts", "fraction": "over their run time"}
    there = len({line.group for line in lines})
    if len(lines) == 1:
        return f"Power of {lines[0].name}"
    among = f" in {count(there, 'group')}" if there < len(lines) else ""
    return f"{count(len(lines), 'run')}{among}, {words[axis]}"
