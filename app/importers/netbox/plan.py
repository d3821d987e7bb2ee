"""Objects of the facility from NetBox: racks, PDUs with circuits, nodes and shared supplies with their cords.

Only places and cords are taken from NetBox; everything else that an operator declared is kept.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.errors import Invalid, Mistake
from app.importers.netbox import records
from app.importers.netbox.records import Inventory
from app.services.facility import FacilityPlan
from app.store.facility import Breaker, Device, Facility, FacilityObject, Node, Rack, SharedSupply, Site

OUTLET = r"(\d+)$"
_SIDES = {"primary": "A", "redundant": "B"}


@dataclass(frozen=True)
class Wish:
    """Selection of what to import from NetBox.

    Attributes
    ----------
    site: slug of a site (default: all). roles: slugs of the roles that are nodes (default: all with a cord).
    outlet: regular expression with the number of an outlet in its first group.
    """

    site: str | None = None
    roles: Sequence[str] = ()
    outlet: str = OUTLET


@dataclass(frozen=True)
class NetBoxPlan:
    """The plan to apply, and notes about skipped objects."""

    plan: FacilityPlan
    notes: Sequence[str]


def netbox_plan(inventory: Inventory, known: Facility, wish: Wish) -> NetBoxPlan:
    """Merge NetBox into the known facility.

    Raises
    ------
    Invalid
        Names cannot be keys, two objects have one name, or outlets have no number: all of them are listed. Or there is
        nothing at the site, or of the roles.
    """
    reading = _Reading(inventory, known, wish)
    _require_something(inventory.of("devices", records.NetBoxDevice), wish)
    objects = reading.objects()
    if reading.mistakes:
        first = reading.mistakes[0]
        raise Invalid(f"{first.where}: {first.detail}", first.hint, code="bad_netbox", errors=reading.mistakes)
    return NetBoxPlan(FacilityPlan("NetBox", site=wish.site, objects=tuple(objects)), reading.notes)


def _require_something(devices: Sequence[records.NetBoxDevice], wish: Wish) -> None:
    """Raise for an unknown slug, which would silently find nothing."""
    sites = {d.site.slug for d in devices if d.site}
    if wish.site is not None and wish.site not in sites:
        hint = f"--site is a slug; there are devices at {', '.join(sorted(filter(None, sites))[:8]) or 'no site'}"
        raise Invalid(f"NetBox has no device at a site {wish.site!r}", hint, code="bad_site")
    roles = {d.role.slug for d in devices if d.role}
    if unknown := [role for role in wish.roles if role not in roles]:
        hint = f"--role is a slug; there are devices of {', '.join(sorted(filter(None, roles))[:8]) or 'no role'}"
        raise Invalid(f"NetBox has no device of a role {unknown[0]!r}", hint, code="bad_role")


class _Reading:
    """Follows the cords and collects the objects at their ends."""

    def __init__(self, inventory: Inventory, known: Facility, wish: Wish) -> None:
        self._known, self._wish = known, wish
        self.mistakes: list[Mistake] = []
        self.notes: list[str] = []
        self._number = re.compile(wish.outlet)
        devices = inventory.of("devices", records.NetBoxDevice)
        here = [d for d in devices if wish.site is None or (d.site and d.site.slug == wish.site)]
        self._devices = {d.id: d for d in here}
        self._racks = {rack.id: rack for rack in inventory.of("racks", records.NetBoxRack)}
        self._outlets = {o.id: o for o in inventory.of("power-outlets", records.Outlet) if o.device.id in self._devices}
        self._ports = [p for p in inventory.of("power-ports", records.Port) if p.device.id in self._devices]
        self._feeds = inventory.of("power-feeds", records.NetBoxFeed)
        self._bays: dict[int, list[records.NetBoxDevice]] = defaultdict(list)
        for device in here:
            if device.parent_device is not None:
                self._bays[device.parent_device.id].append(device)
        self._pdus = {outlet.device.id for outlet in self._outlets.values()}

    def objects(self) -> list[FacilityObject]:
        """Return every object that a cord leads to, in the order of their references."""
        cords = self._cords()
        nodes = [node for device, feeds in cords.items() for node in self._powered(self._devices[device], feeds)]
        used = {feed.partition("/")[0] for feeds in cords.values() for feed in feeds}
        pdus = [self._pdu(self._devices[i]) for i in sorted(self._pdus) if self._devices[i].key in used]
        found: list[FacilityObject] = [*self._site(), *self._new_racks([*pdus, *nodes]), *pdus, *nodes]
        self._require_one_of_each(found)
        return found

    def _cords(self) -> dict[int, list[str]]:
        """Return device → the points that power it."""
        found: dict[int, list[str]] = defaultdict(list)
        for port in self._ports:
            if port.device.id in self._pdus or not self._wanted(self._devices[port.device.id]):
                continue
            name = f"{self._devices[port.device.id].title} {port.title}"
            if feeds := port.ends("dcim.powerfeed"):
                self.notes.append(f"{name} is powered by {feeds[0].title}, which no meter measures: skipped")
            elif port.connected_endpoints and port.connected_endpoints_reachable is False:
                self.notes.append(f"{name}: its cable is not in use yet: skipped")
            elif not port.connected_endpoints:
                self.notes.append(f"{name} has no cable: skipped")
            for end in port.ends("dcim.poweroutlet"):
                point = self._point(end)
                if point is not None:
                    found[port.device.id].append(point)
        return found

    def _wanted(self, device: records.NetBoxDevice) -> bool:
        children = self._bays.get(device.id, ())
        roles = {d.role.slug for d in (device, *children) if d.role}
        return not self._wish.roles or bool(roles & set(self._wish.roles))

    def _point(self, end: records.NetBoxEndpoint) -> str | None:
        """Return `pdu/outlet/12` for the far end of a cord."""
        outlet = self._outlets.get(end.id)
        if outlet is None:
            device = end.device.title if end.device else "?"
            self.notes.append(f"{device} {end.title} is of another site, or was not read: skipped")
            return None
        match = self._number.search(outlet.title)
        pdu = self._devices[outlet.device.id]
        if match is None or not match.groups() or not (match[1] or "").isdigit():
            where, hint = (
                f"{pdu.title} {outlet.title}",
                f"set --outlet to a regular expression with the number in its first group; the default is {OUTLET}",
            )
            self.mistakes.append(Mistake(where, "the name of this power outlet contains no number", hint))
            return None
        return f"{pdu.key}/outlet/{int(match[1])}"

    def _powered(self, device: records.NetBoxDevice, feeds: Sequence[str]) -> Iterator[Node | SharedSupply]:
        """Add a node with its cords; a chassis is a shared supply of the nodes in its bays."""
        cords = tuple(sorted(set(feeds)))
        children = sorted(self._bays.get(device.id, ()), key=lambda d: d.key)
        if not children:
            yield replace(self._node(device), feeds=cords)
            return
        yield from (replace(self._node(child, device), feeds=()) for child in children)
        nodes = tuple(child.key for child in children)
        known = self._known.supplies.get(device.key)
        yield replace(known or SharedSupply(key=device.key, site=self._wish.site), nodes=nodes, feeds=cords)

    def _node(self, device: records.NetBoxDevice, chassis: records.NetBoxDevice | None = None) -> Node:
        place = chassis or device
        model = device.device_type.slug if device.device_type else None
        new = Node(key=device.key, site=self._wish.site, model=model if model in self._known.models else None)
        known = self._known.nodes.get(device.key)
        if known is None and model is not None and new.model is None:
            self.notes.append(f"{device.key}: model {model} is not declared: its rated power is unknown")
        whole = place.position is not None and place.position == int(place.position)
        position = int(place.position) if place.position is not None and whole and chassis is None else None
        if place.position is not None and not whole:
            self.notes.append(f"{device.key}: its position is half a unit, U{place.position:g}: skipped")
        kept = known.position_u if known and position is None else position
        return replace(known or new, rack=self._rack_key(place), position_u=kept)

    def _pdu(self, device: records.NetBoxDevice) -> Device:
        """Add a PDU with the circuit of its inlet, unless the facility has one."""
        known = self._known.devices.get(device.key)
        if known is None:
            self.notes.append(f"{device.key}: new, without an address: add address and auth to poll it")
        pdu = replace(known or Device(key=device.key, kind="pdu", site=self._wish.site), rack=self._rack_key(device))
        ports = {port.id for port in self._ports if port.device.id == device.id}
        circuits = [f for f in self._feeds if any(end.id in ports for end in f.ends("dcim.powerport"))]
        if len(circuits) != 1:
            return pdu
        breaker, side = _breaker(circuits[0]), _SIDES.get(circuits[0].type.value)
        if pdu.breaker is not None and breaker != pdu.breaker:
            self.notes.append(f"{device.key}: NetBox has {breaker}, the facility {pdu.breaker}: not changed")
        return replace(pdu, breaker=pdu.breaker or breaker, feed=pdu.feed or side)

    def _rack_key(self, device: records.NetBoxDevice) -> str | None:
        return device.rack.key if device.rack else None

    def _new_racks(self, objects: Sequence[FacilityObject]) -> list[Rack]:
        placed = [thing.rack for thing in objects if isinstance(thing, Device | Node)]
        named = {key for key in placed if key is not None and key not in self._known.racks}
        racks = {rack.key: rack for rack in self._racks.values()}
        found = []
        for key in sorted(named):
            rack = racks.get(key)
            label = rack.title if rack and rack.title != key else None
            found.append(Rack(key=key, label=label, site=self._wish.site, height_u=(rack and rack.u_height) or 42))
        return found

    def _site(self) -> list[Site]:
        wanted = self._wish.site
        return [Site(key=wanted, timezone="UTC")] if wanted and wanted not in self._known.sites else []

    def _require_one_of_each(self, objects: Sequence[FacilityObject]) -> None:
        seen: set[str] = set()
        for thing in objects:
            if not thing.key:
                self.mistakes.append(Mistake("NetBox", "a name without any letter or digit", "set a name in NetBox"))
            if thing.key in seen:
                hint = "names must be unique: rename one, or import one --site at a time"
                self.mistakes.append(Mistake(thing.key, "two objects in NetBox have this name", hint))
            seen.add(thing.key)


def _breaker(feed: records.NetBoxFeed) -> Breaker:
    phases = 3 if feed.phase.value == "three-phase" else 1
    return Breaker(feed.amperage, phases, abs(feed.voltage), feed.max_utilization / 100.0)
