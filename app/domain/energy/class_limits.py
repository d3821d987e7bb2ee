"""The limit of error of an energy measured by a meter of a class, whose limits depend on the current.

Source: docs/semantics.md, "Uncertainty".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.domain.energy.conditional_energy import energy_below
from app.domain.energy.energy import energy_j
from app.domain.timeseries import Curve

NO_LIMIT_PCT = 100.0
"""Below the smallest current of a class no limit is stated: what is read there counts as unknown in full."""


def class_limit_pct(
    power: Curve, current: Curve, limits: Sequence[tuple[float, float]], spans: Iterable[tuple[int, int]]
) -> float:
    """Return the limit of error of the energy of `power` [W] inside `spans`, in % of it.

    Each stretch counts with the limit at its current; without a current, or without energy, with that at full load.

    Parameters
    ----------
    current: mean current of the lines [A]. limits: from which current on [A] which limit applies [%], rising.
    """
    full_pct = limits[-1][1]
    lower_pct = [NO_LIMIT_PCT, *(pct for _, pct in limits)]
    whole_j = excess_j = 0.0
    for start_ms, end_ms in spans:
        whole_j += energy_j(power, start_ms, end_ms)
        for (current_a, pct), below_pct in zip(limits, lower_pct, strict=False):
            below_j = energy_below(power, current, current_a, start_ms, end_ms).energy_j
            excess_j += below_j * (below_pct - pct) / 100.0
    return full_pct + 100.0 * excess_j / whole_j if whole_j > 0.0 else full_pct
