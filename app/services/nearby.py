"""Everything about some racks at hand: their readings of a window read at once, and the facility as it is known now."""

from __future__ import annotations

from collections.abc import Collection, Container, Set
from dataclasses import replace

from app.figures.theme import Window
from app.services.context import Context
from app.services.preread import preread
from app.store.facility import StillFacility
from app.store.snapshot import Facility
from collectors.frame import Quantity


def nearby(
    context: Context, facility: Facility, racks: Collection[str] | None, quantities: Container[Quantity], view: Window
) -> Context:
    """The context with what tells of these racks (None: of all) read ahead, and nothing else in it."""
    devices = facility.devices.keys() if racks is None else devices_around(facility, racks)
    still = replace(context, facility=StillFacility(context.facility))
    return preread(still, lambda i: i.device in devices and i.quantity in quantities, view.start_ms, view.end_ms)


def devices_around(facility: Facility, racks: Collection[str]) -> Set[str]:
    """What stands in some racks, feeds their nodes or tells of them, and every other cord of what hangs there too."""
    inside = {node.key for rack in racks for node in facility.nodes_in(rack)}
    pdus = {d.key for d in facility.devices.values() if d.rack in racks} | _feeding(facility, inside)
    hanging = inside | {node for node in facility.nodes if pdus & _feeding(facility, {node})}
    sharing = {other for node in hanging if (supply := facility.supply_of(node)) for other in supply.nodes}
    near = hanging | sharing
    before = {
        point.partition("/")[0] for key in pdus & facility.devices.keys() for point in facility.devices[key].branches
    }
    return pdus | before | _feeding(facility, near) | {d.key for d in facility.devices.values() if d.node in near}


def _feeding(facility: Facility, nodes: Set[str]) -> set[str]:
    return {feed.device for node in nodes for feed in facility.powering(node)}
