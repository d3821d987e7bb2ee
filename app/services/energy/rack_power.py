"""The power of a rack: the inlets of its PDUs, or the sum of its nodes where a PDU reports no inlet."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from app.domain.energy import is_coarse, span_at
from app.domain.timeseries import Curve, add, window
from app.services.energy.node_power import NodePower, PowerBasis
from app.services.energy.node_powers import read_node_powers
from app.services.energy.point_power import derived_steps_of, point_powers, power_series
from app.services.energy.stores import EnergyStores
from app.store.facility import Device, Facility
from app.store.timeseries import SeriesInfo

INLET = re.compile(r"(unit/\d+/)?inlet(/\d+)?")
"""A whole inlet: `inlet`, of a second PDU in a chain `unit/2/inlet`; a line is `inlet/l1`."""
LINE = re.compile(r"(unit/\d+/)?inlet(/\d+)?/l(?P<line>\d)")
BRANCH = re.compile(r"branch/(?P<branch>\d+)")
OUTLET = re.compile(r"(unit/\d+/)?outlet/\d+")
_BRANCH_OF_UNIT = re.compile(r"(unit/\d+/)?branch/\d+")


@dataclass(frozen=True)
class RackPower:
    """Power of a rack [W] over a window, and of each of its nodes.

    Attributes
    ----------
    total: the sum of the members, defined where each of them is covered. basis: what they are.
    members: `device/point` or node → its curve.
    derived: the members whose power is derived from registers, with the resolution of those [J].
    """

    total: Curve
    basis: Literal["inlets", "nodes"]
    nodes: Mapping[str, NodePower] = field(default_factory=dict)
    members: Mapping[str, Curve] = field(default_factory=dict)
    derived: Mapping[str, float] = field(default_factory=dict)

    @property
    def power_basis(self) -> PowerBasis:
        """Return whether the power was measured, or derived from registers."""
        if not self.derived:
            return "measured"
        return "derived" if self.derived.keys() >= self.members.keys() else "mixed"

    @property
    def is_coarse(self) -> bool:
        """Return whether the registers have too few steps for a maximum."""
        if not self.derived or not len(self.total):
            return False
        return is_coarse(float(self.total.v.max()), sum(self.derived.values()))

    def span_at(self, t_ms: int) -> int:
        """Return over how long the derived power at a time is a mean [ms]; 0 where it was measured."""
        found = [span_at(curve, t_ms) for key, curve in self.members.items() if key in self.derived]
        return max(found, default=0)


def pdus_in(facility: Facility, rack: str) -> tuple[Device, ...]:
    """Return the PDUs in a rack."""
    return facility.devices_in(rack, "pdu")


def parts_of_pdu(power: Sequence[SeriesInfo]) -> list[SeriesInfo]:
    """Return the power series that add up to a PDU: its inlets, else all its branches, else all its outlets."""
    for kind in (INLET, _BRANCH_OF_UNIT, OUTLET):
        if found := [info for info in power if kind.fullmatch(info.point)]:
            return found
    return []


def rack_totals(
    stores: EnergyStores, facility: Facility, racks: Sequence[str], start_ms: int, end_ms: int
) -> dict[str, RackPower]:
    """Return the power of several racks; nodes are read only where a rack has no complete inlets."""
    inlets = _complete_inlets(stores, facility, racks)
    curves = point_powers(stores, [info for infos in inlets.values() for info in infos], start_ms, end_ms)
    others = [rack for rack in racks if rack not in inlets]
    powers = read_node_powers(stores, _nodes_in(facility, others), start_ms, end_ms)
    totals = {rack: sum_of_nodes(facility, rack, powers, start_ms, end_ms) for rack in others}
    for rack, infos in inlets.items():
        totals[rack] = _by_inlets(infos, curves, {}, start_ms, end_ms)
    return totals


def read_rack_power(stores: EnergyStores, facility: Facility, rack: str, start_ms: int, end_ms: int) -> RackPower:
    """Return the power of a rack and of its nodes."""
    powers = read_node_powers(stores, _nodes_in(facility, [rack]), start_ms, end_ms)
    by_nodes = sum_of_nodes(facility, rack, powers, start_ms, end_ms)
    infos = _complete_inlets(stores, facility, [rack]).get(rack)
    if infos is None:
        return by_nodes
    return _by_inlets(infos, point_powers(stores, infos, start_ms, end_ms), by_nodes.nodes, start_ms, end_ms)


def _by_inlets(
    infos: Sequence[SeriesInfo],
    curves: Mapping[str, Curve],
    nodes: Mapping[str, NodePower],
    start_ms: int,
    end_ms: int,
) -> RackPower:
    inlets = {f"{info.device}/{info.point}": curves[info.key] for info in infos}
    total = window(add(list(inlets.values())), start_ms, end_ms)
    return RackPower(total, "inlets", nodes, inlets, derived_steps_of(infos))


def _complete_inlets(stores: EnergyStores, facility: Facility, racks: Sequence[str]) -> dict[str, list[SeriesInfo]]:
    """Return the power series (or registers) of the inlets of each rack all of whose PDUs report any."""
    pdus = {rack: [d.key for d in pdus_in(facility, rack)] for rack in racks}
    devices = [key for keys in pdus.values() for key in keys]
    inlets: dict[str, list[SeriesInfo]] = defaultdict(list)
    for info in power_series(stores.frames.series(devices) if devices else (), _is_inlet):
        inlets[info.device].append(info)
    return {
        rack: [series for key in keys for series in inlets[key]]
        for rack, keys in pdus.items()
        if keys and all(inlets[key] for key in keys)
    }


def _is_inlet(info: SeriesInfo) -> bool:
    return INLET.fullmatch(info.point) is not None


def _nodes_in(facility: Facility, racks: Sequence[str]) -> list[str]:
    return [node.key for rack in racks for node in facility.nodes_in(rack)]


def sum_of_nodes(
    facility: Facility, rack: str, powers: Mapping[str, NodePower], start_ms: int, end_ms: int
) -> RackPower:
    """Return the power of a rack as the sum of its nodes; a supply that cannot be split counts once."""
    nodes = {n.key: powers[n.key] for n in facility.nodes_in(rack)}
    unsplit = facility.unsplit_among(nodes)
    members = {node for supply in unsplit for node in supply.nodes}
    parts = {node: power.total for node, power in nodes.items() if node not in members}
    parts |= {feed: nodes[s.nodes[0]].feeds.get(feed, Curve.empty()) for s in unsplit for feed in s.feeds}
    derived = {
        node: math.fsum(power.derived.values()) for node, power in nodes.items() if power.power_basis != "measured"
    }
    derived = {key: step for key, step in derived.items() if key in parts}
    for supply in unsplit:
        reading = nodes[supply.nodes[0]].reading
        derived |= {feed: reading.register(feed).step_j for feed in supply.feeds if feed in reading.derived}
    return RackPower(window(add(list(parts.values())), start_ms, end_ms), "nodes", nodes, parts, derived)
