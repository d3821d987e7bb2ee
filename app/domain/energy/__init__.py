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
from app.domain.energy.known_power import LAST_KNOWN_MS, KnownPower, MissingPart, PowerMember, known_power, total_power
from app.domain.energy.uncertainty import K, Part, expanded_pct

__all__ = [
    "IDLE_MINIMUM_MS",
    "LAST_KNOWN_MS",
    "Baseline",
    "ConditionalEnergy",
    "CounterEnergy",
    "K",
    "KnownPower",
    "MissingPart",
    "Part",
    "PowerMember",
    "Statistics",
    "counter_energy",
    "energy_below",
    "energy_j",
    "expanded_pct",
    "idle_baseline_w",
    "known_power",
    "load_duration",
    "mean_w",
    "statistics",
    "total_power",
]
