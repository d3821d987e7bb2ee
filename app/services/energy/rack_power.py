"""A rack's power: what enters by its PDUs, or the sum of its nodes where not every PDU tells that."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from app.domain.timeseries import Curve, add, window
from app.services.energy.node_power import NodePower, read_node_power
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
    """Power of a rack [W] over a window, and of each of its nodes. `basis` says what `total` is the sum of."""

    total: Curve
    basis: Literal["inlets", "nodes"]
    nodes: Mapping[str, NodePower] = field(default_factory=dict)


def pdus_in(facility: Facility, rack: str) -> tuple[Device, ...]:
    """The PDUs that stand in a rack."""
    return facility.devices_in(rack, "pdu")


def inlet_keys(stores: EnergyStores, devices: Sequence[Device]) -> dict[str, list[str]]:
    """The inlet power series of each device; a device that tells none is left out."""
    wanted = {d.key for d in devices}
    keys: dict[str, list[str]] = {}
    for series in stores.frames.series():
        if series.device in wanted and series.quantity is Quantity.POWER and INLET.fullmatch(series.point):
            keys.setdefault(series.device, []).append(series.key)
    return keys


def rack_totals(
    stores: EnergyStores, facility: Facility, racks: Sequence[str], start_ms: int, end_ms: int
) -> dict[str, RackPower]:
    """The power of several racks; nodes are read only where a rack has no complete inlets."""
    inlets = inlet_keys(stores, list(facility.devices.values()))
    complete = {
        rack: [key for d in pdus for key in inlets[d.key]]
        for rack in racks
        if (pdus := pdus_in(facility, rack)) and all(d.key in inlets for d in pdus)
    }
    curves = curves_of(stores.frames.read([k for keys in complete.values() for k in keys], start_ms, end_ms))
    totals = {}
    for rack in racks:
        if rack in complete:
            total = add([curves[key] for key in complete[rack]])
            totals[rack] = RackPower(window(total, start_ms, end_ms), "inlets")
        else:
            totals[rack] = _sum_of_nodes(stores, facility, rack, start_ms, end_ms)
    return totals


def read_rack_power(stores: EnergyStores, facility: Facility, rack: str, start_ms: int, end_ms: int) -> RackPower:
    """One rack with its nodes."""
    by_nodes = _sum_of_nodes(stores, facility, rack, start_ms, end_ms)
    pdus = pdus_in(facility, rack)
    inlets = inlet_keys(stores, pdus)
    if not pdus or len(inlets) < len(pdus):
        return by_nodes
    curves = curves_of(stores.frames.read([k for keys in inlets.values() for k in keys], start_ms, end_ms))
    total = window(add(list(curves.values())), start_ms, end_ms)
    return RackPower(total, "inlets", by_nodes.nodes)


def _sum_of_nodes(stores: EnergyStores, facility: Facility, rack: str, start_ms: int, end_ms: int) -> RackPower:
    nodes = {n.key: read_node_power(stores, n.key, start_ms, end_ms) for n in facility.nodes_in(rack)}
    unsplit = facility.unsplit_among(nodes)
    members = {node for supply in unsplit for node in supply.nodes}
    parts = [power.total for node, power in nodes.items() if node not in members]
    parts += [nodes[s.nodes[0]].feeds.get(feed, Curve.empty()) for s in unsplit for feed in s.feeds]
    return RackPower(window(add(parts), start_ms, end_ms), "nodes", nodes)
