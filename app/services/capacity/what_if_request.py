"""A what-if request: checked against the facility, with cords for the new nodes where there is most room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from app.errors import Invalid, Mistake
from app.services.capacity.capacity_loads import CapacityLoads
from app.services.capacity.rack_fit import each_watts
from app.store.facility import Facility

MOST_ADDED = 200


@dataclass(frozen=True)
class WantedNodes:
    """A number of nodes of a model to add to a rack; `cords`: the PDUs of each node, chosen where empty."""

    rack: str
    model: str
    count: int = 1
    cords: Sequence[str] = ()


@dataclass(frozen=True)
class WhatIfRequest:
    """What to suppose.

    Attributes
    ----------
    remove: nodes or shared supplies. fail: devices, `feed:ROOM/FEED` (`feed:FEED` outside of rooms) or `room:KEY`.
    """

    add: Sequence[WantedNodes] = ()
    remove: Sequence[str] = ()
    fail: Sequence[str] = ()

    @cached_property
    def removed_loads(self) -> frozenset[str]:
        """Return the removed loads."""
        return frozenset(self.remove)


@dataclass(frozen=True)
class PlacedNode:
    """An added node: its power on the basis [W], and the PDUs of its cords."""

    key: str
    rack: str
    model: str
    power_w: float
    cords: Sequence[str] = field(default=())


def checked(facility: Facility, asked: WhatIfRequest) -> set[str]:
    """Return the racks that a request concerns.

    Raises
    ------
    Invalid
        With every error of the request.
    """
    mistakes = list(_mistakes(facility, asked))
    if mistakes:
        first = mistakes[0]
        raise Invalid(f"{first.where}: {first.detail}", first.hint, code="bad_what_if", errors=mistakes)
    failed = failed_devices(facility, asked.fail)
    fed = [
        facility.nodes[node].rack
        for node in facility.nodes
        if any(feed.device in failed for feed in facility.powering(node))
    ]
    gone = [facility.nodes[n].rack for key in asked.remove for n in nodes_of_load(facility, key)]
    own = [facility.devices[key].rack for key in failed]
    near = [facility.devices[cord].rack for one in asked.add for cord in one.cords]
    named = [*fed, *gone, *own, *near, *(one.rack for one in asked.add)]
    return {rack for rack in named if rack is not None and rack in facility.racks}


def nodes_of_load(facility: Facility, key: str) -> tuple[str, ...]:
    """Return a node, or the nodes of a shared supply."""
    supply = facility.supplies.get(key)
    return tuple(n for n in (supply.nodes if supply else (key,)) if n in facility.nodes)


def _mistakes(facility: Facility, asked: WhatIfRequest) -> Iterator[Mistake]:
    for i, one in enumerate(asked.add):
        where = f"add[{i}]"
        if one.rack not in facility.racks:
            yield Mistake(f"{where}.rack", f"there is no rack {one.rack!r}", "GET /api/v1/racks lists them")
        if one.model not in facility.models:
            yield Mistake(f"{where}.model", f"there is no model {one.model!r}", "GET /api/v1/models lists them")
        for cord in one.cords:
            if cord not in facility.devices:
                yield Mistake(f"{where}.cords", f"there is no device {cord!r}", "GET /api/v1/devices lists them")
    if sum(one.count for one in asked.add) > MOST_ADDED:
        yield Mistake("add", f"more than {MOST_ADDED} nodes at once", "use fewer nodes")
    for i, key in enumerate(asked.remove):
        where = f"remove[{i}]"
        supply = facility.supply_of(key)
        if key not in facility.nodes and key not in facility.supplies:
            yield Mistake(where, f"there is no node or supply {key!r}", "GET /api/v1/nodes lists them")
        elif supply is not None and len(supply.nodes) > 1:
            hint = f"its cords carry {len(supply.nodes)} nodes: remove the shared supply with all of them"
            yield Mistake(where, f"{key!r} shares supplies.{supply.key}", hint)
    for i, name in enumerate(asked.fail):
        if not failed_devices(facility, [name]):
            yield Mistake(f"fail[{i}]", *_unknown_failure(facility, name))


def failed_devices(facility: Facility, names: Sequence[str]) -> set[str]:
    """Return the devices that fail: those named, those of a feed, and those in a room or with cords to its nodes."""
    return {key for name in names for key in _fails(facility, name)}


def _fails(facility: Facility, name: str) -> Iterator[str]:
    kind, _, key = name.partition(":")
    if name in facility.devices:
        yield name
    elif kind == "feed":
        yield from (d.key for d in facility.devices.values() if facility.feed_of(d) == key)
    elif kind == "room":
        racks = {rack.key for rack in facility.racks.values() if rack.room == key}
        yield from (d.key for d in facility.devices.values() if d.rack in racks)
        cords = (cord for rack in racks for node in facility.nodes_in(rack) for cord in facility.powering(node.key))
        yield from (cord.device for cord in cords if cord.device in facility.devices)


def _unknown_failure(facility: Facility, name: str) -> tuple[str, str]:
    kind, _, key = name.partition(":")
    if kind == "feed":
        known = sorted({feed for d in facility.devices.values() if (feed := facility.feed_of(d))})
        return f"no device is on feed {key!r}", f"feeds: {', '.join(known[:20]) or 'none'}; write feed:ROOM/FEED"
    if kind == "room":
        return f"there is no device in a room {key!r}", f"rooms: {', '.join(sorted(facility.rooms)[:20]) or 'none'}"
    return f"there is no device {name!r}", "name a device (GET /api/v1/devices), feed:ROOM/FEED or room:KEY"


def placed(loads: CapacityLoads, asked: WhatIfRequest) -> list[PlacedNode]:
    """Return the new nodes, each on the least loaded PDUs of every feed that nodes of its model use."""
    pending = dict.fromkeys(loads.pdus, 0.0)
    found: list[PlacedNode] = []
    for one in asked.add:
        model = loads.facility.models[one.model]
        watts = each_watts(loads, model)
        for _ in range(one.count):
            cords = tuple(one.cords) or _emptiest(loads, one, pending)
            if strange := [cord for cord in cords if cord not in loads.pdus]:
                hint = "name PDUs in a rack of the request"
                raise Invalid(f"add: {strange[0]!r} is no PDU of these racks", hint, code="bad_what_if")
            for cord in cords:
                pending[cord] = pending.get(cord, 0.0) + watts / len(cords)
            found.append(PlacedNode(f"{one.model}#{len(found) + 1}", one.rack, one.model, watts, cords))
    return found


def _emptiest(loads: CapacityLoads, one: WantedNodes, pending: Mapping[str, float]) -> tuple[str, ...]:
    facility = loads.facility
    feeds: dict[str, list[str]] = {}
    for key in loads.devices_in(one.rack):
        if key in loads.circuits:
            feeds.setdefault(facility.devices[key].feed or "", []).append(key)
    kin = [n for n in facility.nodes_in(one.rack) if n.model == one.model and facility.powering(n.key)]
    need: dict[str, int] = {}
    for node in kin:
        used = {feed.device for feed in facility.powering(node.key)}
        for feed, keys in feeds.items():
            need[feed] = max(need.get(feed, 0), len(used & set(keys)))
    need = {feed: n for feed, n in need.items() if n} or dict.fromkeys(feeds, 1)

    def fullness(key: str) -> float:
        tops = [loads.figure(line) for line in loads.pdus[key].lines.values()]
        more = pending[key] * loads.pdus[key].amps_per_watt
        return (max(tops, default=0.0) + more) / loads.circuits[key].limit_a

    return tuple(key for feed, n in need.items() for key in sorted(feeds[feed], key=fullness)[:n])
