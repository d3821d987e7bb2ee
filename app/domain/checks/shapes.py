"""Find swapped cords and nodes by the shape of their curves, even if the means agree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.domain.rollups import minutes
from app.domain.timeseries import BoolArray, Curve, FloatArray, IntArray
from collectors.contract import MINUTE_MS

LEAST_MINUTES = 20
MOST_STEPS = 1440
"""Means that the shape of a curve is made of: those of minutes over a day, of longer steps over a longer window."""
LEAST_VARIATION = 0.03
"""A curve whose minutes vary by less than this share of their mean has no shape to follow."""
FOLLOWS = 0.9
"""At this correlation two curves have one shape."""
STRANGE = 0.6
"""Below this one they have not."""


@dataclass(frozen=True)
class Mixed:
    """A node whose wall power follows the readings of another node; `swapped`: and vice versa.

    Attributes
    ----------
    own, other: correlation with the node's own readings, and with those of the other.
    """

    node: str
    follows: str
    own: float
    other: float
    swapped: bool


def correlations(a: FloatArray, rows: FloatArray) -> FloatArray:
    """Pearson's r of a row of means with each of n others, where both are known: float64[n] of float64[m], [n, m].

    NaN where too few means are known, or one of the two hardly varies over them.
    """
    known = np.isfinite(a) & np.isfinite(rows)
    count = known.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        x = _centred(np.broadcast_to(a, rows.shape), known, count)
        y = _centred(rows, known, count)
        r = (x[0] * y[0]).sum(axis=1) / np.sqrt((x[0] ** 2).sum(axis=1) * (y[0] ** 2).sum(axis=1))
        varies = np.minimum(x[1], y[1]) >= LEAST_VARIATION
    return np.where((count >= LEAST_MINUTES) & varies, r, np.nan)


def mixed_up(wall: Mapping[str, Curve], reported: Mapping[str, Curve], start_ms: int, end_ms: int) -> list[Mixed]:
    """Return nodes whose wall power does not follow their own readings (BMC, GPUs) but those of another node.

    Parameters
    ----------
    wall, reported: node → curve [W].

    Notes
    -----
    Jobs on several nodes give them the same shape: a node that follows both itself and another is not reported.
    """
    step_ms = max(1, -(-(end_ms - start_ms) // (MOST_STEPS * MINUTE_MS))) * MINUTE_MS
    start, end = start_ms // step_ms * step_ms, -(end_ms // -step_ms) * step_ms
    nodes = sorted(reported)
    told = np.array([minutes(reported[node], start, end, step_ms).mean for node in nodes])
    follows: dict[str, tuple[str, float, float]] = {}
    for i, node in enumerate(nodes):
        if node not in wall:
            continue
        drawn = minutes(wall[node], start, end, step_ms).mean
        own = float(correlations(drawn, told[i : i + 1])[0])
        if math.isnan(own) or own >= STRANGE:
            continue
        r = correlations(drawn, told)
        r[i] = np.nan
        if np.isnan(r).all():
            continue
        best = int(np.nanargmax(r))
        if r[best] >= FOLLOWS:
            follows[node] = (nodes[best], own, float(r[best]))
    return [
        Mixed(node, best, own, other, follows.get(best, ("",))[0] == node)
        for node, (best, own, other) in follows.items()
    ]


def _centred(rows: FloatArray, known: BoolArray, count: IntArray) -> tuple[FloatArray, FloatArray]:
    """Each row less its mean, 0 where it is not known; and how much it varies, as a share of its mean."""
    mean = np.where(known, rows, 0.0).sum(axis=1) / count
    centred = np.where(known, rows - mean[:, None], 0.0)
    return centred, np.sqrt((centred**2).sum(axis=1) / count) / np.abs(mean)
