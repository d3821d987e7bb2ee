"""Power and energy of nodes and racks, from their readings."""

from __future__ import annotations

from app.services.energy.line_currents import WHOLE, line_currents
from app.services.energy.node_power import NodePower, PowerBasis, gpu_mean, read_node_power
from app.services.energy.node_powers import read_node_powers
from app.services.energy.node_readings import COMPONENT, Source, caliber, curves_of, gpu_quantities, margin_ms
from app.services.energy.point_power import derived_steps_of, point_powers, power_series
from app.services.energy.prefetch import PrefetchedStores, prefetch_racks, prefetch_readings
from app.services.energy.rack_power import (
    BRANCH,
    INLET,
    LINE,
    OUTLET,
    RackPower,
    parts_of_pdu,
    pdus_in,
    rack_totals,
    read_rack_power,
)
from app.services.energy.registers_only import around_quarters, derived_curves, registers_only
from app.services.energy.stores import EnergyStores

__all__ = [
    "BRANCH",
    "COMPONENT",
    "INLET",
    "LINE",
    "OUTLET",
    "WHOLE",
    "EnergyStores",
    "NodePower",
    "PowerBasis",
    "PrefetchedStores",
    "RackPower",
    "Source",
    "around_quarters",
    "caliber",
    "curves_of",
    "derived_curves",
    "derived_steps_of",
    "gpu_mean",
    "gpu_quantities",
    "line_currents",
    "margin_ms",
    "parts_of_pdu",
    "pdus_in",
    "point_powers",
    "power_series",
    "prefetch_racks",
    "prefetch_readings",
    "rack_totals",
    "read_node_power",
    "read_node_powers",
    "read_rack_power",
    "registers_only",
]
