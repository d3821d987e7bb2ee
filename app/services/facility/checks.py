"""Check the objects of a facility against each other: names, references, cords, placement.

The checks look at the facility as it will be and report errors of the objects *in focus*, those about to be
written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from app.services.facility.cord_checks import Points, Ref, cord_findings, nearest, quoted
from app.services.facility.objects import by_key, made_devices
from app.services.facility.schema import TABLES
from app.services.facility.validation_errors import ValidationFinding
from app.store.facility import Facility, Node, Rack

_NAMED_TOGETHER = ("site", "room", "rack", "device", "node", "supply")
_SITE_TABLES = ("room", "rack", "device", "node", "supply")


@dataclass(frozen=True)
class Reference:
    """A reference from a field of one object to another object."""

    source: Ref
    field: str
    target: Ref

    @property
    def place(self) -> tuple[str, str, str]:
        """Where the reference is written."""
        return (TABLES[self.source[0]], self.source[1], self.field)


def check(
    facility: Facility, focus: Set[Ref], points: Points, ignored: Set[Ref] = frozenset()
) -> list[ValidationFinding]:
    """Return all errors of the objects in focus.

    Parameters
    ----------
    facility: as it will be.
    ignored: objects that are written but invalid; references to them are not further errors.
    """
    return [
        *_shared_names(facility, focus),
        *_unknown_references(facility, focus, ignored),
        *cord_findings(facility, focus, points, ignored),
        *_placement(facility, focus),
    ]


def references(facility: Facility) -> Iterator[Reference]:
    """Return all references between objects, cords included."""
    for kind in _SITE_TABLES:
        for key, thing in by_key(facility, kind).items():
            for field in ("site", "room", "rack", "model", "auth", "node"):
                target = getattr(thing, field, None)
                if target is not None:
                    yield Reference((kind, key), field, (field, target))
    for key, thing in facility.devices.items():
        for device in sorted({point.partition("/")[0] for point in thing.branches}):
            yield Reference(("device", key), "branches", ("device", device))
    for node, feeds in facility.feeds.items():
        for device in sorted({feed.device for feed in feeds}):
            yield Reference(("node", node), "feeds", ("device", device))
    for supply in facility.supplies.values():
        for node in supply.nodes:
            yield Reference(("supply", supply.key), "nodes", ("node", node))
        for device in sorted({feed.partition("/")[0] for feed in supply.feeds}):
            yield Reference(("supply", supply.key), "feeds", ("device", device))


def left_behind(facility: Facility, gone: Set[Ref]) -> list[Reference]:
    """Return the references to objects that will be removed."""
    return [reference for reference in references(facility) if reference.target in gone]


def _shared_names(facility: Facility, focus: Set[Ref]) -> Iterator[ValidationFinding]:
    owners: dict[str, list[str]] = {}
    for kind in _NAMED_TOGETHER:
        for key in by_key(facility, kind):
            owners.setdefault(key, []).append(kind)
    suggested_fix = "names of sites, rooms, racks, devices, nodes and supplies are unique together; rename one"
    for key, kinds in owners.items():
        written = [kind for kind in kinds if (kind, key) in focus]
        if len(kinds) > 1 and written:
            other = next(kind for kind in kinds if kind != written[-1])
            yield ValidationFinding(
                (TABLES[written[-1]], key), "", f"{TABLES[other]}.{key} has the same name", suggested_fix
            )


def _unknown_references(facility: Facility, focus: Set[Ref], ignored: Set[Ref]) -> Iterator[ValidationFinding]:
    for reference in references(facility):
        kind, key = reference.target
        if reference.source not in focus or reference.field in ("feeds", "branches") or reference.target in ignored:
            continue
        known = by_key(facility, kind)
        if key not in known:
            yield ValidationFinding(reference.place, quoted(key), f"no such {kind}", nearest(kind, key, known))


def _placement(facility: Facility, focus: Set[Ref]) -> Iterator[ValidationFinding]:
    placed: dict[str, list[Node]] = {}
    for node in facility.nodes.values():
        if node.rack is not None and node.position_u is not None:
            placed.setdefault(node.rack, []).append(node)
    for node in facility.nodes.values():
        if ("node", node.key) not in focus or node.position_u is None:
            continue
        if node.rack is None:
            place = ("nodes", node.key, "position_u")
            yield ValidationFinding(
                place, str(node.position_u), "a position without a rack", "add rack, or remove position_u"
            )
        elif node.rack in facility.racks:
            yield from _outside(facility, node, facility.racks[node.rack])
            yield from _overlaps(facility, focus, node, placed[node.rack])


def _outside(facility: Facility, node: Node, rack: Rack) -> Iterator[ValidationFinding]:
    top = _units(facility, node)[-1]
    if rack.height_u is not None and top > rack.height_u:
        wrong = f"it would reach U{top}, racks.{rack.key} ends at U{rack.height_u}"
        suggested_fix = f"at most {max(1, rack.height_u - len(_units(facility, node)) + 1)}, or correct the heights"
        yield ValidationFinding(("nodes", node.key, "position_u"), str(node.position_u), wrong, suggested_fix)


def _overlaps(
    facility: Facility, focus: Set[Ref], node: Node, neighbours: Sequence[Node]
) -> Iterator[ValidationFinding]:
    ours = _units(facility, node)
    for other in neighbours:
        theirs = _units(facility, other)
        reported_there = other.key >= node.key and ("node", other.key) in focus
        if not reported_there and theirs[0] <= ours[-1] and ours[0] <= theirs[-1]:
            wrong = f"nodes.{other.key} holds {_span(theirs)}"
            suggested_fix = f"this one would hold {_span(ours)}; move one of the two"
            yield ValidationFinding(("nodes", node.key, "position_u"), str(node.position_u), wrong, suggested_fix)


def _span(units: range) -> str:
    return f"U{units[0]}" if len(units) == 1 else f"U{units[0]}–U{units[-1]}"


def _units(facility: Facility, node: Node) -> range:
    """Return the rack units of a node."""
    model = facility.model_of(node)
    height = node.height_u or (model.height_u if model else None) or 1
    start = node.position_u or 1
    return range(start, start + height)


def made_names(node: Node, declared: Set[str]) -> Iterator[ValidationFinding]:
    """Find devices that follow from a node's exporters and BMC but are also declared."""
    for device in made_devices(node):
        if device.key in declared:
            field = "bmc" if device.kind == "bmc" else "exporters"
            wrong = f"the device {device.key} follows from it, but devices.{device.key} is declared too"
            suggested_fix = "rename that device, or declare it with node and omit it here"
            yield ValidationFinding(("nodes", node.key, field), quoted(device.address or ""), wrong, suggested_fix)
