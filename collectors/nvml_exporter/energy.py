"""Energy by counter and by integral, side by side, and what happens to counters."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

NAN = math.nan
HEADROOM = 1.2
SLACK_S = 1.0
"""A counter is updated in steps of its own: one reading may hold what belongs to the interval before."""


class Increment(NamedTuple):
    """What a counter gained between two readings [J]; NaN when nobody knows, and why (`counter_reset`, …)."""

    energy_j: float
    event: str = ""


def increment(before_j: float, now_j: float, elapsed_s: float, limit_w: float, modulus_j: float) -> Increment:
    """The gain between two readings.

    A decrease is a wrap only where what was gained across `modulus_j` is plausible: at most 1.2 × `limit_w` for the
    time between; otherwise the counter was reset. An increase that is not plausible is a step: somebody set it.
    """
    if math.isnan(before_j) or math.isnan(now_j):
        return Increment(NAN)
    most_j = HEADROOM * limit_w * (elapsed_s + SLACK_S)
    gained_j = now_j - before_j
    if gained_j < 0:
        wrapped_j = gained_j + modulus_j
        return Increment(wrapped_j, "counter_wrapped") if 0 <= wrapped_j <= most_j else Increment(NAN, "counter_reset")
    return Increment(gained_j) if gained_j <= most_j else Increment(NAN, "counter_stepped")


@dataclass
class EnergyAccount:
    """The energy of one thing since the exporter started, over the intervals where counter and integral are known.

    `integral_j` is all of the integral, `both_*` the part that can be compared. Intervals longer than `max_gap_s` are
    not integrated.
    """

    modulus_j: float
    max_gap_s: float
    counter_j: float = 0.0
    integral_j: float = 0.0
    both_counter_j: float = 0.0
    both_integral_j: float = 0.0
    wraps: int = 0
    _at_s: float = field(default=NAN, repr=False)
    _power_w: float = field(default=NAN, repr=False)
    _read_s: float = field(default=NAN, repr=False)
    _read_j: float = field(default=NAN, repr=False)

    def add(self, at_s: float, power_w: float, counter_j: float, limit_w: float) -> Increment:
        """Take a reading at a monotonic time; what the counter gained since the reading before."""
        integral_j = self._trapezoid(at_s, power_w)
        gained = Increment(NAN)
        if not math.isnan(counter_j):
            gained = increment(self._read_j, counter_j, at_s - self._read_s, limit_w, self.modulus_j)
            same_interval = self._read_s == self._at_s
            self._read_s, self._read_j = at_s, counter_j
            self.wraps += gained.event == "counter_wrapped"
            if not math.isnan(gained.energy_j):
                self.counter_j += gained.energy_j
                if same_interval and not math.isnan(integral_j):
                    self.both_counter_j += gained.energy_j
                    self.both_integral_j += integral_j
        self._at_s, self._power_w = at_s, power_w
        return gained

    @property
    def difference(self) -> float:
        """(integral − counter) / counter where both are known; NaN before the counter moved."""
        return (self.both_integral_j - self.both_counter_j) / self.both_counter_j if self.both_counter_j else NAN

    def _trapezoid(self, at_s: float, power_w: float) -> float:
        elapsed_s = at_s - self._at_s
        if not 0 <= elapsed_s <= self.max_gap_s or math.isnan(power_w) or math.isnan(self._power_w):
            return NAN
        area_j = elapsed_s * (power_w + self._power_w) / 2
        self.integral_j += area_j
        return area_j
