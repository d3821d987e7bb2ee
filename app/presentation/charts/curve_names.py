"""Names beside curves: each where its curve is level and there is room, below it or above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.timeseries import FloatArray, IntArray, TimeWindow
from app.presentation.charts import theme

_PLACES = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.13, 0.87)
_REACH = 0.07
"""Half the width of a name, as a share of the window."""
_HEIGHT = 0.08
_NEAR = 0.2
_THERE = 0.6
"""So much of a curve must be there under its name."""


@dataclass(frozen=True)
class CurveLabel:
    """A curve as it is drawn: int64[n] [ms], float64[n] in the axis' unit with NaN in gaps, and its name."""

    text: str
    ink: str
    t_ms: IntArray
    v: FloatArray


@dataclass(frozen=True)
class _Span:
    """Where a curve runs around a place: between low and high, but for rare excursions that reach far."""

    low: float
    high: float


def placed(
    curves: Sequence[CurveLabel], view: TimeWindow, top: float, *, yref: str = "y", short: str | None = None,
    height: float = _HEIGHT, near: float = _NEAR,
) -> list[theme.Part]:  # fmt: skip
    """Annotations for the curves of one axis that reaches from 0 to `top`.

    `height` is that of a name, `near` how far an excursion may reach to be stepped over, both as shares of the axis.
    """
    if not curves:
        return []
    step_over = near * top
    x = _level_place(curves, view, top)
    spans = [_span(curve, x, view, step_over) for curve in curves]
    known = [span for span in spans if span is not None]
    labels = []
    for curve, span in zip(curves, spans, strict=True):
        if span is not None:
            above = _has_more_room_above(span, [s for s in known if s is not span], top, height * top)
            side = {"yanchor": "bottom", "yshift": 2} if above else {"yanchor": "top", "yshift": -2}
            at = {"xref": "x", "x": x, "xanchor": "center", "yref": yref}
            more = {} if short is None else {"short": short}
            labels.append(theme.label(curve.text, span.high if above else span.low, curve.ink, **at, **side, **more))
    return labels


def limit_label(
    text: str, y: float, color: str, curve: CurveLabel, view: TimeWindow, top: float, *, is_filled: bool = False
) -> theme.Part:
    """The name of a limit at `y`, at the end and on the side of its line where the curve is least in the way.

    `is_filled`: the area below the curve is in the way too. A name that has no free place gets a background.
    """
    width, height = 0.22 * view.length_ms, 0.14 * top
    known = np.isfinite(curve.v)
    t, v = curve.t_ms[known], curve.v[known]

    def hits(is_left: bool, is_above: bool) -> int:
        low = y if is_above else y - height
        beside = t <= view.start_ms + width if is_left else t >= view.end_ms - width
        return int(np.count_nonzero(beside & (v >= low) & (is_filled | (v <= low + height))))

    places = [(True, True), (False, True), (True, False), (False, False)]
    left, above = min(places, key=lambda place: hits(*place))
    end: theme.Part = {} if left else {"x": 0.992, "xanchor": "right"}
    if hits(left, above):
        end |= {"bgcolor": "@surface/.85"}
    return theme.label(text, y, color, **end, **({} if above else {"yanchor": "top", "yshift": -2}))


def _level_place(curves: Sequence[CurveLabel], view: TimeWindow, top: float) -> int:
    """The moment, the middle if possible, around which the curves are there and vary least [ms]."""
    places = [view.start_ms + round(p * view.length_ms) for p in _PLACES]
    spreads = []
    for x in places:
        spans = [_span(curve, x, view, 0.0) for curve in curves]
        spreads.append(sum(top if s is None else s.high - s.low for s in spans))
    enough = min(spreads) * 1.3 + 0.02 * top
    return next(x for x, spread in zip(places, spreads, strict=True) if spread <= enough)


def _span(curve: CurveLabel, x: int, view: TimeWindow, near: float) -> _Span | None:
    reach = round(_REACH * view.length_ms)
    first, stop = np.searchsorted(curve.t_ms, [x - reach, x + reach + 1])
    sparse = stop - first < 2
    if sparse:  # the points around the place
        first, stop = max(0, first - 1), stop + 1
    known = np.isfinite(curve.v[first:stop])
    if known.sum() < 2 or known.mean() < (1.0 if sparse else _THERE):
        return None
    inside = curve.v[first:stop][known]
    low, high = np.quantile(inside, [0.08, 0.92]).tolist()
    ends = float(inside.min()), float(inside.max())
    return _Span(ends[0] if low - ends[0] < near else low, ends[1] if ends[1] - high < near else high)


def _has_more_room_above(span: _Span, others: Sequence[_Span], top: float, wanted: float) -> bool:
    below = span.low - max((s.high for s in others if s.low < span.low), default=0.0)
    above = min((s.low for s in others if s.low >= span.low), default=top) - span.high
    return below < wanted and above > below
