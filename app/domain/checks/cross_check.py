"""Meters that should agree, held against each other over the time that all of them cover, and why they may not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.domain.energy import mean_w
from app.domain.timeseries import Curve, subtract, value_at, window

ASSUMED_ACCURACY_PCT = 5.0
"""Stands for a meter that declares none, and is named as assumed."""
LOSSES_PCT = 2.0
"""What a PDU itself and its cords may take between inlet and outlets."""
LEAST_MS = 600_000
LEAST_SAMPLES = 10
LEAST_W = 20.0
"""Below this mean power [W] a ratio says nothing."""

Verdict = Literal["agrees", "disagrees", "cannot_judge"]
CauseCode = Literal["scale", "phase", "cord", "swapped", "unmetered", "unknown"]


@dataclass(frozen=True, eq=False)
class Side:
    """One of two things to compare: its power [W], and how far its meters may be off.

    Attributes
    ----------
    accuracy_pct: of reading, as declared; None where one of its meters declares none.
    resolution_w: of all its readings together.
    """

    name: str
    curve: Curve
    accuracy_pct: float | None = None
    resolution_w: float = 0.0

    def limit_w(self, mean: float) -> float:
        """How far it may be from the truth at this mean [W]."""
        pct = ASSUMED_ACCURACY_PCT if self.accuracy_pct is None else self.accuracy_pct
        return abs(mean) * pct / 100.0 + self.resolution_w / 2.0


@dataclass(frozen=True)
class Cause:
    """What is probably wrong, by a stable code and in words."""

    code: CauseCode
    text: str


@dataclass(frozen=True)
class MeterComparison:
    """Two sides over the time both cover. NaN where nothing is covered by both.

    Attributes
    ----------
    left_w, right_w: means. tolerance_w: what declared accuracies (and losses) allow together; the limits add up.
    assumed: whether an accuracy was not declared, and the default stood for it.
    covered_ms: time that both cover.
    """

    left_w: float
    right_w: float
    tolerance_w: float
    assumed: bool
    covered_ms: int
    verdict: Verdict

    @property
    def difference_w(self) -> float:
        """Left − right [W]."""
        return self.left_w - self.right_w


def compare(
    left: Side, right: Side, start_ms: int, end_ms: int, losses_pct: float = 0.0, *, at_most: bool = False
) -> MeterComparison:
    """Hold two sides against each other.

    Parameters
    ----------
    losses_pct: of right, what may be lost on the way to left.
    at_most: left is a part of right, and only more than it is wrong.
    """
    both = window(subtract(left.curve, right.curve), start_ms, end_ms)
    assumed = left.accuracy_pct is None or right.accuracy_pct is None
    if not len(both):
        return MeterComparison(math.nan, math.nan, math.nan, assumed, 0, "cannot_judge")
    means = [mean_w(_on(both, side.curve), start_ms, end_ms) for side in (left, right)]
    limit_w = left.limit_w(means[0]) + right.limit_w(means[1])
    difference = means[0] - means[1]
    lost_w = abs(means[1]) * losses_pct / 100.0
    wrong = difference > limit_w or (not at_most and difference < -(limit_w + lost_w))
    enough = both.covered_ms >= LEAST_MS and both.n_samples >= LEAST_SAMPLES
    verdict: Verdict = "cannot_judge" if not enough else "disagrees" if wrong else "agrees"
    return MeterComparison(means[0], means[1], limit_w + lost_w, assumed, both.covered_ms, verdict)


_SCALES = (10.0, 100.0, 1000.0)
_SCALE_BAND = 0.15
_FACTOR_BAND = 0.05


def cause_of_ratio(left: str, left_w: float, right: str, right_w: float) -> Cause | None:
    """What the ratio of two means points to: a power of ten, √3, 3 or 2; None where it points to nothing."""
    if not (abs(left_w) >= LEAST_W or abs(right_w) >= LEAST_W) or left_w <= 0 or right_w <= 0:
        return None
    high, low = (left, right) if left_w >= right_w else (right, left)
    ratio = max(left_w, right_w) / min(left_w, right_w)
    for scale in _SCALES:
        if abs(ratio / scale - 1) <= _SCALE_BAND:
            return Cause("scale", f"wrong scale: {high} is {scale:g} times {low}")
    for factor, code, text in _FACTORS:
        if abs(ratio / factor - 1) <= _FACTOR_BAND:
            return Cause(code, text.format(high=high, low=low))
    return None


_FACTORS: Sequence[tuple[float, CauseCode, str]] = (
    (
        math.sqrt(3.0),
        "phase",
        "wrong phase: {high} is √3 times {low}, as if line-to-line and line-to-neutral were mixed",
    ),
    (3.0, "phase", "wrong phase: {high} is 3 times {low}, as if one line stood for all three"),
    (2.0, "cord", "wrong cord: {high} is twice {low}, as if one of two cords were missing, or counted twice"),
)


def _on(base: Curve, curve: Curve) -> Curve:
    """A curve where another one is covered, on its knots."""
    return Curve(base.knots, value_at(curve, base.t_ms))
