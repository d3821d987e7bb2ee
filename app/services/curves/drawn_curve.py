"""A curve as few points or as means of equal steps, with its statistics."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from app.domain.rollups import Minutes, minutes
from app.domain.timeseries import Curve, coverage, downsample, window
from app.store.timeseries import Times, Values


@dataclass(frozen=True)
class CurveStatistics:
    """Figures of a curve in a window, in its unit; None where nothing is covered.

    `energy_j`: of a power over its covered time [J].
    """

    mean: float | None
    min: float | None
    max: float | None
    max_at_ms: int | None
    energy_j: float | None


@dataclass(frozen=True)
class DrawnCurve:
    """A curve to draw: t int64[m] [ms], v float64[m], NaN where the line breaks.

    Attributes
    ----------
    coverage: covered share of the window. downsampled: whether points were left out.
    """

    key: str
    label: str
    unit: str
    t_ms: Times
    v: Values
    coverage: float
    downsampled: bool
    statistics: CurveStatistics
    source: str | None = None


def drawn_curve(
    key: str,
    label: str,
    unit: str,
    curve: Curve,
    span: tuple[int, int],
    max_points: int,
    step_ms: int | None = None,
    *,
    source: str | None = None,
    has_mean: bool = True,
) -> DrawnCurve:
    """Return a curve in a window as at most so many points, or as means of steps.

    `has_mean`: False for energy registers and states, of which only the values are given.
    """
    start_ms, end_ms = span
    part = window(curve, start_ms, end_ms)
    if step_ms is None:
        t_ms, v = downsample(part, start_ms, end_ms, max_points)
    else:
        steps = in_steps(part, start_ms, end_ms, step_ms)
        t_ms, v = steps.t_ms, steps.mean
    kept = int(np.count_nonzero(~np.isnan(v)))
    share = coverage(part, start_ms, end_ms)
    figures = _statistics(part, unit) if has_mean and len(part) else CurveStatistics(None, None, None, None, None)
    return DrawnCurve(key, label, unit, t_ms, v, share, step_ms is None and kept < len(part), figures, source)


def in_steps(curve: Curve, start_ms: int, end_ms: int, step_ms: int) -> Minutes:
    """Return the steps of a window, on multiples of the step since 1970; those at its ends are covered in part."""
    first, last = start_ms // step_ms * step_ms, -(-end_ms // step_ms) * step_ms
    return minutes(window(curve, start_ms, end_ms), first, last, step_ms)


def _statistics(part: Curve, unit: str) -> CurveStatistics:
    length = np.where(part.linked[:-1], np.diff(part.t_ms), 0)
    integral = math.fsum((part.v[:-1] + part.v[1:]) / 2.0 * length) / 1000.0
    top = int(np.argmax(part.v))
    covered_s = float(length.sum()) / 1000.0
    mean = integral / covered_s if covered_s else float(part.v[top])
    energy_j = integral if unit == "W" else None
    return CurveStatistics(mean, float(part.v.min()), float(part.v[top]), int(part.t_ms[top]), energy_j)
