"""Reduce the points of a curve: every bucket keeps its lowest and its highest point, and gaps stay gaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.domain.timeseries.curve import Curve, window
from app.domain.timeseries.time_base import BoolArray, FloatArray, IntArray, TimeBase

MINIMUM = 4
"""Fewer points than this draw no curve."""


def downsample(curve: Curve, start_ms: int, end_ms: int, max_points: int) -> tuple[IntArray, FloatArray]:
    """Return the curve inside a window as at most `max_points` points: t int64[m] [ms] increasing, v float64[m].

    A NaN in the middle of a gap breaks a line drawn through the points. The window's
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
    buckets = part.time_base.once(_buckets, max_points)
    return _broken(part if buckets is None else _thinned(part, buckets))


@dataclass(frozen=True, eq=False)
class _Buckets:
    """Assignment of points to buckets.

    Attributes
    ----------
    run: int64[n], the gapless run of each point. bucket: int64[n], the bucket of each point.
    starts, sizes: int64[m], first point and number of points of each bucket. edges: bool[n], points always kept.
    """

    run: IntArray
    bucket: IntArray
    starts: IntArray
    sizes: IntArray
    edges: BoolArray


def _buckets(time_base: TimeBase, max_points: int) -> _Buckets | None:
    """Return the buckets; None if all points may be drawn."""
    runs = int(np.count_nonzero(~time_base.linked))
    if len(time_base) + runs - 1 <= max_points:
        return None
    run = np.concatenate([[0], np.cumsum(~time_base.linked)[:-1]])
    n = (max_points + 3 - 5 * runs) // 2
    if n >= max_points // 4:
        # n buckets cut by the runs are at most n + runs - 1 groups of 2 points; a run has 2 edges, a gap 1 break
        bucket = run * n + _bucket(time_base.t_ms, n)
        edges = ~time_base.linked | _begins(run)
    else:
        bucket, edges = _bucket(time_base.t_ms, max_points // 4), np.zeros(len(time_base), np.bool_)
    starts = np.flatnonzero(_begins(bucket))
    return _Buckets(run, bucket, starts, np.diff(starts, append=len(time_base)), edges)


def _thinned(part: Curve, buckets: _Buckets) -> Curve:
    """Return the kept points; `linked` are those that a line may join to the next."""
    kept = buckets.edges.copy()
    for extreme in _extremes(part.v, buckets.starts, buckets.sizes):
        kept[extreme] = True
    keep = np.flatnonzero(kept)
    joined = (np.diff(buckets.run[keep]) == 0) | (np.diff(buckets.bucket[keep]) == 0)
    return Curve(TimeBase(part.t_ms[keep], np.append(joined, False), part.is_sample[keep]), part.v[keep])


def _bucket(t: IntArray, n: int) -> IntArray:
    """Return which of n equal intervals each point is in."""
    bucket: IntArray = ((t - t[0]) * n) // (t[-1] - t[0] + 1)
    return bucket


def _begins(label: IntArray) -> BoolArray:
    return np.append(True, label[1:] != label[:-1])


def _extremes(v: FloatArray, starts: IntArray, sizes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first lowest and the last highest value of every bucket, so that a constant one keeps both ends."""
    low = np.flatnonzero(v == np.repeat(np.minimum.reduceat(v, starts), sizes))
    high = np.flatnonzero(v == np.repeat(np.maximum.reduceat(v, starts), sizes))
    return low[np.searchsorted(low, starts)], high[np.searchsorted(high, starts + sizes) - 1]


def _broken(part: Curve) -> tuple[IntArray, FloatArray]:
    ends = np.flatnonzero(~part.linked)[:-1]
    middle = (part.t_ms[ends] + part.t_ms[ends + 1]) // 2
    return np.insert(part.t_ms, ends + 1, middle), np.insert(part.v, ends + 1, np.nan)
