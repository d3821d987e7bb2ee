"""The loads on the circuits of some racks, on one basis: measured curves, or declared power as constants."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.domain.capacity import Circuit, CircuitLoad, Pdu
from app.domain.energy import is_coarse, statistics
from app.domain.timeseries import Curve, TimeBase, TimeWindow, add
from app.services.capacity.pdu_circuit import CircuitReading, circuit_reading
from app.services.capacity.unlisted_loads import self_powered, unlisted_loads
from app.services.energy import (
    EnergyStores,
    NodePower,
    point_powers,
    power_series,
    prefetch_racks,
    rack_totals,
    read_node_power,
    read_node_powers,
)
from app.store.facility import Device, Facility, Model, Node
from app.store.timeseries import SeriesInfo
from collectors.contract import Quantity

BasisName = Literal["observed_max", "observed_p99", "rated", "budget"]
DECLARED = ("rated", "budget")
MOST_ELSEWHERE = 20
"""Nodes of other racks that are read, where a model is in none of the racks."""
_QUANTITIES = (Quantity.POWER, Quantity.APPARENT_POWER, Quantity.CURRENT)


@dataclass(frozen=True)
class CapacityLoads:
    """Some racks with their nodes, circuits and cords, on one basis.

    Attributes
    ----------
    racks: rack → its power [W]. node_w: node → its power on the basis [W]; None where not known.
    loads, pdus: the loads with their cords, and what each PDU carries.
    circuits: PDU → its breaker, where it declares its voltage. factors: PDU → its power factor.
    unlisted_w: rack → what its PDUs carry beyond its nodes [W], where that is measured; none on declared bases.
    series: PDU → what it reports. elsewhere: power of nodes in other racks, of models that these racks hold none of.
    """

    facility: Facility
    basis: BasisName
    view: TimeWindow
    racks: Mapping[str, Curve]
    node_w: Mapping[str, float | None]
    unlisted_w: Mapping[str, float]
    loads: Sequence[CircuitLoad]
    pdus: Mapping[str, Pdu]
    circuits: Mapping[str, Circuit]
    factors: Mapping[str, float]
    series: Mapping[str, Sequence[SeriesInfo]]
    elsewhere: Mapping[str, NodePower]

    def figure(self, curve: Curve) -> float:
        """Return the figure of a curve on this basis: its p99, else its maximum. NaN where nothing is covered."""
        found = statistics(curve, self.view.start_ms, self.view.end_ms)
        return found.p99 if self.basis == "observed_p99" else found.max

    def devices_in(self, rack: str) -> list[str]:
        """Return the PDUs in a rack, and those elsewhere that power its nodes."""
        fed_by = {f.device for node in self.facility.nodes_in(rack) for f in self.facility.powering(node.key)}
        return [key for key in self.pdus if key in fed_by or self.facility.devices[key].rack == rack]


def read_capacity_loads(
    stores: EnergyStores, racks: Collection[str], basis: BasisName, view: TimeWindow, models: Collection[str] = ()
) -> CapacityLoads:
    """Read racks as they are at the end of a window, with what was measured in it or what is declared.

    `models`: what nodes are to be added of; where the racks hold none of them, nodes of other racks are read.
    """
    facility = stores.facility.at(view.end_ms)
    nodes = [node for rack in sorted(racks) for node in facility.nodes_in(rack)]
    read = prefetch_racks(stores, facility, racks, _QUANTITIES, view)
    devices = _devices(facility, racks, nodes)
    readings = {d.key: circuit_reading(read, d, view) for d in devices}
    series: dict[str, list[SeriesInfo]] = defaultdict(list)
    for info in stores.frames.series([d.key for d in devices]) if devices else ():
        series[info.device].append(info)
    circuits = {key: r.circuit for key, r in readings.items() if r.circuit}
    factors = {key: r.factor for key, r in readings.items()}
    unlisted: dict[str, float] = {}
    if basis in DECLARED:
        watts = {n.key: model_watts(facility.model_of(n), basis) for n in nodes}
        loads = _declared_loads(facility, readings, basis, view)
        pdus = {key: _declared_pdu(reading, loads, view) for key, reading in readings.items()}
        sums = {rack: constant(_total([watts[n.key] for n in facility.nodes_in(rack)]), view) for rack in racks}
    else:
        powers = {n.key: read_node_power(read, n.key, view.start_ms, view.end_ms) for n in nodes}
        watts = {key: observed_watts(power, basis, view) for key, power in powers.items()}
        loads = _observed_loads(read, facility, readings, view)
        pdus = {key: Pdu(key, r.power, r.lines, r.amps_per_watt) for key, r in readings.items()}
        totals = rack_totals(read, facility, sorted(racks), view.start_ms, view.end_ms)
        sums = {rack: Curve.empty() if totals[rack].is_coarse else totals[rack].total for rack in racks}
        statistic = "p99" if basis == "observed_p99" else "max"
        for rack in self_powered(facility, racks):
            own = {node.key: powers[node.key] for node in facility.nodes_in(rack)}
            found = unlisted_loads(totals[rack], own, view)
            unlisted |= {rack: found[statistic]} if found else {}
    elsewhere = {} if basis in DECLARED else _elsewhere(stores, facility, watts, models, view)
    known = (sums, watts, unlisted, loads, pdus, circuits, factors, series)
    return CapacityLoads(facility, basis, view, *known, elsewhere)


def _elsewhere(
    stores: EnergyStores,
    facility: Facility,
    watts: Mapping[str, float | None],
    models: Collection[str],
    view: TimeWindow,
) -> dict[str, NodePower]:
    wanted: list[str] = []
    for model in dict.fromkeys(models):
        nodes = [n.key for n in facility.nodes.values() if n.model == model]
        if not any(watts.get(node) is not None for node in nodes):
            wanted += [node for node in nodes if node not in watts][:MOST_ELSEWHERE]
    return read_node_powers(stores, wanted, view.start_ms, view.end_ms) if wanted else {}


def model_watts(model: Model | None, basis: BasisName) -> float | None:
    """Return the declared power of a model [W]."""
    if model is None:
        return None
    return model.rated_w if basis == "rated" else model.budget_w


def _devices(facility: Facility, racks: Collection[str], nodes: Sequence[Node]) -> list[Device]:
    fed_by = {feed.device for node in nodes for feed in facility.powering(node.key)}
    return [
        d
        for d in facility.devices.values()
        if d.key in fed_by or (d.rack in racks and (d.kind == "pdu" or d.breaker is not None))
    ]


def observed_watts(power: NodePower, basis: BasisName, view: TimeWindow) -> float | None:
    """Return what a node drew [W] on a basis; None where nothing was measured."""
    if power.is_coarse:
        return None
    found = statistics(power.total, view.start_ms, view.end_ms)
    watts = found.p99 if basis == "observed_p99" else found.max
    return None if math.isnan(watts) else watts


def _cords_on(facility: Facility, devices: Collection[str]) -> dict[str, list[str]]:
    """Return by node or shared supply every point that powers it, of those with a cord on these devices."""
    cords = {node: [feed.key for feed in feeds] for node, feeds in facility.feeds.items() if feeds}
    cords |= {supply.key: list(supply.feeds) for supply in facility.supplies.values()}
    return {key: feeds for key, feeds in cords.items() if any(f.partition("/")[0] in devices for f in feeds)}


def _observed_loads(
    stores: EnergyStores, facility: Facility, devices: Collection[str], view: TimeWindow
) -> list[CircuitLoad]:
    connected = _cords_on(facility, devices)
    points = {feed for feeds in connected.values() for feed in feeds}
    powering = sorted({point.partition("/")[0] for point in points})
    infos = power_series(stores.frames.series(powering), lambda info: f"{info.device}/{info.point}" in points)
    curves = point_powers(stores, infos, view.start_ms, view.end_ms)
    known = {f"{i.device}/{i.point}": curves[i.key] for i in infos if not _has_too_few_steps(i, curves[i.key])}
    return [
        _load(facility, key, feeds, [known.get(feed, Curve.empty()) for feed in feeds])
        for key, feeds in connected.items()
    ]


def _has_too_few_steps(info: SeriesInfo, power: Curve) -> bool:
    """Return whether a register moves too slowly for a maximum."""
    if info.quantity is not Quantity.ENERGY or not len(power):
        return False
    return is_coarse(float(power.v.max()), math.nan if info.resolution is None else info.resolution)


def _declared_loads(
    facility: Facility, devices: Collection[str], basis: BasisName, view: TimeWindow
) -> list[CircuitLoad]:
    found = []
    for key, feeds in _cords_on(facility, devices).items():
        supply = facility.supplies.get(key)
        nodes = supply.nodes if supply else (key,)
        watts = _total([model_watts(facility.model_of(n), basis) for k in nodes if (n := facility.nodes.get(k))])
        found.append(_load(facility, key, feeds, [constant(watts / len(feeds), view)] * len(feeds)))
    return found


def _load(facility: Facility, key: str, feeds: Sequence[str], power: Sequence[Curve]) -> CircuitLoad:
    supply = facility.supplies.get(key)
    devices = [feed.partition("/")[0] for feed in feeds]
    return CircuitLoad(key, list(zip(devices, power, strict=True)), supply.psus.n if supply and supply.psus else 1)


def _declared_pdu(reading: CircuitReading, loads: Sequence[CircuitLoad], view: TimeWindow) -> Pdu:
    """Return the sum of its loads, spread over its lines like the measured load; evenly where none is measured."""
    key, rate = reading.device.key, reading.amps_per_watt
    cords = [power for load in loads for device, power in load.cords if device == key]
    power = add(cords) if cords else constant(0.0, view)
    tops = {name: statistics(line, view.start_ms, view.end_ms).max for name, line in reading.lines.items()}
    mean = float(np.mean(list(tops.values()))) if tops else math.nan
    names = list(tops) or [f"L{i + 1}" for i in range(reading.circuit.phases if reading.circuit else 0)]
    shares = {name: tops[name] / mean if mean > 0 else 1.0 for name in names}
    watts = float(power.v[0]) if len(power) else math.nan
    return Pdu(key, power, {name: constant(watts * rate * share, view) for name, share in shares.items()}, rate)


def constant(watts: float, view: TimeWindow) -> Curve:
    """Return a constant curve; empty where the power is not known."""
    if math.isnan(watts):
        return Curve.empty()
    time_base = TimeBase(np.array([view.start_ms, view.end_ms]), np.array([True, False]), np.ones(2, np.bool_))
    return Curve(time_base, np.array([watts, watts]))


def _total(parts: Sequence[float | None]) -> float:
    """Return the sum; NaN unless every part is known."""
    return math.fsum(p for p in parts if p is not None) if None not in parts else math.nan
