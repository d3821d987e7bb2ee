"""Energy, statistics and uncertainty of power curves."""

from __future__ import annotations

from app.domain.energy.conditional_energy import ConditionalEnergy, energy_below
from app.domain.energy.curve_statistics import (
    IDLE_MINIMUM_MS,
    Baseline,
    Statistics,
    idle_baseline_w,
    load_duration,
    statistics,
)
from app.domain.energy.energy import CounterEnergy, counter_energy, energy_j, mean_w
from app.domain.energy.uncertainty import K, Part, expanded_pct

__all__ = [
    "IDLE_MINIMUM_MS",
    "Baseline",
    "ConditionalEnergy",
    "CounterEnergy",
    "K",
    "Part",
    "Statistics",
    "counter_energy",
    "energy_below",
    "energy_j",
    "expanded_pct",
    "idle_baseline_w",
    "load_duration",
    "mean_w",
    "statistics",
]
