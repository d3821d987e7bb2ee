"""The power curve: a fixed piecewise-linear function of time with gaps.

A curve is built once from all samples and does not depend on the window, so every
integral over it is additive. Times are integer milliseconds UTC, values are in the series' base unit
(W for power). Missing is a gap, never a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from app.domain.timeseries.time_base import (
    BoolArray,
    FloatArray,
    IntArray,
    TimeBase,
    covered_ms,
    cut,
    framed,
    sample_before,
    sampled,
    without_lone,
)

__all__ = ["BoolArray", "Curve", "FloatArray", "IntArray", "TimeBase"]


@dataclass(frozen=True, eq=False, slots=True)
class Curve:
    """A time base, and the value at each of its points: float64[n], finite."""

    time_base: TimeBase
    v: FloatArray

    def __post_init__(self) -> None:
        if self.time_base.t_ms.shape != self.v.shape:
            raise ValueError("a curve's arrays are one-dimensional and equally long")

    @staticmethod
    def empty() -> Curve:
        """Return the curve that is covered nowhere."""
        return Curve(TimeBase.none(), np.empty(0))

    def __len__(self) -> int:
        return len(self.v)

    @property
    def t_ms(self) -> IntArray:
        """int64[n], see `TimeBase`."""
        return self.time_base.t_ms

    @property
    def linked(self) -> BoolArray:
        """bool[n], see `TimeBase`."""
        return self.time_base.linked

    @property
    def is_sample(self) -> BoolArray:
        """bool[n], see `TimeBase`."""
        return self.time_base.is_sample

    @property
    def start_ms(self) -> int | None:
        """First covered time [ms]; None if empty."""
        return int(self.t_ms[0]) if len(self) else None

    @property
    def end_ms(self) -> int | None:
        """Last covered time [ms]; None if empty."""
        return int(self.t_ms[-1]) if len(self) else None

    @property
    def covered_ms(self) -> int:
        """Covered time [ms]."""
        return self.time_base.once(covered_ms)

    @property
    def n_samples(self) -> int:
        """Number of measured points."""
        return int(np.count_nonzero(self.is_sample))


def from_samples(t_ms: ArrayLike, v: ArrayLike, tau_ms: ArrayLike, max_gap_ms: ArrayLike) -> Curve:
    """Return the curve of a series: close neighbours are joined, and the last value of every run is held for one τ.

    Parameters
    ----------
    t_ms: int[n] [ms], in any order; of several samples at one time the first counts.
    v: float[n]; NaN and infinite are missing and are dropped.
    tau_ms: int or int[n], nominal interval τ of each sample > 0 [ms].
    max_gap_ms: int or int[n] > 0 [ms]; sample i is joined to the next one when that is at most max_gap_ms[i] later.

    Raises
    ------
    ValueError
        Lengths differ, or τ or max_gap is not positive.

    Notes
    -----
    A hold ends one millisecond before the next sample where τ would reach it.
    Source: docs/semantics.md, "A power curve".
    """
    t, values, tau, gap = _sorted_samples(t_ms, v, tau_ms, max_gap_ms)
    return from_series(t, [values], tau, gap)[0] if t.size else Curve.empty()


def from_series(t_ms: IntArray, series: Sequence[FloatArray], tau_ms: IntArray, max_gap_ms: IntArray) -> list[Curve]:
    """Do the same as `from_samples` for several series read at the same times: their curves share the time base."""
    if not t_ms.size or not (t_ms[1:] > t_ms[:-1]).all():
        return [from_samples(t_ms, v, tau_ms, max_gap_ms) for v in series]
    time_base = sampled(t_ms, tau_ms, max_gap_ms)
    rows = np.empty((len(series), len(time_base)))  # one large array takes huge pages
    return [
        _held(time_base, v, row) if np.isfinite(v).all() else from_samples(t_ms, v, tau_ms, max_gap_ms)
        for v, row in zip(series, rows, strict=True)
    ]


def _held(time_base: TimeBase, v: FloatArray, out: FloatArray) -> Curve:
    """Return the curve of samples; a hold has the value of the sample before it."""
    if len(time_base) == v.size + 1:
        out[:-1], out[-1] = v, v[-1]
    else:
        np.take(v, time_base.once(sample_before), out=out)
    return Curve(time_base, out)


def _sorted_samples(
    t_ms: ArrayLike, v: ArrayLike, tau_ms: ArrayLike, max_gap_ms: ArrayLike
) -> tuple[IntArray, FloatArray, IntArray, IntArray]:
    t, values = np.asarray(t_ms, np.int64), np.asarray(v, np.float64)
    if t.ndim != 1 or t.shape != values.shape:
        raise ValueError(f"times {t.shape} and values {values.shape} must be equally long lists")
    tau = np.broadcast_to(np.asarray(tau_ms, np.int64), t.shape)
    gap = np.broadcast_to(np.asarray(max_gap_ms, np.int64), t.shape)
    if t.size and (tau.min() <= 0 or gap.min() <= 0):
        raise ValueError("τ and max_gap must be positive")
    finite = np.isfinite(values)
    if not finite.all():
        t, values, tau, gap = t[finite], values[finite], tau[finite], gap[finite]
    if np.any(np.diff(t) <= 0):
        t, first = np.unique(t, return_index=True)
        values, tau, gap = values[first], tau[first], gap[first]
    return t, values, tau, gap


def above_zero(curve: Curve) -> Curve:
    """Return a curve without its points at or below 0, and without the time between them and their neighbours."""
    keep = curve.v > 0
    if keep.all():
        return curve
    linked = curve.linked & keep
    linked[:-1] &= keep[1:]
    base = TimeBase(curve.t_ms[keep], linked[keep], curve.is_sample[keep])
    lone = without_lone(base)
    return Curve(base, curve.v[keep]) if lone is None else Curve(lone[0], curve.v[keep][lone[1]])


def window(curve: Curve, start_ms: int, end_ms: int) -> Curve:
    """Return the curve inside [start_ms, end_ms]. Ends inside a line are interpolated points, not samples."""
    t = curve.t_ms
    if not t.size or end_ms <= start_ms:
        return Curve.empty()
    if start_ms <= t[0] and t[-1] <= end_ms:
        return _without_lone_times(curve)
    part = curve.time_base.once(cut, start_ms, end_ms)
    ends = (None if end is None else float(value_at(curve, end)) for end in (part.start_ms, part.end_ms))
    return _without_lone_times(Curve(part.time_base, framed(curve.v[part.rows], *ends)))


def _without_lone_times(curve: Curve) -> Curve:
    kept = curve.time_base.once(without_lone)
    return curve if kept is None else Curve(kept[0], curve.v[kept[1]])


def value_at(curve: Curve, t_ms: ArrayLike) -> FloatArray:
    """Return the value at each time: float64[m] for int[m] [ms]; NaN where not covered."""
    at = np.asarray(t_ms, np.int64)
    if not len(curve):
        return np.full(at.shape, np.nan)
    t, v = curve.t_ms, curve.v
    i = np.searchsorted(t, at, "right") - 1
    after = at - t[i]
    joined = curve.linked[i]
    step = np.where(joined, t[(i + 1) % t.size] - t[i], 1)
    found = v[i] + (v[(i + 1) % t.size] - v[i]) / step * after
    return np.where((i >= 0) & (joined | (after == 0)), found, np.nan)


def add(curves: Sequence[Curve]) -> Curve:
    """Return the sum as a curve: on the union of the time bases, defined where every member is covered.

    A point of the sum is a sample where any member has one. The sum of no curves is empty.
    """
    sums = _sum_equal_times(curves)
    while len(sums) > 1:
        pairs = [_sum_of_two(a, b) for a, b in zip(sums[::2], sums[1::2], strict=False)]
        sums = pairs + sums[2 * len(pairs) :]
    return sums[0] if sums else Curve.empty()


def _sum_equal_times(curves: Sequence[Curve]) -> list[Curve]:
    """Outlets of one PDU share their time stamps: add their values at once, without interpolation."""
    groups: list[list[Curve]] = []
    for curve in curves:
        for group in groups:
            if _equal_times(group[0].time_base, curve.time_base):
                group.append(curve)
                break
        else:
            groups.append([curve])
    return [group[0] if len(group) == 1 else _stacked(group) for group in groups]


def _equal_times(a: TimeBase, b: TimeBase) -> bool:
    return a is b or (np.array_equal(a.t_ms, b.t_ms) and np.array_equal(a.linked, b.linked))


def _stacked(group: list[Curve]) -> Curve:
    time_base, v = group[0].time_base, group[0].v.copy()
    for curve in group[1:]:
        v += curve.v
        if curve.time_base is not time_base:
            time_base = TimeBase(time_base.t_ms, time_base.linked, time_base.is_sample | curve.is_sample)
    return Curve(time_base, v)


def _sum_of_two(a: Curve, b: Curve) -> Curve:
    if not len(a) or not len(b):
        return Curve.empty()
    times = np.concatenate([a.t_ms, b.t_ms])
    order = np.argsort(times, kind="stable")  # merges the two sorted halves in linear time
    t = times[order]
    final = np.append(t[1:] != t[:-1], True)  # of two equal times the second has both members behind it
    is_sample = np.concatenate([a.is_sample, b.is_sample])[order]
    is_sample[1:] |= is_sample[:-1] & ~final[:-1]
    of_b = np.cumsum(order >= len(a)) - 1
    of_a = np.arange(t.size) - of_b - 1
    t, of_a, of_b = t[final], of_a[final], of_b[final]
    v = _extended(a, of_a, t) + _extended(b, of_b, t)
    return _without_lone_times(Curve(TimeBase(t, a.linked[of_a] & b.linked[of_b], is_sample[final]), v))


def _extended(curve: Curve, i: IntArray, t: IntArray) -> FloatArray:
    """Return the line that begins at point i, at time t. For i = −1 it reads the last point: finite, not linked."""
    slope = np.zeros(len(curve))
    np.divide(np.diff(curve.v), np.diff(curve.t_ms), out=slope[:-1])
    line: FloatArray = curve.v[i] + slope[i] * (t - curve.t_ms[i])
    return line


def scale(curve: Curve, k: float) -> Curve:
    """Return the curve times k (finite)."""
    return Curve(curve.time_base, curve.v * k)


def subtract(a: Curve, b: Curve) -> Curve:
    """Return a − b, defined where both are covered."""
    return add([a, scale(b, -1.0)])


def gaps(curve: Curve, start_ms: int, end_ms: int) -> list[tuple[int, int]]:
    """Return the intervals [ms] of the window that are not covered, in order."""
    part = window(curve, start_ms, end_ms)
    ends = np.flatnonzero(~part.linked)
    starts = np.concatenate([[0], ends[:-1] + 1]) if ends.size else ends
    left = [start_ms, *part.t_ms[ends].tolist()]
    right = [*part.t_ms[starts].tolist(), end_ms]
    return [(a, b) for a, b in zip(left, right, strict=True) if b > a]


def coverage(curve: Curve, start_ms: int, end_ms: int) -> float:
    """Return covered time / duration, 0…1; NaN for a window without length."""
    if end_ms <= start_ms:
        return float("nan")
    return window(curve, start_ms, end_ms).covered_ms / (end_ms - start_ms)
