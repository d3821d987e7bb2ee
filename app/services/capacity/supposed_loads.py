"""Racks as they would be after some nodes were removed and others placed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from app.domain.capacity import Addition, CircuitLoad, Pdu, suppose
from app.services.capacity.capacity_loads import CapacityLoads, constant
from app.services.capacity.rack_outlets import RackOutlet, cords_by_feed, matching, nodes_alike, outlets_on
from app.services.capacity.rack_space import first_free_u
from app.services.capacity.what_if_request import PlacedNode, nodes_of_load
from app.store.facility import Facility, Node, PowerConnection

Thing = TypeVar("Thing")


def suppose_loads(loads: CapacityLoads, removed: Collection[str], placed: Sequence[PlacedNode]) -> CapacityLoads:
    """Return the loads without the removed nodes and shared supplies, and with the placed nodes.

    A placed node takes the lowest free space and the first free outlets of its PDUs, if there are any.
    """
    if not removed and not placed:
        return loads
    added = [Addition(one.key, one.cords, one.power_w) for one in placed]
    found = suppose(list(loads.pdus.values()), loads.loads, added, removed)
    pdus = {k: Pdu(k, one.power, one.lines, loads.pdus[k].amps_per_watt) for k, one in found.pdus.items()}
    gone = {node for key in removed for node in nodes_of_load(loads.facility, key)}
    kept = [one for one in loads.loads if one.key not in removed]
    facility = _without(loads.facility, gone, removed)
    for one in placed:
        facility = _with(replace(loads, facility=facility), one)
    return replace(
        loads,
        facility=facility,
        node_w={k: w for k, w in loads.node_w.items() if k not in gone} | {one.key: one.power_w for one in placed},
        loads=[*kept, *(_load(loads, one) for one in placed)],
        pdus=pdus,
    )


def _load(loads: CapacityLoads, one: PlacedNode) -> CircuitLoad:
    share = constant(one.power_w / max(1, len(one.cords)), loads.view)
    return CircuitLoad(one.key, [(cord, share) for cord in one.cords])


def _without(facility: Facility, nodes: Collection[str], supplies: Collection[str]) -> Facility:
    return replace(
        facility,
        nodes=_except(facility.nodes, nodes),
        feeds=_except(facility.feeds, nodes),
        supplies=_except(facility.supplies, supplies),
    )


def _except(things: Mapping[str, Thing], keys: Collection[str]) -> dict[str, Thing]:
    return {key: thing for key, thing in things.items() if key not in keys}


def _with(loads: CapacityLoads, one: PlacedNode) -> Facility:
    facility = loads.facility
    rack, model = facility.racks[one.rack], facility.models[one.model]
    high = model.height_u or 1
    at = first_free_u(facility, rack, high)
    above = (rack.height_u or 0) + 1
    node = Node(key=one.key, site=rack.site, rack=one.rack, model=one.model, position_u=at or above, height_u=high)
    cords = tuple(PowerConnection(node=one.key, device=o.device, point=o.point) for o in _outlets_for(loads, one))
    return replace(facility, nodes={**facility.nodes, one.key: node}, feeds={**facility.feeds, one.key: cords})


def _outlets_for(loads: CapacityLoads, one: PlacedNode) -> Iterator[RackOutlet]:
    """Yield the free outlets that a placed node takes: on each feed as many as nodes of its model take."""
    facility = loads.facility
    model = facility.models[one.model]
    need = cords_by_feed(facility, nodes_alike(facility, one.rack, model))
    outlets = matching(outlets_on(facility, one.cords, loads.series), model.outlet_type)
    for feed in dict.fromkeys(outlet.feed for outlet in outlets):
        yield from [o for o in outlets if o.feed == feed and not o.used][: need.get(feed, 1)]
