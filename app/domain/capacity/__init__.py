"""Circuit limits, headroom, failover and what-if arithmetic."""

from __future__ import annotations

from app.domain.capacity.capacity import Capacity, CapacityLevel, additional_nodes
from app.domain.capacity.circuit_limits import Circuit, dead_lines, headroom, phase_imbalance_pct
from app.domain.capacity.failover import Failover, FailoverCord, FailoverPdu, LinePeak, fail, moves
from app.domain.capacity.peak_trend import TREND_DAYS, peak_trend
from app.domain.capacity.what_if import Addition, Carried, CircuitLoad, Pdu, Supposed, suppose

__all__ = [
    "TREND_DAYS",
    "Addition",
    "Capacity",
    "CapacityLevel",
    "Carried",
    "Circuit",
    "CircuitLoad",
    "Failover",
    "FailoverCord",
    "FailoverPdu",
    "LinePeak",
    "Pdu",
    "Supposed",
    "additional_nodes",
    "dead_lines",
    "fail",
    "headroom",
    "moves",
    "peak_trend",
    "phase_imbalance_pct",
    "suppose",
]
