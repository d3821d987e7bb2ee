"""Small line charts as SVG text: thin lines, labelled axes, no script, readable in a light and in a dark page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

INKS = ("#2f7d4f", "#2f6fb0", "#b3612f", "#7a5aa8")
_WIDTH, _HEIGHT = 640, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 14, 34, 46
_GREY = "#808080"


@dataclass(frozen=True)
class Line:
    """One curve. Lines with the same `label` share a colour and a legend entry; `dots` marks the points."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    dots: bool = False


def chart(title: str, x_title: str, y_title: str, lines: Sequence[Line]) -> str:
    """Return the chart as an SVG document."""
    labels = list(dict.fromkeys(line.label for line in lines))
    x_ticks = _ticks([x for line in lines for x in line.x])
    y_ticks = _ticks([y for line in lines for y in line.y])
    inks = {label: INKS[i % len(INKS)] for i, label in enumerate(labels)}
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
        f'font-size="11" fill="{_GREY}">'
    )
    parts = [
        head,
        f'<text x="{_LEFT}" y="14" font-size="12">{escape(title)}</text>',
        *_axes(x_ticks, y_ticks, x_title, y_title),
        *(_curve(line, inks[line.label], x_ticks, y_ticks) for line in lines),
        *_legend(labels, inks),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _ticks(values: Sequence[float]) -> list[float]:
    """Return about five round numbers around the values."""
    low, high = min(values), max(values)
    raw = (high - low or abs(high) or 1.0) / 5
    size = 10 ** math.floor(math.log10(raw))
    step = next(size * m for m in (1, 2, 2.5, 5, 10) if size * m >= raw)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [i * step for i in range(first, last + 1)]


def _place(value: float, ticks: Sequence[float], start: float, end: float) -> float:
    return start + (end - start) * (value - ticks[0]) / (ticks[-1] - ticks[0])


def _x(value: float, ticks: Sequence[float]) -> float:
    return _place(value, ticks, _LEFT, _WIDTH - _RIGHT)


def _y(value: float, ticks: Sequence[float]) -> float:
    return _place(value, ticks, _HEIGHT - _BOTTOM, _TOP)


def _axes(x_ticks: Sequence[float], y_ticks: Sequence[float], x_title: str, y_title: str) -> Iterator[str]:
    for tick in y_ticks:
        y = _y(tick, y_ticks)
        yield f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="{_GREY}" stroke-opacity="0.25"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>'
    for tick in x_ticks:
        yield f'<text x="{_x(tick, x_ticks):.1f}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">{tick:g}</text>'
    yield f'<text x="{(_LEFT + _WIDTH) / 2:.0f}" y="{_HEIGHT - 12}" text-anchor="middle">{escape(x_title)}</text>'
    middle = (_TOP + _HEIGHT - _BOTTOM) / 2
    yield f'<text transform="translate(14 {middle:.0f}) rotate(-90)" text-anchor="middle">{escape(y_title)}</text>'


def _curve(line: Line, ink: str, x_ticks: Sequence[float], y_ticks: Sequence[float]) -> str:
    places = [(_x(x, x_ticks), _y(y, y_ticks)) for x, y in zip(line.x, line.y, strict=True) if not np.isnan(y)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    drawn = f'<polyline points="{points}" fill="none" stroke="{ink}" stroke-width="1.2" stroke-opacity="0.8"/>'
    if line.dots:
        drawn += "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{ink}"/>' for x, y in places)
    return drawn


def _legend(labels: Sequence[str], inks: dict[str, str]) -> Iterator[str]:
    at = _LEFT
    for label in labels:
        yield f'<text x="{at}" y="28" fill="{inks[label]}">{escape(label)}</text>'
        at += 7 * len(label) + 18
