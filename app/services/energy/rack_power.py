"""The power of a rack: the inlets of its PDUs, or the sum of its nodes where a PDU reports no inlet."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from app.domain.timeseries import Curve, add, window
from app.services.energy.node_power import NodePower
from app.services.energy.node_powers import read_node_powers
from app.services.energy.node_readings import curves_of
from app.services.energy.stores import EnergyStores
from app.store.facility import Device, Facility
from collectors.contract import Quantity

INLET = re.compile(r"(unit/\d+/)?inlet(/\d+)?")
"""A whole inlet: `inlet`, of a second PDU in a chain `unit/2/inlet`; a line is `inlet/l1`."""
LINE = re.compile(r"(unit/\d+/)?inlet(/\d+)?/l(?P<line>\d)")
BRANCH = re.compile(r"branch/(?P<branch>\d+)")
OUTLET = re.compile(r"(unit/\d+/)?outlet/\d+")


@dataclass(frozen=True)
class RackPower:
    """Power of a rack [W] over a window, and of each of its nodes.

    Attributes
    ----------
    total: the sum of the members, defined where each of them is covered. basis: what they are.
    members: `device/point` or node → its curve.
    """

    total: Curve
    basis: Literal["inlets", "nodes"]
    nodes: Mapping[str, NodePower] = field(default_factory=dict)
    members: Mapping[str, Curve] = field(default_factory=dict)


def pdus_in(facility: Facility, rack: str) -> tuple[Device, ...]:
    """Return the PDUs in a rack."""
    return facility.devices_in(rack, "pdu")


def rack_totals(
    stores: EnergyStores, facility: Facility, racks: Sequence[str], start_ms: int, end_ms: int
) -> dict[str, RackPower]:
    """Return the power of several racks; nodes are read only where a rack has no complete inlets."""
    inlets = _complete_inlets(stores, facility, racks)
    curves = curves_of(stores.frames.read([k for keys in inlets.values() for k in keys], start_ms, end_ms))
    others = [rack for rack in racks if rack not in inlets]
    powers = read_node_powers(stores, _nodes_in(facility, others), start_ms, end_ms)
    totals = {rack: sum_of_nodes(facility, rack, powers, start_ms, end_ms) for rack in others}
    for rack, keys in inlets.items():
        totals[rack] = _by_inlets({key: curves[key] for key in keys}, {}, start_ms, end_ms)
    return totals


def read_rack_power(stores: EnergyStores, facility: Facility, rack: str, start_ms: int, end_ms: int) -> RackPower:
    """Return the power of a rack and of its nodes."""
    powers = read_node_powers(stores, _nodes_in(facility, [rack]), start_ms, end_ms)
    by_nodes = sum_of_nodes(facility, rack, powers, start_ms, end_ms)
    keys = _complete_inlets(stores, facility, [rack]).get(rack)
    if keys is None:
        return by_nodes
    curves = curves_of(stores.frames.read(keys, start_ms, end_ms))
    return _by_inlets({key: curves[key] for key in keys}, by_nodes.nodes, start_ms, end_ms)


def _by_inlets(inlets: Mapping[str, Curve], nodes: Mapping[str, NodePower], start_ms: int, end_ms: int) -> RackPower:
    total = window(add(list(inlets.values())), start_ms, end_ms)
    return RackPower(total, "inlets", nodes, {key.rpartition(":")[0]: curve for key, curve in inlets.items()})


def _complete_inlets(stores: EnergyStores, facility: Facility, racks: Sequence[str]) -> dict[str, list[str]]:
    """Return the inlet power series of each rack all of whose PDUs report any."""
    pdus = {rack: [d.key for d in pdus_in(facility, rack)] for rack in racks}
    devices = [key for keys in pdus.values() for key in keys]
    inlets: dict[str, list[str]] = defaultdict(list)
    for info in stores.frames.series(devices) if devices else ():
        if info.quantity is Quantity.POWER and INLET.fullmatch(info.point):
            inlets[info.device].append(info.key)
    return {
        rack: [series for key in keys for series in inlets[key]]
        for rack, keys in pdus.items()
        if keys and all(inlets[key] for key in keys)
    }


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
    return RackPower(window(add(list(parts.values())), start_ms, end_ms), "nodes", nodes, parts)
