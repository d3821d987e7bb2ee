"""Fewer points for the same picture: every bucket keeps its lowest and its highest knot, and gaps stay gaps."""

from __future__ import annotations

import numpy as np

from app.domain.curve import BoolArray, Curve, FloatArray, IntArray, window

MINIMUM = 4
"""Fewer points than this draw no curve."""


def downsample(curve: Curve, start_ms: int, end_ms: int, max_points: int) -> tuple[IntArray, FloatArray]:
    """The curve inside a window as at most `max_points` points: t int64[m] [ms] rising, v float64[m].

    A NaN stands in the middle of a gap, so that a line drawn through the points breaks there. The window's
    minimum and maximum are always kept. So are the edges of every gap, unless the gaps are more than about
    one per ten points: then one inside a bucket is not drawn, and its neighbours are as exact as a bucket.

    Raises
    ------
    ValueError
        `max_points` is below 4.
    """
    if max_points < MINIMUM:
        raise ValueError(f"max_points = {max_points} is below {MINIMUM}")
    part = window(curve, start_ms, end_ms)
    runs = int(np.count_nonzero(~part.linked))
    if len(part) + runs - 1 > max_points:
        part = _thinned(part, runs, max_points)
    return _broken(part)


def _thinned(part: Curve, runs: int, max_points: int) -> Curve:
    """The kept knots; `linked` says which of them a line may join."""
    run = np.concatenate([[0], np.cumsum(~part.linked)[:-1]])
    edges = np.zeros(len(part), np.bool_)
    buckets = (max_points + 3 - 5 * runs) // 2
    if buckets >= max_points // 4:
        # n buckets cut by the runs are at most n + runs - 1 groups of 2 knots; a run has 2 edges, a gap 1 break
        group = run * buckets + _bucket(part.t_ms, buckets)
        edges |= ~part.linked | _begins(run)
    else:
        group = _bucket(part.t_ms, max_points // 4)
    keep = np.flatnonzero(edges | _extremes(part.v, np.flatnonzero(_begins(group))))
    joined = (np.diff(run[keep]) == 0) | (np.diff(group[keep]) == 0)
    return Curve(part.t_ms[keep], part.v[keep], np.append(joined, False), part.is_sample[keep])


def _bucket(t: IntArray, n: int) -> IntArray:
    """Which of n equal stretches of time each knot lies in."""
    bucket: IntArray = ((t - t[0]) * n) // (t[-1] - t[0] + 1)
    return bucket


def _begins(label: IntArray) -> BoolArray:
    return np.append(True, label[1:] != label[:-1])


def _extremes(v: FloatArray, starts: IntArray) -> BoolArray:
    """True at the first lowest and the last highest value of every group, so that a level group keeps both ends."""
    sizes = np.diff(starts, append=v.size)
    keep = np.zeros(v.size, np.bool_)
    low = np.flatnonzero(v == np.repeat(np.minimum.reduceat(v, starts), sizes))
    high = np.flatnonzero(v == np.repeat(np.maximum.reduceat(v, starts), sizes))
    keep[low[np.searchsorted(low, starts)]] = True
    keep[high[np.searchsorted(high, starts + sizes) - 1]] = True
    return keep


def _broken(part: Curve) -> tuple[IntArray, FloatArray]:
    ends = np.flatnonzero(~part.linked)[:-1]
    middle = (part.t_ms[ends] + part.t_ms[ends + 1]) // 2
    return np.insert(part.t_ms, ends + 1, middle), np.insert(part.v, ends + 1, np.nan)
