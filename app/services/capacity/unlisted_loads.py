"""What the PDUs of a rack carry beyond its nodes, such as switches, storage, or nodes missing in the facility file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from app.domain.energy import statistics
from app.domain.timeseries import TimeWindow, add
from app.services.energy import NodePower, RackPower
from app.store.facility import Facility

_STATISTICS = ("max", "p99", "median")
WITHIN_METERS = 0.01
"""Share of the power of a rack by which the meters of its inlets and of its nodes may disagree."""


def self_powered(facility: Facility, racks: Collection[str]) -> set[str]:
    """Return the racks whose PDUs power the nodes of this rack alone, which have no cord to others."""
    powers: dict[str | None, set[str | None]] = defaultdict(set)
    for node in facility.nodes.values():
        for cord in facility.powering(node.key):
            device = facility.devices.get(cord.device)
            powers[device.rack if device else None].add(node.rack)
            powers[node.rack].add(device.rack if device else None)
    return {rack for rack in racks if powers[rack] <= {rack}}


def unlisted_loads(power: RackPower, nodes: Mapping[str, NodePower], view: TimeWindow) -> dict[str, float]:
    """Return by statistic what the inlets carry beyond the nodes [W]; empty where inlets or nodes are not known."""
    if power.basis != "inlets" or power.is_coarse or any(node.is_coarse for node in nodes.values()):
        return {}
    whole = statistics(power.total, view.start_ms, view.end_ms)
    listed = statistics(add([node.total for node in nodes.values()]), view.start_ms, view.end_ms)
    if whole.covered_ms == 0 or (nodes and listed.covered_ms == 0):
        return {}
    return {name: _beyond(getattr(whole, name), getattr(listed, name) if nodes else 0.0) for name in _STATISTICS}


def _beyond(inlets_w: float, nodes_w: float) -> float:
    """Return the difference; 0 where the meters may just disagree."""
    return inlets_w - nodes_w if inlets_w - nodes_w > WITHIN_METERS * inlets_w else 0.0
