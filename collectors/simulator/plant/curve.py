"""A power curve that repeats every week: piecewise linear, so that its integral is exact."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Millis = NDArray[np.int64]

WEEK_S = 7 * 86_400
WEEK_MS = WEEK_S * 1000
ANCHOR_MS = 1_704_067_200_000
"""Monday 2024-01-01T00:00:00Z: start of week 0, when every energy register reads 0."""


def week_and_second(t_ms: Millis) -> tuple[NDArray[np.int64], Floats]:
    """Return the week number and the second of the week of every time."""
    week, rest = np.divmod(np.asarray(t_ms, dtype=np.int64) - ANCHOR_MS, WEEK_MS)
    return week, rest / 1000.0


@dataclass(frozen=True, eq=False)
class WeekCurve:
    """p(t) with period one week.

    Attributes
    ----------
    times_s: float64[n], strictly increasing from 0 to WEEK_S. [s]
    values: float64[n], the last equal to the first. [W]
    """

    times_s: Floats
    values: Floats

    def __post_init__(self) -> None:
        if self.times_s[0] != 0.0 or self.times_s[-1] != WEEK_S or np.any(np.diff(self.times_s) <= 0):
            raise ValueError("times must increase strictly from the start of the week to its end")
        if self.values[0] != self.values[-1]:
            raise ValueError("the last value must equal the first")

    @cached_property
    def _integral(self) -> Floats:
        areas = np.diff(self.times_s) * (self.values[1:] + self.values[:-1]) / 2
        return np.concatenate(([0.0], np.cumsum(areas)))

    def at(self, t_ms: Millis) -> Floats:
        """Return the value at every time, float64 of the same shape. [W]"""
        return np.interp(week_and_second(t_ms)[1], self.times_s, self.values)

    def integral(self, t_ms: Millis) -> Floats:
        """Return the exact ∫p dt from ANCHOR_MS to every time. [J]"""
        week, second = week_and_second(t_ms)
        energy: Floats = week * self._integral[-1] + self.integral_in_week(second)
        return energy

    def integral_in_week(self, second: Floats) -> Floats:
        """Return ∫p dt from the start of a week to a second of it. [J]"""
        left = np.clip(np.searchsorted(self.times_s, second, side="right") - 1, 0, len(self.times_s) - 2)
        width = second - self.times_s[left]
        slope = (self.values[left + 1] - self.values[left]) / (self.times_s[left + 1] - self.times_s[left])
        area: Floats = self._integral[left] + width * (self.values[left] + slope * width / 2)
        return area
