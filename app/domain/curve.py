"""The power curve: a fixed piecewise-linear function of time with gaps.

A curve is made once from all samples and does not depend on the window one looks through, so every
integral over it is additive. Times are integer milliseconds UTC, values are in the series' base unit
(W for power). Missing is a gap, never a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class Curve:
    """Knots, and which neighbours a straight line joins. Covered exactly between joined knots (ends included).

    Attributes
    ----------
    t_ms: int64[n], strictly increasing [ms].
    v: float64[n], finite.
    linked: bool[n]; knot i is joined to knot i + 1. The last is False, and no knot stands alone.
    is_sample: bool[n]; False at the end of a hold, and at a window's interpolated ends.
    """

    t_ms: IntArray
    v: FloatArray
    linked: BoolArray
    is_sample: BoolArray

    def __post_init__(self) -> None:
        n = self.t_ms.shape
        if len(n) != 1 or not (n == self.v.shape == self.linked.shape == self.is_sample.shape):
            raise ValueError("a curve's arrays are one-dimensional and equally long")
        if n[0] and self.linked[-1]:
            raise ValueError("a curve's last knot cannot be linked")

    @staticmethod
    def empty() -> Curve:
        """The curve that is covered nowhere."""
        no = np.empty(0, np.bool_)
        return Curve(np.empty(0, np.int64), np.empty(0), no, no)

    def __len__(self) -> int:
        return len(self.t_ms)

    @property
    def start_ms(self) -> int | None:
        """First covered moment [ms]; None when empty."""
        return int(self.t_ms[0]) if len(self) else None

    @property
    def end_ms(self) -> int | None:
        """Last covered moment [ms]; None when empty."""
        return int(self.t_ms[-1]) if len(self) else None

    @property
    def covered_ms(self) -> int:
        """Covered time [ms]."""
        return int(np.diff(self.t_ms)[self.linked[:-1]].sum())

    @property
    def n_samples(self) -> int:
        """How many knots are measured."""
        return int(np.count_nonzero(self.is_sample))


def from_samples(t_ms: ArrayLike, v: ArrayLike, tau_ms: ArrayLike, max_gap_ms: ArrayLike) -> Curve:
    """The curve of a series: close neighbours are joined, and the last value of every run holds one τ further.

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
    A hold ends one millisecond before the next sample where τ would reach it. Source: design, "A power curve".
    """
    t, values, tau, gap = _sorted_samples(t_ms, v, tau_ms, max_gap_ms)
    if not t.size:
        return Curve.empty()
    linked = np.zeros(t.size, np.bool_)
    linked[:-1] = np.diff(t) <= gap[:-1]
    last = np.flatnonzero(~linked)
    held = t[last] + tau[last]
    held[:-1] = np.minimum(held[:-1], t[last[:-1] + 1] - 1)
    linked[last] = True
    # np.insert at many places costs ten times as much as at the end, where a series without gaps needs it
    put = np.insert if last.size > 1 else _at_end
    return Curve(
        put(t, last + 1, held),
        put(values, last + 1, values[last]),
        put(linked, last + 1, np.zeros(last.size, np.bool_)),
        put(np.ones(t.size, np.bool_), last + 1, np.zeros(last.size, np.bool_)),
    )


def _at_end(array: NDArray[Any], _at: IntArray, more: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([array, more])


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


def window(curve: Curve, start_ms: int, end_ms: int) -> Curve:
    """The curve inside [start_ms, end_ms]. Ends cut out of a line are interpolated knots, not samples."""
    t, n = curve.t_ms, len(curve)
    if not n or end_ms <= start_ms:
        return Curve.empty()
    if start_ms <= t[0] and t[-1] <= end_ms:
        return _without_lone_knots(t, curve.v, curve.linked, curve.is_sample)
    first, stop = int(np.searchsorted(t, start_ms)), int(np.searchsorted(t, end_ms, "right"))
    cut_start = 0 < first < n and bool(curve.linked[first - 1] and t[first] > start_ms)
    cut_end = 0 < stop < n and bool(curve.linked[stop - 1] and t[stop - 1] < end_ms)
    cuts = np.array([start_ms] * cut_start + [end_ms] * cut_end, np.int64)
    linked = curve.linked[first:stop].copy()
    if linked.size:
        linked[-1] = cut_end
    return _without_lone_knots(
        _framed(t[first:stop], cuts, cut_start),
        _framed(curve.v[first:stop], value_at(curve, cuts), cut_start),
        _framed(linked, np.array([True] * cut_start + [False] * cut_end), cut_start),
        _framed(curve.is_sample[first:stop], np.zeros(cuts.size, np.bool_), cut_start),
    )


def _framed(array: NDArray[Any], ends: NDArray[Any], before: bool) -> NDArray[Any]:
    """With the first of the ends before it where there is one for the start, and the rest behind it."""
    return np.concatenate([ends[: int(before)], array, ends[int(before) :]]) if ends.size else array


def _without_lone_knots(t: IntArray, v: FloatArray, linked: BoolArray, is_sample: BoolArray) -> Curve:
    keep = linked.copy()
    keep[1:] |= linked[:-1]
    if keep.all():
        return Curve(t, v, linked, is_sample)
    return Curve(t[keep], v[keep], linked[keep], is_sample[keep])


def value_at(curve: Curve, t_ms: ArrayLike) -> FloatArray:
    """The value at each time: float64[m] for int[m] [ms]; NaN where not covered."""
    at = np.asarray(t_ms, np.int64)
    if not len(curve):
        return np.full(at.shape, np.nan)
    i = np.searchsorted(curve.t_ms, at, "right") - 1
    covered = (i >= 0) & (curve.linked[i] | (curve.t_ms[i] == at))
    return np.where(covered, np.interp(at, curve.t_ms, curve.v), np.nan)


def add(curves: Sequence[Curve]) -> Curve:
    """The sum as a curve: on the union of the knots, defined where every member is covered.

    A knot of the sum is a sample where any member has one. The sum of no curves is empty.
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
            if np.array_equal(group[0].t_ms, curve.t_ms) and np.array_equal(group[0].linked, curve.linked):
                group.append(curve)
                break
        else:
            groups.append([curve])
    return [group[0] if len(group) == 1 else _stacked(group) for group in groups]


