"""Compare meters that should agree over the time that all of them cover, and find likely causes of differences."""

from __future__ import annotations

import json
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
CauseSign = Literal[
    "power_of_ten", "root_three", "three_times", "twice", "circuit_carries_more", "circuit_carries_less",
    "lines_differ", "sum_too_low", "sum_too_high", "unexplained", "parts_exceed_wall", "wall_follows_each_other",
    "wall_follows", "outlet_without_node", "implausible_scale",
    "implausible_lifetime",
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Side:
    """One of two sides of a comparison: its power [W], and the error limits of its meters.

    Attributes
    ----------
    accuracy_pct: of reading, as declared; None where one of its meters declares none.
    resolution_w: of all its readings together. accuracy_w: what adds to `accuracy_pct` of all its meters together.
    """

    name: str
    curve: Curve
    accuracy_pct: float | None = None
    resolution_w: float = 0.0
    accuracy_w: float = 0.0

    def limit_w(self, mean: float) -> float:
        """Return the error limit at this mean [W]."""
        pct = ASSUMED_ACCURACY_PCT if self.accuracy_pct is None else self.accuracy_pct
        return abs(mean) * pct / 100.0 + self.accuracy_w + self.resolution_w / 2.0


@dataclass(frozen=True)
class Cause:
    """What is probably wrong.

    Attributes
    ----------
    code: what kind of mistake. sign: what points to it. names, numbers: sides, nodes and values of the sign.
    """

    code: CauseCode
    sign: CauseSign
    names: tuple[str, ...] = ()
    numbers: tuple[float, ...] = ()

    def encoded(self) -> str:
        """Return the cause as text to store."""
        return json.dumps([self.code, self.sign, self.names, self.numbers])

    @classmethod
    def decoded(cls, text: str) -> Cause:
        """Return the cause from stored text."""
        code, sign, names, numbers = json.loads(text)
        return cls(code, sign, tuple(names), tuple(numbers))


@dataclass(frozen=True)
class MeterComparison:
    """Two sides over the time both cover. NaN where nothing is covered by both.

    Attributes
    ----------
    left_w, right_w: means. tolerance_w: what declared accuracies (and losses) allow together; the limits add up.
    assumed: whether an accuracy was not declared, so that the default was used.
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
    """Compare two sides.

    Parameters
    ----------
    losses_pct: permitted loss between right and left, in % of right.
    at_most: left is a part of right, so that only a larger left is wrong.
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
    """Return the likely cause of a ratio of two means: a power of ten, √3, 3 or 2; None for any other."""
    if not (abs(left_w) >= LEAST_W or abs(right_w) >= LEAST_W) or left_w <= 0 or right_w <= 0:
        return None
    high, low = (left, right) if left_w >= right_w else (right, left)
    ratio = max(left_w, right_w) / min(left_w, right_w)
    for scale in _SCALES:
        if abs(ratio / scale - 1) <= _SCALE_BAND:
            return Cause("scale", "power_of_ten", (high, low), (scale,))
    for factor, code, sign in _FACTORS:
        if abs(ratio / factor - 1) <= _FACTOR_BAND:
            return Cause(code, sign, (high, low))
    return None


_FACTORS: Sequence[tuple[float, CauseCode, CauseSign]] = (
    (math.sqrt(3.0), "phase", "root_three"),
    (3.0, "phase", "three_times"),
    (2.0, "cord", "twice"),
)


def _on(base: Curve, curve: Curve) -> Curve:
    """Return a curve where another one is covered, on the time base of the other."""
    return Curve(base.time_base, value_at(curve, base.t_ms))
