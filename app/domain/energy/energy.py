"""Energy: the integral of a power curve, and the increments of an energy counter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from app.domain.timeseries import BoolArray, Curve, FloatArray, IntArray, reach_ms, window

PLAUSIBLE = 1.2
"""A counter's increment may be at most this multiple of rated power × time."""
STEPS_FOR_HEADLINE = 100
"""A counter names the headline only over a window of at least so many of its steps."""


def energy_j(curve: Curve, start_ms: int, end_ms: int) -> float:
    """∫p dt over the covered part of the window [J], for a power curve in W. Nothing covered is 0.

    The trapezoid rule is exact for a piecewise-linear curve; a window's ends cut their segment at the
    interpolated value, so splitting a window changes the sum by rounding only (< 1e-12 of ∫|p| dt).
    Source: docs/semantics.md, "A power curve".
    """
    part = window(curve, start_ms, end_ms)
    return float(np.einsum("i,i", part.v, part.time_base.once(reach_ms))) / 2000.0


def mean_w(curve: Curve, start_ms: int, end_ms: int) -> float:
    """Energy / covered time [W]; NaN where nothing is covered. Source: docs/semantics.md, "A power curve"."""
    part = window(curve, start_ms, end_ms)
    covered = part.covered_ms
    return energy_j(part, start_ms, end_ms) / (covered / 1000.0) if covered else math.nan


@dataclass(frozen=True, slots=True)
class CounterEvent:
    """An interval of unknown energy: the counter went back, or jumped further than its load can explain."""

    start_ms: int
    end_ms: int
    kind: Literal["reset", "implausible"]
    before_j: float
    after_j: float


@dataclass(frozen=True, slots=True)
class CounterEnergy:
    """What an energy counter says about a window.

    Attributes
    ----------
    energy_j: sum of the known increments [J].
    covered_ms: time of the window between readings whose increment is known [ms].
    events: intervals that overlap the window and are unknown.
    step_j: the counter's resolution [J]; NaN where it is neither declared nor shown by two increments.
    """

    energy_j: float
    covered_ms: int
    events: tuple[CounterEvent, ...]
    step_j: float

    @property
    def is_headline(self) -> bool:
        """Whether the counter, not the integral, names the energy: ≥ 100 steps and no event inside."""
        return not self.events and self.energy_j >= STEPS_FOR_HEADLINE * self.step_j


def counter_energy(
    t_ms: ArrayLike,
    v: ArrayLike,
    start_ms: int,
    end_ms: int,
    modulus: float | None = None,
    rated_w: float | None = None,
    step_j: float | None = None,
) -> CounterEnergy:
    """Energy between the readings around a window, interpolated at its ends.

    Parameters
    ----------
    t_ms, v: int[n] [ms] and float[n] [J], readings that should reach over both ends; NaN is missing.
    modulus: the value at which the counter wraps [J]; None if it never does or is unknown.
    rated_w: the load's rating [W], for plausibility; None lets every increase pass and no wrap.
    step_j: the declared resolution [J]; else it is read from the increments.

    Notes
    -----
    A decrease is a wrap only where modulus is known and the wrapped increment is at most
    1.2 · rated_w · Δt (+ one step, by which any reading may be late); else a reset. An increase beyond
    that bound is a replaced or set meter. Both leave their interval unknown. There is no max_gap: a
    counter bridges silence. Source: docs/semantics.md, "Counter energy".
    """
    t, value = _readings(t_ms, v)
    dt, delta = np.diff(t), np.diff(value)
    step = step_j if step_j is not None else _step(delta)
    bound = np.full(dt.shape, math.inf)
    if rated_w is not None:
        bound = PLAUSIBLE * rated_w * dt / 1000.0 + (0.0 if math.isnan(step) else step)
    if modulus is not None and rated_w is not None:
        wrapped = delta + modulus
        delta = np.where((delta < 0) & (wrapped >= 0) & (wrapped <= bound), wrapped, delta)
    inside = np.clip(np.minimum(t[1:], end_ms) - np.maximum(t[:-1], start_ms), 0, None)
    known = (delta >= 0) & (delta <= bound)
    return CounterEnergy(
        float((delta * (inside / dt))[known].sum()),
        int(inside[known].sum()),
        _events(t, value, (inside > 0) & ~known),
        step,
    )


def _readings(t_ms: ArrayLike, v: ArrayLike) -> tuple[IntArray, FloatArray]:
    t, value = np.asarray(t_ms, np.int64), np.asarray(v, np.float64)
    finite = np.isfinite(value)
    t, first = np.unique(t[finite], return_index=True)
    return t, value[finite][first]


def _step(delta: FloatArray) -> float:
    """The greatest common divisor of the increments [J], to the millijoule."""
    mj = np.rint(delta * 1000.0)
    mj = mj[(mj > 0) & (mj < 2**53)]
    return float(np.gcd.reduce(mj.astype(np.int64))) / 1000.0 if mj.size > 1 else math.nan


def _events(t: IntArray, value: FloatArray, unknown: BoolArray) -> tuple[CounterEvent, ...]:
    return tuple(
        CounterEvent(
            int(t[i]),
            int(t[i + 1]),
            "reset" if value[i + 1] < value[i] else "implausible",
            float(value[i]),
            float(value[i + 1]),
        )
        for i in np.flatnonzero(unknown)
    )