def _stacked(group: list[Curve]) -> Curve:
    v, is_sample = group[0].v.copy(), group[0].is_sample.copy()
    for curve in group[1:]:
        v += curve.v
        is_sample |= curve.is_sample
    return Curve(group[0].t_ms, v, group[0].linked, is_sample)


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
    return _without_lone_knots(t, v, a.linked[of_a] & b.linked[of_b], is_sample[final])


def _extended(curve: Curve, i: IntArray, t: IntArray) -> FloatArray:
    """The line that begins at knot i, at time t. Before its first knot (−1) it reads the last: finite, not linked."""
    slope = np.zeros(len(curve))
    np.divide(np.diff(curve.v), np.diff(curve.t_ms), out=slope[:-1])
    line: FloatArray = curve.v[i] + slope[i] * (t - curve.t_ms[i])
    return line


def scale(curve: Curve, k: float) -> Curve:
    """The curve times k (finite)."""
    return Curve(curve.t_ms, curve.v * k, curve.linked, curve.is_sample)


def subtract(a: Curve, b: Curve) -> Curve:
    """a − b, defined where both are covered."""
    return add([a, scale(b, -1.0)])


def gaps(curve: Curve, start_ms: int, end_ms: int) -> list[tuple[int, int]]:
    """The stretches [ms] of the window that are not covered, in order."""
    part = window(curve, start_ms, end_ms)
    ends = np.flatnonzero(~part.linked)
    starts = np.concatenate([[0], ends[:-1] + 1]) if ends.size else ends
    left = [start_ms, *part.t_ms[ends].tolist()]
    right = [*part.t_ms[starts].tolist(), end_ms]
    return [(a, b) for a, b in zip(left, right, strict=True) if b > a]


def coverage(curve: Curve, start_ms: int, end_ms: int) -> float:
    """Covered time / duration, 0…1; NaN for a window without length."""
    if end_ms <= start_ms:
        return float("nan")
    return window(curve, start_ms, end_ms).covered_ms / (end_ms - start_ms)
