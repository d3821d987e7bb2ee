"""The free space of a rack."""

from __future__ import annotations

from dataclasses import dataclass

from app.store.facility import Facility, Node, Rack


@dataclass(frozen=True)
class FreeSpace:
    """A free space: its lowest unit and its height [U]."""

    at: int
    high: int


def height_u(facility: Facility, node: Node) -> int | None:
    """Return how many rack units a node takes; None where not declared."""
    model = facility.model_of(node)
    return node.height_u or (model.height_u if model else None)


def free_space(facility: Facility, rack: Rack) -> list[FreeSpace]:
    """Return the free spaces from the bottom; none where a node's position or the rack's height is not declared."""
    nodes = facility.nodes_in(rack.key)
    if not rack.height_u or not nodes or any(n.position_u is None for n in nodes):
        return []
    taken = {u for n in nodes for u in range(n.position_u or 0, (n.position_u or 0) + (height_u(facility, n) or 1))}
    free: list[FreeSpace] = []
    for u in (u for u in range(1, rack.height_u + 1) if u not in taken):
        if free and free[-1].at + free[-1].high == u:
            free[-1] = FreeSpace(free[-1].at, free[-1].high + 1)
        else:
            free.append(FreeSpace(u, 1))
    return free


def pieces_u(facility: Facility, rack: Rack) -> list[int] | None:
    """Return the heights of the free spaces [U]; None where the rack's height or a node's position is not declared."""
    nodes = facility.nodes_in(rack.key)
    if not rack.height_u or any(n.position_u is None for n in nodes):
        return None
    return [space.high for space in free_space(facility, rack)] if nodes else [rack.height_u]


def first_free_u(facility: Facility, rack: Rack, high: int) -> int | None:
    """Return the lowest unit above which this many units are free."""
    if not facility.nodes_in(rack.key):
        return 1
    return next((space.at for space in free_space(facility, rack) if space.high >= high), None)
