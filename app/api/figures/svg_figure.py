"""A figure as SVG, drawn on the server: title, unit, curves with their names, limits, window, source and citation.

Needs matplotlib (`wattline[figures]`), which needs no browser.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from importlib import import_module
from typing import TYPE_CHECKING, Literal

import numpy as np

from app.domain.timeseries import FloatArray, IntArray
from app.errors import NotInstalled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as MplFigure
    from matplotlib.lines import Line2D

Theme = Literal["light", "dark"]
Size = Literal["page", "column", "columns", "slide"]
SIZES_MM: dict[Size, tuple[float, float]] = {
    "page": (220.0, 80.0),
    "column": (85.0, 45.0),
    "columns": (178.0, 65.0),
    "slide": (280.0, 110.0),
}
"""Width of the figure and height of its axes."""
_MM_PER_INCH = 25.4
_LETTER = 0.58
"""Mean width of a letter, as a share of its size."""
_INK: dict[Theme, tuple[str, str, str, str]] = {
    "light": ("#14181f", "#47505d", "#e9ecf0", "#ffffff"),
    "dark": ("#e8ecf2", "#b0b9c6", "#20262f", "#14181f"),
}
"""Ink, soft ink, grid, surface: the tokens of `frontend/css/wattline.css`."""
_LINES: dict[Theme, tuple[str, ...]] = {
    "light": ("#1a5fc4", "#d06b10", "#2f9686", "#8e3a80", "#667085", "#6f9fe0"),
    "dark": ("#5ea2f7", "#f0a04b", "#7fd6c4", "#cf80c4", "#8c96a5", "#2f68b3"),
}
_MOST_LETTERS = 44
_DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class SvgCurve:
    """A curve: int64[n] [ms], float64[n] in `unit` with NaN in gaps."""

    label: str
    unit: str
    t_ms: IntArray
    v: FloatArray


@dataclass(frozen=True)
class SvgFigure:
    """A figure. `limits`: label and value, of the first unit; `lines`: the paragraphs below it."""

    title: str
    start_ms: int
    end_ms: int
    zone: tzinfo
    curves: Sequence[SvgCurve]
    limits: Sequence[tuple[str, float]] = ()
    lines: Sequence[str] = ()


def svg_figure(figure: SvgFigure, size: Size = "page", theme: Theme = "light") -> bytes:
    """Return the figure as an SVG document; text stays text.

    Raises
    ------
    NotInstalled
        matplotlib is not installed.
    """
    points = 7.0 if size in ("column", "columns") else 8.5
    wide, plot = (mm / _MM_PER_INCH * 72 for mm in SIZES_MM[size])
    below = [row for line in figure.lines for row in textwrap.wrap(line, _letters(wide, points - 1.5))]
    title = textwrap.wrap(figure.title, _letters(wide, points + 2))
    names = [_short(name) for name in (*(c.label for c in figure.curves), *(n for n, _ in figure.limits))]
    columns = max(1, min(len(names), int(wide * 0.95 / ((max(map(len, names), default=1) * _LETTER + 3.5) * points))))
    head, keys = len(title) * (points + 2) * 1.35 + 8, -(-len(names) // columns) * points * 1.75 + 6
    foot = len(below) * (points - 1.5) * 1.5 + 4 * points
    tall = head + keys + plot + foot
    drawing = _blank((wide / 72, tall / 72), theme)
    top, bottom, head = 1 - (head + keys) / tall, foot / tall, head / tall
    ink, soft, _, _ = _INK[theme]
    drawing.text(0.012, 1 - 5 / tall, "\n".join(title), va="top", size=points + 2, weight="bold", color=ink)
    drawing.text(0.012, 5 / tall, "\n".join(below), va="bottom", size=points - 1.5, color=soft, linespacing=1.35)
    units = list(dict.fromkeys(curve.unit for curve in figure.curves)) or [""]
    left = 5.5 * points / wide
    grid = drawing.add_gridspec(len(units), 1, left=left, right=0.98, top=top, bottom=bottom, hspace=0.14)
    first, drawn = None, []
    for i, unit in enumerate(units):
        axis = drawing.add_subplot(grid[i], sharex=first)
        first = first or axis
        drawn += _draw(axis, figure, unit, points, theme)
        drawn += _limits(axis, figure, theme) if i == 0 else []
        axis.tick_params(labelbottom=i == len(units) - 1)
    if names:
        _legend(drawing, drawn, columns, points, head, ink)
    written = io.BytesIO()
    svg = import_module("matplotlib.backends.backend_svg").FigureCanvasSVG(drawing)
    svg.print_svg(written, metadata={"Date": None, "Title": figure.title, "Creator": "Wattline"})
    return written.getvalue()


def _legend(drawing: MplFigure, drawn: Sequence[Line2D], columns: int, points: float, head: float, ink: str) -> None:
    drawing.legend(
        drawn,
        [_short(str(line.get_label())) for line in drawn],
        loc="upper left",
        bbox_to_anchor=(0.0, 1 - head),
        ncols=columns,
        fontsize=points,
        frameon=False,
        labelcolor=ink,
        handlelength=1.6,
        columnspacing=1.2,
        borderaxespad=0.3,
    )


def _short(name: str) -> str:
    return name if len(name) <= _MOST_LETTERS else f"{name[: _MOST_LETTERS - 1]}…"


def _letters(width_points: float, size: float) -> int:
    return max(12, int(width_points * 0.975 / (size * _LETTER)))


def _blank(inches: tuple[float, float], theme: Theme) -> MplFigure:
    try:
        from matplotlib import rcParams
        from matplotlib.figure import Figure
    except ImportError:
        raise NotInstalled(
            "figures drawn on the server need matplotlib, which is not installed",
            "install wattline[figures], or save the figure from the menu of its panel",
        ) from None
    rcParams["svg.fonttype"] = "none"
    rcParams["svg.hashsalt"] = "wattline"
    rcParams["font.family"] = ["DejaVu Sans"]
    return Figure(figsize=inches, facecolor=_INK[theme][3])


def _seen(figure: SvgFigure, unit: str) -> list[SvgCurve]:
    return [c for c in figure.curves if c.unit == unit and np.isfinite(c.v).any()]


def _limits(axis: Axes, figure: SvgFigure, theme: Theme) -> list[Line2D]:
    ink = _INK[theme][0]
    dashes = ("--", ":", "-.")
    return [
        axis.axhline(value, color=ink, lw=0.9, ls=dashes[i % len(dashes)], label=label)
        for i, (label, value) in enumerate(figure.limits)
    ]


def _draw(axis: Axes, figure: SvgFigure, unit: str, points: float, theme: Theme) -> list[Line2D]:
    """Draw the curves of a unit; the first is on top of the others."""
    dates = import_module("matplotlib.dates")
    _, soft, grid, surface = _INK[theme]
    axis.set_facecolor(surface)
    colors = _LINES[theme]
    drawn: list[Line2D] = []
    for i, curve in enumerate(figure.curves):
        if curve.unit == unit:
            color = colors[i % len(colors)]
            dash = _DASHES[i // len(colors) % len(_DASHES)]
            drawn += axis.plot(
                curve.t_ms.astype("datetime64[ms]"),
                curve.v,
                dash,
                label=curve.label,
                color=color,
                zorder=3 - i / 100,
                lw=1.1,
            )
    ends = np.array([figure.start_ms, figure.end_ms], "datetime64[ms]")
    axis.set_xlim(*dates.date2num(ends).tolist())
    if unit != "°C" and (tops := [float(np.nanmax(c.v)) for c in _seen(figure, unit)]):
        limits = [value for _, value in figure.limits] if unit == figure.curves[0].unit else []
        axis.set_ylim(0, 1.08 * max(*tops, *limits, 1e-9))
    axis.set_ylabel(unit, size=points, color=soft)
    locator = dates.AutoDateLocator(tz=figure.zone, minticks=3, maxticks=8)
    axis.xaxis.set_major_locator(locator)
    axis.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator, tz=figure.zone))
    axis.tick_params(labelsize=points - 0.5, colors=soft)
    axis.xaxis.get_offset_text().set(size=points - 0.5, color=soft)
    axis.grid(axis="y", color=grid, lw=0.6)
    axis.set_axisbelow(True)
    for side, spine in axis.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(soft)
    return drawn
