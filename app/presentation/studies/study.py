"""Groups of repeated runs as bars: mean, standard deviation, and every single run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.studies import Spread
from app.presentation.charts import opaque, plain, theme, values
from app.presentation.text import THIN, name_of, num, unit_of, with_scatter

ALIKE = 0.02
LONGEST_NAME = 24
_ROW_PX, _TALL_PX = 34, 240
_ROOM, _NARROW_ROOM = 1.34, 1.75
"""Length of the axis relative to the longest bar, with space for its value."""
_NAME_PX, _MOST_PX = 7.0, 184


@dataclass(frozen=True)
class Bar:
    """A group: its name, colour, mean ± std, and its runs, in base units of the measure."""

    name: str
    color: str
    spread: Spread
    runs: Sequence[float]


def group_bars(bars: Sequence[Bar], measure: str, name: str) -> theme.Figure:
    """Draw horizontal bars from zero, first group on top; the points on each are its runs."""
    known = [bar for bar in bars if not math.isnan(bar.spread.mean)]
    if not known:
        return theme.empty(f"No {name_of(measure)}", "No run of these groups has it.")
    top = max(max(bar.spread.mean + np.nan_to_num(bar.spread.std), *bar.runs) for bar in known)
    unit = unit_of(measure, top)
    rows = [str(i) for i in range(len(known))]  # groups may share a shortened name
    means = [bar.spread.mean / unit.per for bar in known]
    trace: theme.Part = {
        "type": "bar",
        "orientation": "h",
        "name": name_of(measure),
        "unit": unit.name,
        "x": values(means),
        "y": rows,
        "marker": {"color": [f"{opaque(bar.color)}/.28" for bar in known]},
        "error_x": _error(known, unit.per),
        "hovertext": [plain(bar.name) for bar in known],
        "hovertemplate": f"%{{hovertext}}: %{{x:,.4~g}} {unit.name}<extra></extra>",
    }
    layout = _layout(known, rows, means, unit.name, top / unit.per)
    narrow = {
        "margin": layout["margin"] | {"l": min(110, layout["margin"]["l"])},
        "xaxis": layout["xaxis"] | {"range": [0, _NARROW_ROOM * top / unit.per or 1.0]},
    }
    return theme.figure(
        _title(known, measure), unit.name, [trace, *_points(known, rows, unit.per)], layout, name=name, narrow=narrow
    )


def height_px(n: int) -> int:
    """Return the height of n bars [px]."""
    return max(_TALL_PX, 64 + _ROW_PX * n)


def _error(bars: Sequence[Bar], per: float) -> theme.Part:
    return {
        "type": "data",
        "array": [None if math.isnan(bar.spread.std) else bar.spread.std / per for bar in bars],
        "color": "@ink-2",
        "thickness": 1.4,
        "width": 4,
    }


def _points(bars: Sequence[Bar], rows: Sequence[str], per: float) -> list[theme.Part]:
    """Draw the single runs as marks on the bar of their group."""
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "x": values([x / per for x in bar.runs]),
            "y": [row] * len(bar.runs),
            "marker": {"color": opaque(bar.color), "size": 5, "opacity": 0.75, "line": {"width": 0}},
            "hoverinfo": "skip",
            "cliponaxis": False,
        }
        for bar, row in zip(bars, rows, strict=True)
    ]


def _layout(bars: Sequence[Bar], rows: Sequence[str], means: Sequence[float], unit: str, top: float) -> theme.Part:
    return {
        "margin": {"l": _room(bars), "r": 14, "t": 6, "b": 34},
        "hovermode": "closest",
        "bargap": 0.42,
        "xaxis": {
            "range": [0, _ROOM * top or 1.0],
            "showgrid": True,
            "gridcolor": "@grid",
            "tickvals": theme.round_ticks(top * 1.06, 4),
            "title": {"text": unit},
            "hoverformat": ",.4~g",
            "fixedrange": True,
            "showspikes": False,
        },
        "yaxis": {
            "type": "category",
            "autorange": "reversed",
            "tickvals": list(rows),
            "ticktext": [f"{plain(_short(bar.name))}\u2002" for bar in bars],
            "showgrid": False,
            "tickfont": {"size": 12, "color": "@ink"},
        },
        "annotations": [_value(bar, row, mean, unit, top) for bar, row, mean in zip(bars, rows, means, strict=True)],
    }


def _room(bars: Sequence[Bar]) -> int:
    """Return the left margin for the names [px]."""
    return min(_MOST_PX, round(16 + _NAME_PX * max(len(_short(bar.name)) for bar in bars)))


def _value(bar: Bar, row: str, mean: float, unit: str, top: float) -> theme.Part:
    """Place mean ± std behind the last mark of a bar."""
    per = bar.spread.mean / mean if mean else 1.0
    std = bar.spread.std / per
    end = max([mean + float(np.nan_to_num(std)), *(x / per for x in bar.runs)])
    text = f"<b>{with_scatter(mean, std)}</b>{THIN}{unit}"
    where = {"xref": "x", "x": end + 0.015 * top, "yref": "y", "yanchor": "middle", "xshift": 4}
    return theme.label(text, 0, "@ink", **where) | {"y": row}


def _title(bars: Sequence[Bar], measure: str) -> str:
    """Compare the largest group with the smallest."""
    what = name_of(measure)
    least, most = (pick(bars, key=lambda bar: bar.spread.mean) for pick in (min, max))
    if len(bars) == 1 or least.spread.mean <= 0:
        return what.capitalize()
    times = most.spread.mean / least.spread.mean
    if times - 1 < ALIKE:
        return f"The same {what} within {num(100 * ALIKE)}{THIN}%"
    much = f"{num(times, 1 if times < 20 else 0)} ×" if times >= 1.5 else f"{num(100 * (times - 1))}{THIN}% over"
    return f"{_short(most.name)}: {much} the {what} of {_short(least.name)}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"
