"""Time-weighted statistics of a curve: a sample counts for the time it stands for, not once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.curve import Curve, FloatArray, IntArray, add, window
from app.domain.energy import energy_j

IDLE_MINIMUM_MS = 30 * 60 * 1000
"""An idle baseline stands on at least this much covered idle time."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """A curve inside a window, in the curve's unit. NaN, and None for the time, where nothing is covered.

    Attributes
    ----------
    min, max: over the samples and the interpolated window ends.
    max_at_ms: when the maximum was first reached [ms].
    mean: integral / covered time.
    median, p95, p99: quantiles of covered time, see `quantile`.
    load_factor: mean / max.
    """

    min: float
    max: float
    max_at_ms: int | None
    mean: float
    median: float
    p95: float
    p99: float
    load_factor: float
    covered_ms: int
    n_samples: int


def statistics(curve: Curve, start_ms: int, end_ms: int) -> Statistics:
    """All figures of a window at once. Source: design, "A power curve"."""
    part = window(curve, start_ms, end_ms)
    nan = math.nan
    if not len(part):
        return Statistics(nan, nan, None, nan, nan, nan, nan, nan, 0, 0)
    top = int(np.argmax(part.v))
    high = float(part.v[top])
    covered = part.covered_ms
    mean = energy_j(part, start_ms, end_ms) / (covered / 1000.0)
    median, p95, p99 = _quantiles(*_ranked(curve, [(start_ms, end_ms)]), np.array([0.5, 0.95, 0.99])).tolist()
    return Statistics(
        float(part.v.min()),
        high,
        int(part.t_ms[top]),
        mean,
        median,
        p95,
        p99,
        mean / high if high > 0 else nan,
        covered,
        part.n_samples,
    )


def quantile(curve: Curve, start_ms: int, end_ms: int, q: float) -> float:
    """The smallest sample value such that at least q (0…1) of the covered time is at or below it; NaN if uncovered.

    Each sample stands for the covered time of its run that is nearest to it, a hold for the sample it
    holds. Where every sample stands for the same time this is the plain empirical quantile (Hyndman & Fan
    1996, type 1).
    """
    if not 0.0 <= q <= 1.0:
        raise ValueError(f"q = {q} is not within 0…1")
    return float(_quantiles(*_ranked(curve, [(start_ms, end_ms)]), np.array([q]))[0])


def load_duration(curve: Curve, start_ms: int, end_ms: int, n: int) -> tuple[FloatArray, FloatArray]:
    """The load-duration curve: share float64[n] from 0 to 1, and value float64[n] from the maximum down to the minimum.

    The value is reached or exceeded for that share of the covered time, samples weighed as in `quantile`.
    """
    share = np.linspace(0.0, 1.0, n)
    return share, _quantiles(*_ranked(curve, [(start_ms, end_ms)]), 1.0 - share)


def idle_baseline_w(curve: Curve, idle_ms: Sequence[tuple[int, int]]) -> float:
    """The median power [W] over the stretches when no job holds the node; NaN below 30 covered minutes.

    The stretches must not overlap. Source: design, "Idle baseline".
    """
    values, cumulative = _ranked(curve, idle_ms)
    if not values.size or cumulative[-1] < 2 * IDLE_MINIMUM_MS:
        return math.nan
    return float(_quantiles(values, cumulative, np.array([0.5]))[0])


@dataclass(frozen=True, slots=True)
class Peaks:
    """How the peaks of several loads meet [W]; the factor is non-coincident / coincident."""

    coincident: float
    non_coincident: float
    diversity_factor: float


def peaks(curves: Sequence[Curve], start_ms: int, end_ms: int) -> Peaks:
    """Maximum of the sum, sum of the maxima [W], and their ratio; NaN where the sum or a member is not covered.

    Source: design, "Coincident peak".
    """
    tops = [_max(curve, start_ms, end_ms) for curve in curves]
    coincident = _max(add(curves), start_ms, end_ms)
    apart = math.fsum(tops) if tops else math.nan
    return Peaks(coincident, apart, apart / coincident if coincident > 0 else math.nan)


def _max(curve: Curve, start_ms: int, end_ms: int) -> float:
    part = window(curve, start_ms, end_ms)
    return float(part.v.max()) if len(part) else math.nan


def _quantiles(values: FloatArray, cumulative: IntArray, q: FloatArray) -> FloatArray:
    if not values.size:
        return np.full(q.shape, np.nan)
    wanted = q * cumulative[-1] * (1.0 - 1e-12)  # 0.07 · 100 is 7.000000000000001
    found: FloatArray = values[np.searchsorted(cumulative, wanted)]
    return found


def _ranked(curve: Curve, windows: Sequence[tuple[int, int]]) -> tuple[FloatArray, IntArray]:
    """Sample values in rising order and the time at or below each, in half milliseconds (so that halves are exact)."""
    weights = np.zeros(len(curve), np.int64)
    for start_ms, end_ms in windows:
        first = max(0, int(np.searchsorted(curve.t_ms, start_ms, "right")) - 1)
        stop = int(np.searchsorted(curve.t_ms, end_ms)) + 1
        _add_weights(curve, slice(first, stop), start_ms, end_ms, weights[first:stop])
    standing = np.flatnonzero(weights)
    order = standing[np.argsort(curve.v[standing])]
    return curve.v[order], np.cumsum(weights[order])


def _add_weights(curve: Curve, part: slice, start_ms: int, end_ms: int, weights: IntArray) -> None:
    """Add to each knot the time inside the window that it stands for [½ ms]."""
    t, linked, sample = 2 * curve.t_ms[part], curve.linked[part][:-1], curve.is_sample[part]
    left, right = t[:-1], t[1:]
    middle = (left + right) // 2
    middle = np.where(sample[:-1] & ~sample[1:], right, np.where(sample[1:] & ~sample[:-1], left, middle))
    left, middle, right = (np.clip(edge, 2 * start_ms, 2 * end_ms) for edge in (left, middle, right))
    weights[:-1] += np.where(linked, middle - left, 0)
    weights[1:] += np.where(linked, right - middle, 0)
