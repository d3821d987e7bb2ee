"""Energy by counter and by integral of power, and detection of counter wraps, resets and steps."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

NAN = math.nan
HEADROOM = 1.2
SLACK_S = 1.0
"""Tolerance: a counter has its own update interval, so a reading may include energy of the interval before."""


class Increment(NamedTuple):
    """Increase of a counter between two readings [J], NaN if unknown, and the event (`counter_reset`, …)."""

    energy_j: float
    event: str = ""


def increment(before_j: float, now_j: float, elapsed_s: float, limit_w: float, modulus_j: float) -> Increment:
    """Return the increase between two readings.

    A decrease counts as a wrap only if the increase across `modulus_j` is plausible, at most 1.2 × `limit_w` over the
    elapsed time; otherwise the counter was reset. An implausible increase is a step: the counter was set.
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
    """The energy of one GPU or zone since the exporter started, by counter and by integral.

    `integral_j` is the whole integral; `both_*` cover the intervals in which counter and integral are both known.
    Intervals longer than `max_gap_s` are not integrated.
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
        """Add a reading at a monotonic time; return the increase of the counter since the previous one."""
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
        """Return (integral − counter) / counter where both are known; NaN until the counter increased."""
        return (self.both_integral_j - self.both_counter_j) / self.both_counter_j if self.both_counter_j else NAN

    def _trapezoid(self, at_s: float, power_w: float) -> float:
        elapsed_s = at_s - self._at_s
        if not 0 <= elapsed_s <= self.max_gap_s or math.isnan(power_w) or math.isnan(self._power_w):
            return NAN
        area_j = elapsed_s * (power_w + self._power_w) / 2
        self.integral_j += area_j
        return area_j
