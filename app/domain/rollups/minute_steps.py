"""A curve as figures of equal steps: what is kept for months, and what sums over long ranges are made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from app.domain.timeseries import BoolArray, Curve, FloatArray, IntArray, value_at, window
from collectors.contract import MINUTE_MS


@dataclass(frozen=True, eq=False, slots=True)
class Minutes:
    """Figures of n steps, in the order of time.

    Attributes
    ----------
    t_ms, step_ms: int64[n], when each step begins and how long it is [ms].
    integral: float64[n], ∫v·dt over the covered part [v·s]; 0 where nothing is covered.
    low, high: float64[n], of the curve inside the step, its ends included; NaN where nothing is covered.
    covered_ms: int64[n], covered time [ms].
    """

    t_ms: IntArray
    step_ms: IntArray
    integral: FloatArray
    low: FloatArray
    high: FloatArray
    covered_ms: IntArray

    @staticmethod
    def blank(start_ms: int, end_ms: int, step_ms: int = MINUTE_MS) -> Minutes:
        """Return the steps of a window with nothing covered."""
        t = np.arange(start_ms, end_ms, step_ms, dtype=np.int64)
        n = t.size
        nothing = np.full(n, np.nan)
        zeros = np.zeros(n, np.int64)
        return Minutes(t, np.full(n, step_ms, np.int64), np.zeros(n), nothing, nothing.copy(), zeros)

    def __len__(self) -> int:
        return len(self.t_ms)

    @property
    def is_blank(self) -> bool:
        """Whether nothing is covered."""
        return not self.covered_ms.any()

    @property
    def mean(self) -> FloatArray:
        """float64[n], over the covered part of each step; NaN where nothing is covered."""
        found: FloatArray = np.divide(
            1000.0 * self.integral, self.covered_ms, out=np.full(len(self), np.nan), where=self.covered_ms > 0
        )
        return found

    def part(self, rows: slice | BoolArray) -> Minutes:
        """Return some of the steps."""
        return Minutes(*(getattr(self, name)[rows] for name in self.__slots__))


def minutes(curve: Curve, start_ms: int, end_ms: int, step_ms: int = MINUTE_MS) -> Minutes:
    """Every step of [start, end): exact for the piecewise-linear curve. Both are multiples of the step."""
    found = Minutes.blank(start_ms, end_ms, step_ms)
    t, v, linked = _cut(window(curve, start_ms, end_ms), start_ms, end_ms, step_ms)
    at = np.flatnonzero(linked)
    if not at.size:
        return found
    step = (t[at] - start_ms) // step_ms
    length = t[at + 1] - t[at]
    found.integral[:] = np.bincount(step, (v[at] + v[at + 1]) * length, len(found)) / 2000.0
    found.covered_ms[:] = np.bincount(step, length, len(found))
    first = np.flatnonzero(np.diff(step, prepend=-1))
    found.low[step[first]] = np.minimum.reduceat(np.minimum(v[at], v[at + 1]), first)
    found.high[step[first]] = np.maximum.reduceat(np.maximum(v[at], v[at + 1]), first)
    return found


def _cut(curve: Curve, start_ms: int, end_ms: int, step_ms: int) -> tuple[IntArray, FloatArray, BoolArray]:
    """Return the points (t, v, linked) of a curve, cut wherever a step begins inside a line."""
    edges = np.arange(start_ms, end_ms + 1, step_ms, dtype=np.int64)
    before = np.searchsorted(curve.t_ms, edges) - 1
    inside = (before >= 0) & (before < len(curve) - 1)
    inside[inside] = curve.linked[before[inside]] & (curve.t_ms[before[inside] + 1] != edges[inside])
    cuts, at = edges[inside], before[inside] + 1
    return (
        np.insert(curve.t_ms, at, cuts),
        np.insert(curve.v, at, value_at(curve, cuts)),
        np.insert(curve.linked, at, True),
    )


def together(parts: Iterable[Minutes]) -> Minutes:
    """Join parts of one subject on the same steps that cover different times."""
    first, *rest = parts
    integral, low, high, covered = first.integral, first.low, first.high, first.covered_ms
    for part in rest:
        integral, covered = integral + part.integral, covered + part.covered_ms
        low, high = np.fmin(low, part.low), np.fmax(high, part.high)
    return Minutes(first.t_ms, first.step_ms, integral, low, high, covered)


def coarser(fine: Minutes, step_ms: int) -> Minutes:
    """Return equal steps as longer ones; the first starts a longer one, and the length is a multiple."""
    if not len(fine):
        return fine
    begins = np.flatnonzero(np.diff(fine.t_ms // step_ms, prepend=-1))
    return Minutes(
        fine.t_ms[begins] // step_ms * step_ms,
        np.full(begins.size, step_ms, np.int64),
        np.add.reduceat(fine.integral, begins),
        np.fmin.reduceat(fine.low, begins),
        np.fmax.reduceat(fine.high, begins),
        np.add.reduceat(fine.covered_ms, begins),
    )
