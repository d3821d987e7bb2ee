"""Energy: the integral of a power curve."""

from __future__ import annotations

import math

import numpy as np

from app.domain.timeseries import Curve, reach_ms, window


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
