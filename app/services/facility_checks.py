"""What must hold between the objects of a facility: names, references, cords, placement.

The checks look at the facility as it will be and tell what is wrong with the objects *in focus*, those that
somebody is about to write.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from app.services.facility_mistakes import Finding, meant
from app.services.facility_objects import TABLES, by_key, made_devices
from app.store.snapshot import Facility, Feed, Node, Rack

Ref = tuple[str, str]
"""Kind and key of an object."""
Points = Callable[[str], frozenset[str] | None]
"""The points a device has announced; None when it was never polled."""

_NAMED_TOGETHER = ("site", "room", "rack", "device", "node")
_SITE_TABLES = ("room", "rack", "device", "node")


@dataclass(frozen=True)
class Reference:
    """One object names another in a field."""

    source: Ref
    field: str
    target: Ref

    @property
    def place(self) -> tuple[str, str, str]:
        """Where it is written."""
        return (TABLES[self.source[0]], self.source[1], self.field)


def check(facility: Facility, focus: Set[Ref], points: Points, ignored: Set[Ref] = frozenset()) -> list[Finding]:
    """Everything wrong with the objects in focus.

    Parameters
    ----------
    facility: as it will be.
    ignored: objects that are written but broken; references to them are not mistakes of their own.
    """
    return [
        *_shared_names(facility, focus),
        *_unknown_references(facility, focus, ignored),
        *_cords(facility, focus, points, ignored),
        *_placement(facility, focus),
    ]


def references(facility: Facility) -> Iterator[Reference]:
    """Who names whom, cords included."""
    for kind in _SITE_TABLES:
        for key, thing in by_key(facility, kind).items():
            for field in ("site", "room", "rack", "model", "auth", "node"):
                target = getattr(thing, field, None)
                if target is not None:
                    yield Reference((kind, key), field, (field, target))
    for node, feeds in facility.feeds.items():
        for device in sorted({feed.device for feed in feeds}):
            yield Reference(("node", node), "feeds", ("device", device))


def left_behind(facility: Facility, gone: Set[Ref]) -> list[Reference]:
    """References that lead to objects that will be gone."""
    return [reference for reference in references(facility) if reference.target in gone]


def _shared_names(facility: Facility, focus: Set[Ref]) -> Iterator[Finding]:
    owners: dict[str, list[str]] = {}
    for kind in _NAMED_TOGETHER:
        for key in by_key(facility, kind):
            owners.setdefault(key, []).append(kind)
    way_out = "names of sites, rooms, racks, devices and nodes are unique together; rename one"
    for key, kinds in owners.items():
        written = [kind for kind in kinds if (kind, key) in focus]
        if len(kinds) > 1 and written:
            other = next(kind for kind in kinds if kind != written[-1])
            yield Finding((TABLES[written[-1]], key), "", f"{TABLES[other]}.{key} has the same name", way_out)


def _unknown_references(facility: Facility, focus: Set[Ref], ignored: Set[Ref]) -> Iterator[Finding]:
    for reference in references(facility):
        kind, key = reference.target
        if reference.source not in focus or reference.field == "feeds" or reference.target in ignored:
            continue
        known = by_key(facility, kind)
        if key not in known:
            yield Finding(reference.place, _quoted(key), f"no such {kind}", _nearest(kind, key, known))


def _nearest(kind: str, key: str, known: Mapping[str, object]) -> str:
    way_out = meant(key, list(known))
    declare = "declare [site]" if kind == "site" else f"declare [{TABLES[kind]}.{key}]"
    return way_out if way_out.endswith("?") else declare


def _cords(facility: Facility, focus: Set[Ref], points: Points, ignored: Set[Ref]) -> Iterator[Finding]:
    users: dict[str, list[str]] = {}
    for node, feeds in facility.feeds.items():
        for feed in feeds:
            users.setdefault(feed.key, []).append(node)
    for node, feeds in facility.feeds.items():
        for feed in feeds if ("node", node) in focus else ():
            if ("device", feed.device) in ignored:
                continue
            for wrong, way_out in (
                *_no_such_point(facility, feed, points),
                *_other_user(node, users[feed.key], focus),
            ):
                yield Finding(("nodes", node, "feeds"), _quoted(feed.key), wrong, way_out)


def _no_such_point(facility: Facility, feed: Feed, points: Points) -> Iterator[tuple[str, str]]:
    if feed.device not in facility.devices:
        yield f"no such device: {feed.device}", _nearest("device", feed.device, facility.devices)
        return
    known = points(feed.device)
    if known is not None and feed.point not in known:
        yield f"{feed.device} has no point {feed.point}", _points_near(feed.point, known)


def _other_user(node: str, users: Sequence[str], focus: Set[Ref]) -> Iterator[tuple[str, str]]:
    """Of several nodes in focus all but the first are told."""
    for user in users:
        if user < node or (user != node and ("node", user) not in focus):
            yield f"it powers nodes.{user} already", "a point powers one node; remove it from one of the two"
            return


def _points_near(point: str, known: frozenset[str]) -> str:
    way_out = meant(point, sorted(known))
    if way_out.endswith("?"):
        return way_out
    some = sorted(known)[:6]
    return f"it has {', '.join(some)}{' …' if len(known) > len(some) else ''}"


def _placement(facility: Facility, focus: Set[Ref]) -> Iterator[Finding]:
    placed: dict[str, list[Node]] = {}
    for node in facility.nodes.values():
        if node.rack is not None and node.position_u is not None:
            placed.setdefault(node.rack, []).append(node)
    for node in facility.nodes.values():
        if ("node", node.key) not in focus or node.position_u is None:
            continue
        if node.rack is None:
            place = ("nodes", node.key, "position_u")
            yield Finding(place, str(node.position_u), "a position without a rack", "add rack, or remove position_u")
        elif node.rack in facility.racks:
            yield from _outside(facility, node, facility.racks[node.rack])
            yield from _overlaps(facility, focus, node, placed[node.rack])


def _outside(facility: Facility, node: Node, rack: Rack) -> Iterator[Finding]:
    top = _units(facility, node)[-1]
    if rack.height_u is not None and top > rack.height_u:
        wrong = f"it would reach U{top}, racks.{rack.key} ends at U{rack.height_u}"
        way_out = f"at most {max(1, rack.height_u - len(_units(facility, node)) + 1)}, or correct the heights"
        yield Finding(("nodes", node.key, "position_u"), str(node.position_u), wrong, way_out)


def _overlaps(facility: Facility, focus: Set[Ref], node: Node, neighbours: Sequence[Node]) -> Iterator[Finding]:
    ours = _units(facility, node)
    for other in neighbours:
        theirs = _units(facility, other)
        told_there = other.key >= node.key and ("node", other.key) in focus
        if not told_there and theirs[0] <= ours[-1] and ours[0] <= theirs[-1]:
            wrong = f"nodes.{other.key} holds {_span(theirs)}"
            way_out = f"this one would hold {_span(ours)}; move one of the two"
            yield Finding(("nodes", node.key, "position_u"), str(node.position_u), wrong, way_out)


def _span(units: range) -> str:
    return f"U{units[0]}" if len(units) == 1 else f"U{units[0]}–U{units[-1]}"


def _units(facility: Facility, node: Node) -> range:
    """The rack units a node holds."""
    model = facility.model_of(node)
    height = node.height_u or (model.height_u if model else None) or 1
    start = node.position_u or 1
    return range(start, start + height)


def made_names(node: Node, declared: Set[str]) -> Iterator[Finding]:
    """Devices a node's exporters and BMC would make, whose names are taken by declared ones."""
    for device in made_devices(node):
        if device.key in declared:
            field = "bmc" if device.kind == "bmc" else "exporters"
            wrong = f"it makes a device {device.key}, and devices.{device.key} is declared too"
            way_out = "rename that device, or declare it with node and leave it out here"
            yield Finding(("nodes", node.key, field), _quoted(device.address or ""), wrong, way_out)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
