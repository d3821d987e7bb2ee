"""Time-weighted statistics of a curve: a sample is weighted by its time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.energy.energy import energy_j
from app.domain.timeseries import Curve, FloatArray, IntArray, TimeBase, add, window

IDLE_MINIMUM_MS = 30 * 60 * 1000
"""An idle baseline needs at least this much covered idle time."""
_BINS = 4096
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class Statistics:
    """A curve inside a window, in the curve's unit. NaN, and None for the time, where nothing is covered.

    Attributes
    ----------
    min, max: over the samples and the interpolated window ends.
    max_at_ms: when the maximum was first reached [ms].
    mean: integral / covered time.
    p5, p25, median, p75, p95, p99: quantiles of covered time, see `quantile`.
    load_factor: mean / max.
    """

    min: float
    max: float
    max_at_ms: int | None
    mean: float
    p5: float
    p25: float
    median: float
    p75: float
    p95: float
    p99: float
    load_factor: float
    covered_ms: int
    n_samples: int


def statistics(curve: Curve, start_ms: int, end_ms: int) -> Statistics:
    """All figures of a window at once. Source: docs/semantics.md, "A power curve"."""
    part = window(curve, start_ms, end_ms)
    nan = math.nan
    if not len(part):
        return Statistics(nan, nan, None, nan, nan, nan, nan, nan, nan, nan, nan, 0, 0)
    top = int(np.argmax(part.v))
    high = float(part.v[top])
    covered = part.covered_ms
    mean = energy_j(part, start_ms, end_ms) / (covered / 1000.0)
    p5, p25, median, p75, p95, p99 = _selected(curve, start_ms, end_ms, _QUANTILES)
    return Statistics(
        float(part.v.min()),
        high,
        int(part.t_ms[top]),
        mean,
        p5,
        p25,
        median,
        p75,
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
    return _selected(curve, start_ms, end_ms, (q,))[0]


def load_duration(curve: Curve, start_ms: int, end_ms: int, n: int) -> tuple[FloatArray, FloatArray]:
    """The load-duration curve: share float64[n] from 0 to 1, and value float64[n] from the maximum down to the minimum.

    The value is reached or exceeded for that share of the covered time, samples weighed as in `quantile`.
    """
    share = np.linspace(0.0, 1.0, n)
    return share, _quantiles(*_ranked(curve, [(start_ms, end_ms)]), 1.0 - share)


def idle_baseline_w(curve: Curve, idle_ms: Sequence[tuple[int, int]]) -> float:
    """The median power [W] over the stretches when no job holds the node; NaN below 30 covered minutes.

    The stretches must not overlap. Source: docs/semantics.md, "Idle baseline".
    """
    values, cumulative = _ranked(curve, idle_ms)
    if not values.size or cumulative[-1] < 2 * IDLE_MINIMUM_MS:
        return math.nan
    return float(_quantiles(values, cumulative, np.array([0.5]))[0])


@dataclass(frozen=True, slots=True)
class Baseline:
    """The idle power of a node [W]; `idle_ms`: measured over so much idle time, None where its model declares it."""

    w: float
    idle_ms: int | None


@dataclass(frozen=True, slots=True)
class Peaks:
    """How the peaks of several loads meet [W]; the factor is non-coincident / coincident."""

    coincident: float
    non_coincident: float
    diversity_factor: float


def peaks(curves: Sequence[Curve], start_ms: int, end_ms: int) -> Peaks:
    """Maximum of the sum, sum of the maxima [W], and their ratio; NaN where the sum or a member is not covered.

    Source: docs/semantics.md, "Coincident peak".
    """
    tops = [_max(curve, start_ms, end_ms) for curve in curves]
    coincident = _max(add(curves), start_ms, end_ms)
    apart = math.fsum(tops) if tops else math.nan
    return Peaks(coincident, apart, apart / coincident if coincident > 0 else math.nan)


def _max(curve: Curve, start_ms: int, end_ms: int) -> float:
    part = window(curve, start_ms, end_ms)
    return float(part.v.max()) if len(part) else math.nan


def _selected(curve: Curve, start_ms: int, end_ms: int, q: Sequence[float]) -> list[float]:
    """Quantiles in a window; of many values only those near a quantile are sorted."""
    reach = curve.time_base.once(_reach, start_ms, end_ms)
    if not reach.whole:
        return [math.nan] * len(q)
    values, weights = curve.v[reach.rows], reach.weights
    bins = _bins(values)
    below = np.cumsum(np.bincount(bins, weights))
    wanted = np.maximum(_within(np.array(q), reach.whole), 0.5)  # weights are whole numbers: one of 0 stays out
    here = np.searchsorted(below, wanted)
    chosen = np.zeros(below.size, np.bool_)
    chosen[here] = True
    near = np.flatnonzero(chosen[bins])
    near = near[np.argsort(values[near])]
    cumulative = np.cumsum(weights[near])
    skipped = np.zeros(below.size)  # weight of the bins between the chosen ones
    last = np.searchsorted(bins[near], here, "right") - 1
    skipped[here] = below[here] - cumulative[last]
    found: list[float] = values[near[np.searchsorted(cumulative + skipped[bins[near]], wanted)]].tolist()
    return found


def _bins(values: FloatArray) -> IntArray:
    """Of every value a small number that rises with the values."""
    low = float(values.min())
    span = float(values.max()) - low
    if values.size < _BINS or not 1e-200 < span < 1e200:
        return np.zeros(values.size, np.int64)
    scaled = values - low
    scaled *= _BINS / span
    return scaled.astype(np.int64)


def _within(q: FloatArray, whole: float) -> FloatArray:
    wanted: FloatArray = q * whole * (1.0 - 1e-12)  # 0.07 · 100 is 7.000000000000001
    return wanted


def _quantiles(values: FloatArray, cumulative: IntArray, q: FloatArray) -> FloatArray:
    if not values.size:
        return np.full(q.shape, np.nan)
    found: FloatArray = values[np.searchsorted(cumulative, _within(q, cumulative[-1]))]
    return found


def _ranked(curve: Curve, windows: Sequence[tuple[int, int]]) -> tuple[FloatArray, IntArray]:
    """Sample values in rising order and the time at or below each, in half milliseconds."""
    values, weights = _weighed(curve, windows)
    order = np.argsort(values)
    return values[order], np.cumsum(weights[order])


def _weighed(curve: Curve, windows: Sequence[tuple[int, int]]) -> tuple[FloatArray, IntArray]:
    """Sample values and the time each stands for, in half milliseconds (so that halves are exact)."""
    weights = np.zeros(len(curve), np.int64)
    for start_ms, end_ms in windows:
        rows = _rows(curve.time_base, start_ms, end_ms)
        _add_weights(curve.time_base, rows, start_ms, end_ms, weights[rows])
    standing = weights > 0
    return curve.v[standing], weights[standing]


@dataclass(frozen=True, slots=True)
class _Reach:
    """Points in and beside a window, and their weights: the time inside the window [½ ms], exact integers."""

    rows: slice
    weights: FloatArray
    whole: float


def _reach(time_base: TimeBase, start_ms: int, end_ms: int) -> _Reach:
    rows = _rows(time_base, start_ms, end_ms)
    weights = np.zeros(len(time_base.t_ms[rows]), np.int64)
    _add_weights(time_base, rows, start_ms, end_ms, weights)
    return _Reach(rows, weights.astype(np.float64), float(weights.sum()))


def _rows(time_base: TimeBase, start_ms: int, end_ms: int) -> slice:
    first = max(0, int(np.searchsorted(time_base.t_ms, start_ms, "right")) - 1)
    return slice(first, int(np.searchsorted(time_base.t_ms, end_ms)) + 1)


def _add_weights(time_base: TimeBase, part: slice, start_ms: int, end_ms: int, weights: IntArray) -> None:
    """Add to each point its time inside the window [½ ms]; only the ends of the part extend beyond it."""
    t, linked, sample = time_base.t_ms[part], time_base.linked[part][:-1], time_base.is_sample[part]
    if t.size < 2:
        return
    left, middle, right = 2 * t[:-1], t[:-1] + t[1:], 2 * t[1:]
    held = np.flatnonzero(sample[:-1] != sample[1:])
    middle[held] = np.where(sample[held], right[held], left[held])
    for edge in (left, middle, right):
        edge[[0, -1]] = np.clip(edge[[0, -1]], 2 * start_ms, 2 * end_ms)
    if t[0] < start_ms:  # its time belongs to the sample after it
        middle[0] = left[0]
        linked = linked & ((np.arange(linked.size) > 0) | sample[1:])
    if t[-1] > end_ms and sample[-1]:
        middle[-1] = right[-1]
        linked = linked & ((np.arange(linked.size) < linked.size - 1) | sample[:-1] & (t[:-1] >= start_ms))
    broken = np.flatnonzero(~linked | ~(sample[:-1] | sample[1:]))
    left[broken] = middle[broken] = right[broken] = 0
    weights[:-1] += middle - left
    weights[1:] += right - middle
