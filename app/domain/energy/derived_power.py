"""Power derived from an energy register, where a meter reports no watts.

Source: docs/semantics.md, "Derived power".
"""

from __future__ import annotations

import math
from bisect import bisect_left
from itertools import pairwise

import numpy as np

from app.domain.energy.registers import EnergyRegister
from app.domain.timeseries import BoolArray, Curve, FloatArray, IntArray, concatenate_steps

STEPS = 100
"""A difference of so many steps of a register is known within 1 %."""
LONGEST_MS = 900_000
"""The longest time over which power is derived."""
_HALF_STEP_MS = 0.5
"""A step curve rises within a millisecond, which moves half of that time's energy into the next step."""
_ROUNDS = 5


def derived_power(known: EnergyRegister) -> Curve:
    """Return the mean power of the shortest spans that hold 100 steps of a register each, at most 15 min long [W].

    A step curve: its integral over each span is the increment of the register. Spans begin again at each quarter of an
    hour, so that the curve does not depend on the window that was read. The last span of a quarter also takes what is
    left of it. Where a quarter of an hour holds fewer than 100 steps it is one span. It is not covered where there
    is no reading for more than 15 min, and where the increment is not known.
    """
    t, energy, joined = _quartered(known)
    if t.size < 2:
        return Curve.empty()
    least_j = STEPS * known.step_j * (1 - 1e-9)
    edges, spans = _spans(t, energy, joined, math.inf if math.isnan(least_j) else least_j)
    return exact_steps(t[edges], np.diff(energy[edges]), spans)


def derived_now(known: EnergyRegister) -> tuple[float, int] | None:
    """Return the mean power of the shortest span up to the last reading [W], and the length of that span [ms].

    The span holds 100 steps of the register, or as many as 15 min hold. None where no increment up to the last reading
    is known, or there was no reading for more than 15 min.
    """
    t = known.t_ms
    joined = known.known & (np.diff(t) <= LONGEST_MS)
    broken = np.flatnonzero(~joined)
    first = max(int(broken[-1]) + 1 if broken.size else 0, int(np.searchsorted(t, t[-1] - LONGEST_MS)) if t.size else 0)
    if t.size - first < 2:
        return None
    energy = np.concatenate([[0.0], np.cumsum(known.delta_j[first:])])
    least_j = STEPS * known.step_j * (1 - 1e-9)
    enough = np.flatnonzero(energy[-1] - energy[:-1] >= least_j)
    start = int(enough[-1]) if enough.size else 0
    length_ms = int(t[-1] - t[first + start])
    return 1000.0 * float(energy[-1] - energy[start]) / length_ms, length_ms


def counted_power(known: EnergyRegister) -> Curve:
    """Return the mean power between neighbouring readings, however far apart [W].

    Its integral over any window is the energy that the register counted there.
    """
    return exact_steps(known.t_ms, known.delta_j, known.known) if known.t_ms.size > 1 else Curve.empty()


def exact_steps(edges_ms: IntArray, joules: FloatArray, known: BoolArray) -> Curve:
    """Return a step curve [W] whose integral over each [edges[i], edges[i + 1]] is joules[i], where known."""
    length = np.diff(edges_ms).astype(np.float64)
    wanted = np.where(known, 1000.0 * joules, 0.0)
    touches = np.append(known[1:] & known[:-1], False)
    into = np.where(touches, _HALF_STEP_MS, 0.0)
    v = wanted / length
    for _ in range(_ROUNDS):  # converges by a factor of length / 0.5 ms in each round
        v = (wanted - into * np.append(v[1:], 0.0)) / (length - into)
    return concatenate_steps(edges_ms, v, known)


def is_coarse(max_w: float, step_j: float) -> bool:
    """Return whether even the highest power holds fewer than 100 steps in 15 min: then it is no maximum."""
    return not max_w * LONGEST_MS / 1000.0 >= STEPS * step_j * (1 - 1e-6)


def derived_span_s(power_w: float, step_j: float) -> float:
    """Return the shortest time in which a register moves 100 steps, at most 15 min [s]."""
    return min(LONGEST_MS / 1000.0, STEPS * step_j / power_w) if power_w > 0 else LONGEST_MS / 1000.0


def span_at(curve: Curve, t_ms: int) -> int:
    """Return the length of the step of a derived power at a time [ms]; 0 where there is none."""
    i = int(np.searchsorted(curve.t_ms, t_ms, "right")) - 1
    if not 0 <= i < len(curve):
        return 0
    starts = np.flatnonzero(curve.is_sample[: i + 1])
    first = int(starts[-1]) if starts.size else i
    last = first + 1
    if not curve.linked[first]:
        return 0
    end = int(curve.t_ms[last])
    return end - int(curve.t_ms[first]) + (1 if curve.linked[last] else 0)


def _quartered(known: EnergyRegister) -> tuple[IntArray, FloatArray, BoolArray]:
    """Return times, energy since the first reading, and which neighbours are joined, cut at each quarter of an hour."""
    t = known.t_ms
    if t.size < 2:
        return t, np.zeros(t.size), np.zeros(0, np.bool_)
    energy = np.concatenate([[0.0], np.cumsum(np.where(known.known, known.delta_j, 0.0))])
    joined = known.known & (np.diff(t) <= LONGEST_MS)
    quarters = LONGEST_MS * np.arange(-(-int(t[0]) // LONGEST_MS), int(t[-1]) // LONGEST_MS + 1)
    times = np.union1d(t, quarters)
    at = np.searchsorted(t, times, "right") - 1
    return times, np.interp(times, t, energy), joined[np.minimum(at[:-1], joined.size - 1)]


def _spans(t: IntArray, energy: FloatArray, joined: BoolArray, least_j: float) -> tuple[IntArray, BoolArray]:
    """Return the points between which power is derived, and which neighbours among them make a span."""
    ends = {0, t.size - 1, *np.flatnonzero(t % LONGEST_MS == 0).tolist()}
    broken = np.flatnonzero(~joined)
    ends |= {*broken.tolist(), *(broken + 1).tolist()}
    counted = energy.tolist()
    edges = [0]
    for first, last in pairwise(sorted(ends)):
        at = first
        while joined[first] and at < last:
            at = bisect_left(counted, counted[at] + least_j, at + 1, last)
            if counted[last] - counted[at] < least_j:
                at = last
            edges.append(at)
        if edges[-1] != last:
            edges.append(last)
    found = np.array(edges, np.int64)
    return found, joined[found[:-1]]
