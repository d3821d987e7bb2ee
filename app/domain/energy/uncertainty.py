"""Uncertainty of a measured energy or power.

Standard uncertainties u combine, and are reported expanded: U = k · u with k = 2 (about 95 %). A meter's
declared limit of error is rectangular, u = limit / √3. Source: JCGM 100:2008 (GUM), 4.3.7, 5.1, 5.2, 6.2.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

K = 2.0
"""Coverage factor of everything reported."""


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


def standard(parts: Sequence[Part], *independent: float) -> float:
    """Standard uncertainty of Σ value: linear inside a group, groups and everything else in quadrature.

    `independent` are further standard uncertainties in the same unit, such as `clock_j`.
    """
    return math.hypot(*_groups(parts).values(), *(part.ends for part in parts), *independent)


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


def _groups(parts: Sequence[Part]) -> dict[str, float]:
    sums: dict[str, float] = defaultdict(float)
    for part in parts:
        sums[part.group] += part.gain
    return sums
