"""Repeats and studies: groups of runs, ratios to a reference, and the best power cap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Spread(NamedTuple):
    """Mean ± sample standard deviation (ddof = 1; NaN for a single run) of n runs."""

    n: int
    mean: float
    std: float


def spread(values: Sequence[float]) -> Spread:
    """Return the spread of repeats of one configuration, in their unit. Missing runs (NaN) are excluded."""
    known = np.asarray(values, np.float64)
    known = known[~np.isnan(known)]
    n = int(known.size)
    return Spread(n, float(known.mean()) if n else math.nan, float(known.std(ddof=1)) if n > 1 else math.nan)


class Ratio(NamedTuple):
    """One group's mean over another's, and how far single runs of the two scatter around it (NaN for single runs)."""

    value: float
    std: float


def ratio(group: Spread, reference: Spread) -> Ratio:
    """mean / reference mean with its propagated standard deviation; NaN where the reference is 0 or unknown.

    Notes
    -----
    To first order, for runs that scatter independently: σ_r = |r| √((σ/x)² + (σ_ref/x_ref)²) (JCGM 100:2008,
    5.1.6). What the meters of both have in common cancels and is not part of it.
    """
    if not reference.mean or math.isnan(reference.mean) or math.isnan(group.mean):
        return Ratio(math.nan, math.nan)
    value = group.mean / reference.mean
    of_reference = value * reference.std / reference.mean
    return Ratio(value, math.hypot(group.std / reference.mean, of_reference))


class Configuration(NamedTuple):
    """One configuration of a study: its energy [J] and duration [s], both > 0."""

    energy_j: float
    duration_s: float


@dataclass(frozen=True, slots=True)
class StudyComparison:
    """A configuration against the reference. Gains are positive where it is better [%, or points].

    Attributes
    ----------
    energy_gain_pct: 100 (1 − E/E_ref).
    performance_loss_pct: 100 (t/t_ref − 1).
    net_points: the difference of the two.
    edp: energy-delay product E · t / (E_ref · t_ref).
    eds: energy-delay sum αE + βt by k, which is 1 at the reference.
    """

    energy_gain_pct: float
    performance_loss_pct: float
    net_points: float
    edp: float
    eds: dict[float, float]

    @property
    def edp_gain_pct(self) -> float:
        """100 (1 − EDP)."""
        return 100.0 * (1.0 - self.edp)

    def eds_gain_pct(self, k: float) -> float:
        """100 (1 − EDS_k)."""
        return 100.0 * (1.0 - self.eds[k])


def compare(run: Configuration, reference: Configuration, ks: Sequence[float] = (1.5, 2.0)) -> StudyComparison:
    """A power-capped configuration against the reference; see `Comparison`.

    EDS_k = αE + βt with α = (k − 1)/(k · E_ref) and β = 1/(k · t_ref), k ≥ 1.

    Notes
    -----
    Check against the published table: t = 93.6/85.6 of the reference with 24.4 % less energy gives +15.0 points,
    EDP +17.3 %, EDS₂ +7.5 %. Source: docs/semantics.md, "Repeats and studies".
    """
    if min(*run, *reference) <= 0 or min(ks, default=1.0) < 1:
        raise ValueError("energies and durations must be positive, and k at least 1")
    energy = run.energy_j / reference.energy_j
    time = run.duration_s / reference.duration_s
    gain, loss = 100.0 * (1.0 - energy), 100.0 * (time - 1.0)
    return StudyComparison(gain, loss, gain - loss, energy * time, {k: ((k - 1.0) * energy + time) / k for k in ks})
