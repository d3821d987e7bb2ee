"""Energy, statistics and uncertainty of power curves."""

from __future__ import annotations

from app.domain.energy.class_limits import class_limit_pct
from app.domain.energy.conditional_energy import ConditionalEnergy, energy_below
from app.domain.energy.curve_statistics import (
    IDLE_MINIMUM_MS,
    Baseline,
    Statistics,
    idle_baseline_w,
    load_duration,
    statistics,
)
from app.domain.energy.derived_power import (
    LONGEST_MS,
    counted_power,
    derived_now,
    derived_power,
    derived_span_s,
    is_coarse,
    span_at,
)
from app.domain.energy.energy import energy_j, mean_w
from app.domain.energy.energy_choice import (
    FEW_READINGS,
    EnergyFigure,
    Method,
    NodeEnergy,
    TotalEnergy,
    TotalMethod,
    total_energy,
)
from app.domain.energy.known_power import LAST_KNOWN_MS, KnownPower, MissingPart, PowerMember, known_power, total_power
from app.domain.energy.registers import CounterEnergy, EnergyRegister, counter_energy, register
from app.domain.energy.uncertainty import (
    AROUND,
    K,
    Part,
    UncertaintyParts,
    added,
    difference_w,
    expanded_pct,
    time_resolution_j,
)

__all__ = [
    "AROUND",
    "FEW_READINGS",
    "IDLE_MINIMUM_MS",
    "LAST_KNOWN_MS",
    "LONGEST_MS",
    "Baseline",
    "ConditionalEnergy",
    "CounterEnergy",
    "EnergyFigure",
    "EnergyRegister",
    "K",
    "KnownPower",
    "Method",
    "MissingPart",
    "NodeEnergy",
    "Part",
    "PowerMember",
    "Statistics",
    "TotalEnergy",
    "TotalMethod",
    "UncertaintyParts",
    "added",
    "class_limit_pct",
    "counted_power",
    "counter_energy",
    "derived_now",
    "derived_power",
    "derived_span_s",
    "difference_w",
    "energy_below",
    "energy_j",
    "expanded_pct",
    "idle_baseline_w",
    "is_coarse",
    "known_power",
    "load_duration",
    "mean_w",
    "register",
    "span_at",
    "statistics",
    "time_resolution_j",
    "total_energy",
    "total_power",
]
