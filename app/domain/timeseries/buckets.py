"""A curve over a row of stretches at once: its integrals and means."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from app.domain.timeseries.curve import Curve
from app.domain.timeseries.time_base import FloatArray


def bucket_sums(curve: Curve, edges_ms: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """∫v dt [v · s] and covered time [ms] of each [edges[i], edges[i + 1]], exact: float64[n - 1] each.

    Parameters
    ----------
    edges_ms: int[n], increasing [ms].
    """
    edges = np.asarray(edges_ms, np.float64)
    if not len(curve):
        return np.zeros(edges.size - 1), np.zeros(edges.size - 1)
    length = np.where(curve.linked[:-1], np.diff(curve.t_ms), 0).astype(np.float64)
    middle = (curve.v[:-1] + curve.v[1:]) / 2.0
    area = np.concatenate([[0.0], np.cumsum(length * middle)])
    covered = np.concatenate([[0.0], np.cumsum(length)])
    i = np.clip(np.searchsorted(curve.t_ms, edges, "right") - 1, 0, len(curve) - 2)
    inside = np.clip(edges - curve.t_ms[i], 0.0, length[i])
    slope = (curve.v[i + 1] - curve.v[i]) / (curve.t_ms[i + 1] - curve.t_ms[i])
    areas = np.diff(area[i] + inside * (curve.v[i] + slope * inside / 2.0)) / 1000.0
    return areas, np.diff(covered[i] + inside)


def bucket_means(curve: Curve, edges_ms: ArrayLike) -> FloatArray:
    """The mean over the covered part of each [edges[i], edges[i + 1]]: float64[n - 1], NaN where nothing is covered."""
    sums, covered_ms = bucket_sums(curve, edges_ms)
    means: FloatArray = np.divide(1000.0 * sums, covered_ms, out=np.full(sums.size, np.nan), where=covered_ms > 0.0)
    return means
