"""Uncertainty of a measured energy or power.

Standard uncertainties u combine, and are reported expanded: U = k · u with k = 2 (about 95 %). A meter's
declared limit of error is rectangular, u = limit / √3. Source: JCGM 100:2008 (GUM), 4.3.7, 5.1, 5.2, 6.2.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.timeseries import Curve

K = 2.0
"""Coverage factor of everything reported."""
AROUND = 10
"""How many intervals around a window show how fast the power changes."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one meter contributes to a sum.

    Attributes
    ----------
    value: its contribution [J, or W].
    limit_pct: limit of error in % of the reading; NaN when the maker states none.
    limit_abs: the limit's other part, ± b of range [same unit as value]; for an energy b · range · duration.
    group: meters of one model share a group: their errors are alike and add linearly.
    step: resolution r of a counter [same unit]; 0 for an integral. It adds r/√12 at each end.
    """

    value: float
    limit_pct: float
    limit_abs: float = 0.0
    group: str = ""
    step: float = 0.0

    @property
    def gain(self) -> float:
        """Standard uncertainty from the declared limits, u = limit / √3; the limit is a % of reading + b of range."""
        return (abs(self.value) * self.limit_pct / 100.0 + self.limit_abs) / math.sqrt(3.0)

    @property
    def ends(self) -> float:
        """Standard uncertainty from the counter's resolution: r/√12 at either end, in quadrature."""
        return self.step * math.sqrt(2.0 / 12.0)


@dataclass(frozen=True, slots=True)
class UncertaintyParts:
    """Standard uncertainties [J] of an energy.

    Attributes
    ----------
    by_meter: of each group of meters; those of several energies add linearly, because the errors are the same.
    other_j: of everything else; those of several energies combine in quadrature.
    """

    by_meter: Mapping[str, float]
    other_j: float

    @property
    def total_j(self) -> float:
        """Return the standard uncertainty of the energy."""
        return math.hypot(*self.by_meter.values(), self.other_j)


def standard_parts(parts: Sequence[Part], *independent: float) -> UncertaintyParts:
    """Return the standard uncertainty of Σ value by group of meters, and the rest of it."""
    return UncertaintyParts(_groups(parts), math.hypot(*(part.ends for part in parts), *independent))


def added(each: Iterable[tuple[float, UncertaintyParts]]) -> UncertaintyParts:
    """Return the uncertainty of Σ weight · energy: of the same meters linearly, everything else in quadrature."""
    by_meter: dict[str, float] = defaultdict(float)
    other: list[float] = []
    for weight, one in each:
        for group, own_j in one.by_meter.items():
            by_meter[group] += weight * own_j
        other.append(weight * one.other_j)
    return UncertaintyParts(dict(by_meter), math.hypot(*other))


def standard(parts: Sequence[Part], *independent: float) -> float:
    """Standard uncertainty of Σ value: linear inside a group, groups and everything else in quadrature.

    `independent` are further standard uncertainties in the same unit, such as `clock_j`.
    """
    return standard_parts(parts, *independent).total_j


def expanded_pct(parts: Sequence[Part], *independent: float, k: float = K) -> float:
    """Expanded uncertainty of Σ value in % of it; NaN where a meter states no accuracy or the sum is 0.

    It does not include uncovered time, which coverage reports.
    """
    total = abs(math.fsum(part.value for part in parts))
    return 100.0 * k * standard(parts, *independent) / total if total else math.nan


def ratio_expanded_pct(above: Sequence[Part], below: Sequence[Part], k: float = K) -> float:
    """Expanded uncertainty of Σ above / Σ below in % of it: what meters of one group share cancels."""
    a, b = (abs(math.fsum(part.value for part in parts)) for parts in (above, below))
    if not a or not b:
        return math.nan
    shares_a, shares_b = _groups(above), _groups(below)
    gains = [shares_a.get(group, 0.0) / a - shares_b.get(group, 0.0) / b for group in {*shares_a, *shares_b}]
    ends = [part.ends / a for part in above] + [part.ends / b for part in below]
    return 100.0 * k * math.hypot(*gains, *ends)


def clock_j(start_w: float, end_w: float, clock_s: float) -> float:
    """Standard uncertainty [J] from a clock known to ± `clock_s` (standard) [s]: |dE/dt| · u at either end."""
    return clock_s * math.hypot(start_w, end_w)


def difference_w(curve: Curve, tau_ms: int, start_ms: int, end_ms: int) -> float:
    """Return the standard deviation of the differences of neighbouring samples within ± 10 τ of a window [W].

    NaN with fewer than two differences. Source: docs/semantics.md, "Uncertainty".
    """
    reach_ms = AROUND * tau_ms
    first, stop = np.searchsorted(curve.t_ms, (start_ms - reach_ms, end_ms + reach_ms + 1))
    sample, linked = curve.is_sample[first:stop], curve.linked[first:stop]
    differences = np.diff(curve.v[first:stop])[sample[:-1] & sample[1:] & linked[:-1]]
    return float(differences.std(ddof=1)) if differences.size > 1 else math.nan


def time_resolution_j(difference_w: float, tau_ms: int, span_ms: int, at_most: float = math.inf) -> float:
    """Return the standard uncertainty of an energy over T = `span_ms` from readings every τ [J].

    u_t = s_Δ · min(τ, T) · √max(1, T/τ) / √12: in each interval the power may have changed at any time. Of a register
    only the intervals that the ends of the window cut count, `at_most` two.
    Source: docs/semantics.md, "Uncertainty".
    """
    intervals = min(max(1.0, span_ms / tau_ms), at_most)
    return difference_w * min(tau_ms, span_ms) / 1000.0 * math.sqrt(intervals / 12.0)


def _groups(parts: Sequence[Part]) -> dict[str, float]:
    sums: dict[str, float] = defaultdict(float)
    for part in parts:
        sums[part.group] += part.gain
    return sums
