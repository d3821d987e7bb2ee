"""Cost and carbon of energy: factors over time (PUE, price, carbon intensity) and energy weighted by them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from app.domain.timeseries import FloatArray, IntArray

J_PER_KWH = 3.6e6


@dataclass(frozen=True, eq=False, slots=True)
class Factor:
    """A piecewise constant factor.

    Attributes
    ----------
    start_ms, end_ms, value: int64[n], int64[n], float64[n]: `value` is valid in [start, end); sorted, no two overlap.
    constant: value outside the steps; NaN if the factor is unknown there.
    """

    start_ms: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    end_ms: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    value: FloatArray = field(default_factory=lambda: np.empty(0))
    constant: float = math.nan

    def at(self, t_ms: ArrayLike) -> FloatArray:
        """Return the factor at each time: float64[m] for int[m] [ms]; NaN where it is unknown."""
        t = np.asarray(t_ms, np.int64)
        if not self.start_ms.size:
            return np.full(t.shape, self.constant)
        i = np.searchsorted(self.start_ms, t, "right") - 1
        return np.where((i >= 0) & (t < self.end_ms[i]), self.value[i], self.constant)

    def mean(self, edges_ms: ArrayLike) -> FloatArray:
        """Return the mean over each [edges[i], edges[i + 1]): float64[n - 1]; NaN where a part of it is unknown."""
        edges = np.asarray(edges_ms, np.int64)
        cut = np.union1d(edges, cuts([self], int(edges[0]), int(edges[-1])))
        sums = self.at(cut[:-1]) * np.diff(cut)
        means: FloatArray = np.add.reduceat(sums, np.searchsorted(cut, edges[:-1])) / np.diff(edges)
        return means


def cuts(factors: Sequence[Factor], start_ms: int, end_ms: int) -> IntArray:
    """Return the edges int64[n] [ms] of the intervals of [start, end] in which every factor is constant."""
    bounds = [np.array([start_ms, end_ms], np.int64)]
    for factor in factors:
        bounds += [x[(x > start_ms) & (x < end_ms)] for x in (factor.start_ms, factor.end_ms)]
    return np.unique(np.concatenate(bounds))


class Weighted(NamedTuple):
    """Energy multiplied by its factors.

    Attributes
    ----------
    amount: Σ energy × factors over the intervals in which all factors are known [kWh × their unit].
    known_j: the energy of those intervals [J].
    """

    amount: float
    known_j: float

    @property
    def mean(self) -> float:
        """Energy-weighted mean of the product of the factors; NaN without energy."""
        return self.amount / (self.known_j / J_PER_KWH) if self.known_j else math.nan


def weigh(edges_ms: ArrayLike, energy_j: ArrayLike, *factors: Factor) -> Weighted:
    """Weight energy float[n - 1] [J] of the intervals between edges int[n] [ms], each by its own factors.

    Source: docs/semantics.md, "Cost and carbon": energy at the node × PUE × price, × carbon intensity.
    """
    joules = np.asarray(energy_j, np.float64)
    weight = np.ones(joules.size)
    for factor in factors:
        weight = weight * factor.mean(edges_ms)
    known = ~np.isnan(weight)
    return Weighted(float((joules * weight)[known].sum()) / J_PER_KWH, float(joules[known].sum()))
