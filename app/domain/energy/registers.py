"""Energy registers: their increments, and the energy of a window."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from app.domain.timeseries import BoolArray, FloatArray, IntArray

PLAUSIBLE = 1.2
"""A counter's increment may be at most this multiple of rated power × time."""


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
    readings: how many readings are inside the window.
    """

    energy_j: float
    covered_ms: int
    events: tuple[CounterEvent, ...]
    step_j: float
    readings: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class EnergyRegister:
    """The readings of an energy register, sorted.

    Attributes
    ----------
    t_ms: int64[n] [ms]. v: float64[n] [J].
    delta_j: float64[n - 1], increments, wraps resolved [J]. known: bool[n - 1]; elsewhere there is an event.
    step_j: the resolution [J]; NaN where it is neither declared nor shown by two increments.
    """

    t_ms: IntArray
    v: FloatArray
    delta_j: FloatArray
    known: BoolArray
    step_j: float

    def energy(self, start_ms: int, end_ms: int) -> CounterEnergy:
        """Return the energy between the readings around a window, interpolated at its ends."""
        t = self.t_ms
        inside = np.clip(np.minimum(t[1:], end_ms) - np.maximum(t[:-1], start_ms), 0, None)
        first, stop = np.searchsorted(t, start_ms), np.searchsorted(t, end_ms, "right")
        return CounterEnergy(
            float((self.delta_j * (inside / np.diff(t)))[self.known].sum()),
            int(inside[self.known].sum()),
            self._events((inside > 0) & ~self.known),
            self.step_j,
            int(stop - first),
        )

    def _events(self, unknown: BoolArray) -> tuple[CounterEvent, ...]:
        t, v = self.t_ms, self.v
        return tuple(
            CounterEvent(
                int(t[i]),
                int(t[i + 1]),
                "reset" if v[i + 1] < v[i] else "implausible",
                float(v[i]),
                float(v[i + 1]),
            )
            for i in np.flatnonzero(unknown)
        )


def register(
    t_ms: ArrayLike,
    v: ArrayLike,
    modulus: float | None = None,
    rated_w: float | None = None,
    step_j: float | None = None,
) -> EnergyRegister:
    """Return the increments of an energy register.

    Parameters
    ----------
    t_ms, v: int[n] [ms] and float[n] [J], in any order; NaN is missing.
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
    return EnergyRegister(t, value, delta, (delta >= 0) & (delta <= bound), step)


def counter_energy(
    t_ms: ArrayLike,
    v: ArrayLike,
    start_ms: int,
    end_ms: int,
    modulus: float | None = None,
    rated_w: float | None = None,
    step_j: float | None = None,
) -> CounterEnergy:
    """Return the energy of a register in a window; its readings should reach over both ends. See `register`."""
    return register(t_ms, v, modulus, rated_w, step_j).energy(start_ms, end_ms)


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
