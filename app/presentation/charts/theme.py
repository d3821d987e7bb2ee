"""The words of every figure: lines, limits, labels and bands in the product's colours.

A figure is a plain dict that `frontend/js/charts/figure.js` draws and a report may draw too:

    {"title": the answer, "unit": "kW", "data": [traces], "layout": {…},
     "narrow": {layout keys that differ below 520 px}, "notes": [sentences below], "empty": None | {"what", "why"}}

Colours are `@token` or `@token/.1` (with alpha), the css variables of `frontend/css/wattline.css`; never a hex. Arrays
come from `arrays`. Every trace that holds data has a `name`: it is a column of "show as table" and CSV.
Names are beside the curves (`label`), there are no legends. Limits: usable = solid ink, rated = dashed, control run =
dotted. A gap is a gap: never one stackgroup across it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from numpy.typing import ArrayLike
from pydantic import WithJsonSchema
from typing_extensions import TypedDict

from app.domain.timeseries import Curve, TimeWindow, gaps
from app.presentation.charts.arrays import times, values

PENDING_MS = 90_000
"""What is not covered at the end of a window is a gap only when it is longer: the next poll is on its way."""

Part = dict[str, Any]


class Empty(TypedDict):
    """What is not there, and why."""

    what: str
    why: str


_ENCODED = {
    "type": "object",
    "description": "typed array, base64, little-endian; `x0_ms` is added to offsets in ms",
    "properties": {
        "dtype": {"enum": ["f4", "f8", "i4", "i2", "u1"]},
        "bdata": {"type": "string"},
        "x0_ms": {"type": "integer"},
        "shape": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}]},
    },
    "required": ["dtype", "bdata"],
}
_COLUMN = {
    "anyOf": [
        _ENCODED,
        {"type": "array", "items": {"anyOf": [{"type": "number"}, {"type": "null"}]}},
        {"type": "array", "items": {"type": "string"}},
    ]
}
_TRACE = {
    "type": "object",
    "description": "a trace as plotly.js reads it; one with data has a `name`, and its `unit`",
    "properties": {
        **{name: {"type": "string"} for name in ("name", "type", "unit", "orientation")},
        **dict.fromkeys(("x", "y", "z"), _COLUMN),
    },
    "required": ["x", "y"],
    "additionalProperties": True,
}
Trace = Annotated[Part, WithJsonSchema(_TRACE)]


class Figure(TypedDict):
    """A figure: plotly's traces and layout with `@token` colours, arrays as base64 (`dtype`, `bdata`, `x0_ms`).

    `title` is the answer that it gives; `narrow` replaces keys of the layout below 520 px; `notes` are shown below it.
    """

    title: str
    unit: str
    data: list[Trace]
    layout: Part
    narrow: Part
    notes: list[str]
    empty: Empty | None


class PowerFigures(TypedDict):
    """The power, and the GPUs where they are measured."""

    power: Figure
    gpus: Figure | None


def holes(curve: Curve, view: TimeWindow, began_ms: int | None = None) -> list[tuple[int, int]]:
    """The gaps [ms] of a curve in a window, without the one at its end that the next poll will close.

    `began_ms`: when its meters were first read; no reading is missing before.
    """
    found = gaps(curve, max(view.start_ms, began_ms or view.start_ms), view.end_ms)
    pending = found and found[-1][1] == view.end_ms and found[-1][1] - found[-1][0] <= PENDING_MS
    return found[:-1] if pending else found


def figure(
    title: str,
    unit: str,
    data: Sequence[Part],
    layout: Part,
    *,
    name: str,
    narrow: Part | None = None,
    notes: Sequence[str] = (),
) -> Figure:
    """A figure with something in it. `name` is the file name of its downloads."""
    return {
        "title": title,
        "unit": unit,
        "data": list(data),
        "layout": layout | {"meta": {"name": name}},
        "narrow": narrow or {},
        "notes": list(notes),
        "empty": None,
    }


def empty(what: str, why: str) -> Figure:
    """A figure with nothing to draw, and why."""
    nothing: Empty = {"what": what, "why": why}
    return {"title": "", "unit": "", "data": [], "layout": {}, "narrow": {}, "notes": [], "empty": nothing}


def line(
    name: str,
    t_ms: ArrayLike,
    v: ArrayLike,
    color: str,
    *,
    width: float = 1.8,
    unit: str = "kW",
    digits: int = 2,
    fill: bool = False,
    **more: Any,  # noqa: ANN401 (plotly's own words)
) -> Part:
    """A curve over time; NaN is a gap. `fill` puts 10 % of its colour under a single curve."""
    trace: Part = {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "unit": unit,
        "x": times(t_ms),
        "y": values(v),
        "line": {"color": color, "width": width},
        "connectgaps": False,
        "hovertemplate": f"%{{y:,.{digits}f}} {unit}",
    }
    if fill:
        trace |= {"fill": "tozeroy", "fillcolor": f"{color}/.1"}
    return trace | more


def now_mark(t_ms: int, v: float, color: str) -> Part:
    """The dot at the end of a live curve. It has no name: it is not data of its own."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": times([t_ms]),
        "y": values([v]),
        "marker": {"color": color, "size": 7},
        "hoverinfo": "skip",
        "cliponaxis": False,
        "showlegend": False,
    }


def limit(y: float, color: str, dash: str = "solid", width: float = 1.5, yref: str = "y") -> Part:
    """A horizontal line over the whole width."""
    style = {"color": color, "width": width, "dash": dash}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": yref, "y0": y, "y1": y, "line": style}


def label(text: str, y: float, color: str, **more: Any) -> Part:  # noqa: ANN401 (plotly's own words)
    """Words on a line, at the left edge unless `x` says otherwise. `short` is the text on a narrow screen."""
    base: Part = {
        "xref": "paper",
        "x": 0.008,
        "xanchor": "left",
        "y": y,
        "yanchor": "bottom",
        "text": text,
        "showarrow": False,
        "align": "left",
        "font": {"size": 11, "color": color},
    }
    return base | more


def band(start_ms: int, end_ms: int, color: str = "@idle/.1", **more: Any) -> Part:  # noqa: ANN401
    """A shaded stretch of time, over the whole height unless y0 and y1 say otherwise."""
    base: Part = {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": start_ms,
        "x1": end_ms,
        "y0": 0,
        "y1": 1,
        "fillcolor": color,
        "line": {"width": 0},
        "layer": "below",
    }
    return base | more


def time_axis(start_ms: int, end_ms: int, **more: Any) -> Part:  # noqa: ANN401
    """A UTC time axis that shows exactly the window."""
    return {"type": "date", "range": [start_ms, end_ms]} | more


def power_axis(top: float, ticks: Sequence[float] | None = None, **more: Any) -> Part:  # noqa: ANN401
    """A power axis from zero to `top`. Never cut above zero."""
    axis: Part = {"range": [0, top]}
    if ticks is not None:
        axis["tickvals"] = list(ticks)
    return axis | more


def round_ticks(top: float, most: int = 4) -> list[float]:
    """At most `most` + 1 round values from 0 that stay below `top`: steps of 1, 2, 2.5 or 5 × 10ⁿ."""
    if top <= 0:
        return [0.0]
    base = 10.0 ** (len(f"{int(top):d}") - 2) if top >= 1 else 0.01
    for factor in (1, 2, 2.5, 5, 10, 20, 25, 50, 100):
        step = base * factor
        if top / step <= most:
            return [i * step for i in range(int(top / step) + 1)]
    return [0.0, top]
