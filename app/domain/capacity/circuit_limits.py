"""Headroom, and the limits of a circuit: amperes per line first, then VA, then W."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from app.domain.timeseries import FloatArray

IMBALANCE_FLOOR_A = 0.5
"""Below this mean line current an imbalance says nothing."""

_SHARE = {
    lines: np.exp(1j * np.deg2rad(angles)) * weights
    for lines, weights, angles in (
        ("L1-N", [1, 0, 0], [0, 0, 0]),
        ("L2-N", [0, 1, 0], [0, -120, 0]),
        ("L3-N", [0, 0, 1], [0, 0, 120]),
        ("L1-L2", [1, -1, 0], [30, 30, 0]),
        ("L2-L3", [0, 1, -1], [0, -90, -90]),
        ("L3-L1", [-1, 0, 1], [150, 0, 150]),
        ("L1-L2-L3", [1, 1, 1], [0, -120, 120]),
    )
}
"""The current each kind of load draws from L1, L2, L3 as phasors per ampere, against the voltage L1-N."""

_ALIAS = {"L2-L1": "L1-L2", "L3-L2": "L2-L3", "L1-L3": "L3-L1"}


class Headroom(NamedTuple):
    """The unused part of a rating: in its unit, and in % of it."""

    w: float
    pct: float


def headroom(rated_w: float, observed_max_w: float) -> Headroom:
    """Rated − observed maximum [W], and the same in % of rated. Negative when exceeded; NaN without an observation.

    Source: docs/semantics.md, "Headroom and capacity".

    Raises
    ------
    ValueError
        `rated_w` is not positive.
    """
    if not rated_w > 0:
        raise ValueError(f"a rating of {rated_w} W is not positive")
    left = rated_w - observed_max_w
    return Headroom(left, 100.0 * left / rated_w)


def phase_imbalance_pct(currents_a: Sequence[float]) -> float:
    """Largest deviation from the mean line current / that mean [%].

    NaN when a line is missing or the mean is below 0.5 A. Source: the definition of NEMA MG 1 (voltage
    unbalance), applied to currents.
    """
    lines = np.asarray(currents_a, np.float64)
    mean = float(lines.mean()) if lines.size else math.nan
    if not mean >= IMBALANCE_FLOOR_A:
        return math.nan
    return 100.0 * float(np.abs(lines - mean).max()) / mean


def dead_lines(amps: Mapping[str, float | None], volts: Mapping[str, float | None]) -> frozenset[str]:
    """Return the lines that a device of fewer lines does not have although it reports 0 A for them.

    Parameters
    ----------
    amps, volts: by line, its current and its voltage; None or absent where it reports none.

    Notes
    -----
    A line of 0 A is dead if its voltage is 0. Where its voltage is not known, it is if only one line carries anything.
    """
    live = [name for name, current in amps.items() if current]
    idle = [name for name, current in amps.items() if current == 0]
    return frozenset(
        name for name in idle if live and (volts.get(name) == 0 or (volts.get(name) is None and len(live) == 1))
    )


def line_currents(lines: Sequence[str], current_a: ArrayLike) -> FloatArray:
    """Currents of L1, L2, L3 under single- and three-phase loads, as vector sums: float64[3] or float64[3, m] [A].

    Parameters
    ----------
    lines: k names: L1-N, L2-N, L3-N, L1-L2, L2-L3, L3-L1 (either order) or L1-L2-L3 (balanced).
    current_a: float[k] or float[k, m], RMS current of each load [A]; a missing one makes its own lines NaN.

    Raises
    ------
    ValueError
        A name is not known, or there are not as many currents as names.

    Notes
    -----
    Valid for balanced voltages and loads of one displacement factor, as power supplies with PFC are. 20 A on
    L1-L2 and 20 A on L2-L3 make 20 / 34.6 / 20 A. Source: Kirchhoff's current law on phasors 120° apart.
    """
    amps = np.asarray(current_a, np.float64)
    if not amps.ndim or amps.shape[0] != len(lines):
        raise ValueError(f"{len(lines)} loads need as many currents, not {amps.shape}")
    total = np.zeros((3, *amps.shape[1:]), np.complex128)
    for name, load in zip(lines, amps, strict=True):
        share = _SHARE.get(_ALIAS.get(name, name))
        if share is None:
            raise ValueError(f"{name!r} names no lines; known: {', '.join([*_SHARE, *_ALIAS])}")
        for line in np.flatnonzero(share):
            total[line] += share[line] * load
    size: FloatArray = np.abs(total)
    return size


@dataclass(frozen=True, slots=True)
class Circuit:
    """A breaker and its circuit.

    Attributes
    ----------
    amps: rating of the breaker per line [A].
    volts: between lines where there are three phases, else across the load [V].
    phases: 1 or 3.
    derating: applied here and nowhere else: 0.8 for continuous load (NEC 210.20(A)), 1.0 for IEC or derated ratings.
    """

    amps: float
    volts: float
    phases: int = 3
    derating: float = 1.0

    def __post_init__(self) -> None:
        if not (self.amps > 0 and self.volts > 0 and 0 < self.derating <= 1 and self.phases in (1, 3)):
            raise ValueError(f"{self} is no circuit: amps and volts > 0, phases 1 or 3, derating within 0…1")

    @property
    def limit_a(self) -> float:
        """Permitted current of each line [A]."""
        return self.amps * self.derating

    @property
    def limit_va(self) -> float:
        """Apparent power at the limit of every line [VA]: √3 · V_LL · I, or V · I."""
        return (math.sqrt(3.0) if self.phases == 3 else 1.0) * self.volts * self.limit_a


class Check(NamedTuple):
    """One limit of a circuit: what it limits, the load, the limit, the unit."""

    name: str
    load: float
    limit: float
    unit: str

    @property
    def exceeded(self) -> bool:
        """Whether the load exceeds the limit; a missing load does not."""
        return self.load > self.limit


def circuit_checks(
    circuit: Circuit,
    line_a: Sequence[float],
    apparent_va: float | None = None,
    real_w: float | None = None,
    budget_w: float | None = None,
) -> list[Check]:
    """Return the limits of a circuit in the order they bind: each line [A], apparent power [VA], real power [W].

    The last needs a declared budget, because a breaker has no limit in watts.
    """
    checks = [Check(f"L{i}", amps, circuit.limit_a, "A") for i, amps in enumerate(line_a, start=1)]
    if apparent_va is not None:
        checks.append(Check("apparent", apparent_va, circuit.limit_va, "VA"))
    if real_w is not None and budget_w is not None:
        checks.append(Check("budget", real_w, budget_w, "W"))
    return checks
