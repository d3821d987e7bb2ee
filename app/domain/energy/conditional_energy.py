"""Energy of one curve while another is below a limit, such as of a GPU while it is idle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.domain.timeseries import Curve, bucket_sums, window


@dataclass(frozen=True, slots=True)
class ConditionalEnergy:
    """Energy [J] and time [ms] while a signal is below a limit, where signal and power are covered."""

    energy_j: float
    below_ms: int
    covered_ms: int


def energy_below(power: Curve, signal: Curve, limit: float, start_ms: int, end_ms: int) -> ConditionalEnergy:
    """Return the energy of `power` [W] in a window while `signal` is below `limit`.

    Between two neighbouring readings the signal is below if both of them are.
    """
    inside = window(signal, start_ms, end_ms)
    if not len(inside):
        return ConditionalEnergy(0.0, 0, 0)
    joules, covered_ms = bucket_sums(window(power, start_ms, end_ms), inside.t_ms)
    joined = inside.linked[:-1]
    low = joined & (np.maximum(inside.v[:-1], inside.v[1:]) < limit)
    return ConditionalEnergy(
        float(joules[low].sum()), round(float(covered_ms[low].sum())), round(float(covered_ms[joined].sum()))
    )
