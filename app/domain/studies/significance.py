"""Whether the means of two groups of runs differ by more than their runs scatter."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

from app.domain.studies.study import Spread

CONFIDENCE = 0.95


class Difference(NamedTuple):
    """The difference of two means and its confidence interval, in % of the reference's mean; NaN where not known.

    `degrees`: degrees of freedom.
    """

    pct: float
    low_pct: float
    high_pct: float
    degrees: float

    @property
    def is_significant(self) -> bool:
        """Return whether the interval excludes 0."""
        return self.low_pct > 0 or self.high_pct < 0


def difference(group: Spread, reference: Spread) -> Difference:
    """Return the difference of a group from the reference with its Welch interval at 95 %.

    The interval is NaN unless both groups have two runs.

    Notes
    -----
    d ± t · √(s²/n + s_ref²/n_ref), with t of ν = (a + b)² / (a²/(n − 1) + b²/(n_ref − 1)) degrees of freedom, a = s²/n,
    b = s_ref²/n_ref, rounded down. B. L. Welch, Biometrika 34 (1947) 28-35. Runs are taken as independent, and what the
    meters of both groups have in common is not part of it.
    """
    if not reference.mean or math.isnan(reference.mean) or math.isnan(group.mean):
        return Difference(math.nan, math.nan, math.nan, math.nan)
    scale = 100.0 / abs(reference.mean)
    shift = (group.mean - reference.mean) * scale
    if group.n < 2 or reference.n < 2:
        return Difference(shift, math.nan, math.nan, math.nan)
    a, b = group.std**2 / group.n, reference.std**2 / reference.n
    if a + b == 0:
        return Difference(shift, shift, shift, math.inf)
    degrees = (a + b) ** 2 / (a**2 / (group.n - 1) + b**2 / (reference.n - 1))
    half = student_t(math.floor(degrees + 1e-9)) * math.sqrt(a + b) * scale
    return Difference(shift, shift - half, shift + half, degrees)


def student_t(degrees: int, confidence: float = CONFIDENCE) -> float:
    """Return t of Student's distribution that encloses a share of it, to about six digits.

    Notes
    -----
    G. W. Hill, Algorithm 396, Communications of the ACM 13 (1970) 619-620; exact for one and two degrees of freedom.
    """
    p, n = 1.0 - confidence, max(1, degrees)
    if n == 1:
        return 1.0 / math.tan(p * math.pi / 2)
    if n == 2:
        return math.sqrt(2.0 / (p * (2.0 - p)) - 2.0)
    a = 1.0 / (n - 0.5)
    b = 48.0 / a**2
    c = ((20700.0 * a / b - 98.0) * a - 16.0) * a + 96.36
    d = ((94.5 / (b + c) - 3.0) / b + 1.0) * math.sqrt(a * math.pi / 2) * n
    y = (d * p) ** (2.0 / n)
    if y > 0.05 + a:
        return math.sqrt(n * _near_the_middle(n, p, a, b, c, d))
    y = ((1.0 / (((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0) + 0.5 / (n + 4.0)) * y - 1.0) * (
        n + 1.0
    ) / (n + 2.0) + 1.0 / y
    return math.sqrt(n * y)


def _near_the_middle(n: int, p: float, a: float, b: float, c: float, d: float) -> float:
    """Return t²/n by the expansion about the normal distribution."""
    x = NormalDist().inv_cdf(p / 2)
    y = x * x
    if n < 5:
        c += 0.3 * (n - 4.5) * (x + 0.6)
    c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b
    y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x
    return math.expm1(a * y * y)
