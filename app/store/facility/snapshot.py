"""The facility at one time, as plain values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import TypeVar

from app.models import (
    Auth,
    Device,
    FacilityObject,
    Model,
    Node,
    PowerConnection,
    Rack,
    Room,
    SharedSupply,
    Site,
)


@dataclass(frozen=True, eq=False)
class Facility:
    """All objects valid at one time, by key, in the order of the keys."""

    sites: Mapping[str, Site]
    rooms: Mapping[str, Room]
    racks: Mapping[str, Rack]
    models: Mapping[str, Model]
    devices: Mapping[str, Device]
    nodes: Mapping[str, Node]
    supplies: Mapping[str, SharedSupply]
    auths: Mapping[str, Auth]
    feeds: Mapping[str, tuple[PowerConnection, ...]]

    def get(self, kind: str, key: str) -> FacilityObject | None:
        """Return an object by kind (site, room, rack, model, device, node, supply, auth) and key."""
        objects: Mapping[str, Mapping[str, FacilityObject]] = {
            "site": self.sites,
            "room": self.rooms,
            "rack": self.racks,
            "model": self.models,
            "device": self.devices,
            "node": self.nodes,
            "supply": self.supplies,
            "auth": self.auths,
        }
        return objects[kind].get(key)

    def connections_of(self, node: str) -> tuple[PowerConnection, ...]:
        """Return the cords of a node itself, sorted by device and point."""
        return self.feeds.get(node, ())

    def supply_of(self, node: str) -> SharedSupply | None:
        """Return the shared supply of a node."""
        return self._supply_by_node.get(node)

    @cached_property
    def metering(self) -> Mapping[str, str]:
        """Site → digest of what the energy of its nodes is computed with: models, cords, supplies, devices on them."""
        texts: dict[str, list[str]] = defaultdict(list)
        shared: dict[str, list[object]] = defaultdict(list)
        for supply in self.supplies.values():
            for key in supply.nodes:
                shared[key].append((supply.key, supply.split, supply.nodes, supply.feeds))
        models = {key: repr(replace(m, version=0, valid_from_ms=0, valid_to_ms=None)) for key, m in self.models.items()}
        for node in self.nodes.values():
            supplies = shared.get(node.key)
            reporters = [(device.key, device.kind) for device in self.devices_at(node.key)]
            model = models.get(node.model) if node.model else None
            texts[node.site or ""].append(f"{node.key!r} {node.rack!r} {node.feeds} {supplies} {reporters} {model}")
        return {site: sha256("\n".join(found).encode()).hexdigest()[:16] for site, found in texts.items()}

    def unsplit_among(self, nodes: Collection[str]) -> list[SharedSupply]:
        """Return the shared supplies without a split whose nodes are all among these; a sum counts each once, whole."""
        found = {supply.key: supply for node in nodes if (supply := self.supply_of(node))}
        several = [found[key] for key in sorted(found) if found[key].split == "none" and len(found[key].nodes) > 1]
        return [s for s in several if all(node in nodes for node in s.nodes)]

    def powering(self, node: str) -> tuple[PowerConnection, ...]:
        """Return every cord that powers a node: its own and those of its shared supply."""
        supply = self.supply_of(node)
        return self.connections_of(node) + (tuple(f for f in supply.cords if f.node == node) if supply else ())

    def nodes_metered_by(self, devices: Container[str]) -> set[str]:
        """Return the nodes whose power, or a share of it, is measured by some devices."""
        own = {d.node for d in self.devices.values() if d.node and d.key in devices}
        fed = {node for node, feeds in self.feeds.items() if any(f.device in devices for f in feeds)}
        shared = {
            node
            for supply in self.supplies.values()
            if not own.isdisjoint(supply.nodes) or any(f.partition("/")[0] in devices for f in supply.feeds)
            for node in supply.nodes
        }
        return own | fed | shared

    @cached_property
    def _supply_by_node(self) -> Mapping[str, SharedSupply]:
        return {node: supply for supply in self.supplies.values() for node in supply.nodes}

    @cached_property
    def _devices_by_node(self) -> Mapping[str, tuple[Device, ...]]:
        return _grouped(self.devices.values(), lambda device: device.node)

    @cached_property
    def _devices_by_rack(self) -> Mapping[str, tuple[Device, ...]]:
        return _grouped(self.devices.values(), lambda device: device.rack)

    @cached_property
    def _nodes_by_rack(self) -> Mapping[str, tuple[Node, ...]]:
        found = sorted(self.nodes.values(), key=lambda n: (n.position_u or 0, n.key))
        return _grouped(found, lambda node: node.rack)

    def devices_of(self, node: str, *kinds: str) -> tuple[Device, ...]:
        """Return the devices of some kinds (exporters, BMC) that report on a node."""
        return tuple(d for d in self._devices_by_node.get(node, ()) if d.kind in kinds)

    def devices_at(self, node: str) -> tuple[Device, ...]:
        """Return all devices that report on a node."""
        return self._devices_by_node.get(node, ())

    def devices_in_rack(self, rack: str) -> tuple[Device, ...]:
        """Return all devices in a rack."""
        return self._devices_by_rack.get(rack, ())

    @cached_property
    def corded(self) -> frozenset[str]:
        """Every point with a cord, of a node or of a shared supply, as `device/point`."""
        own = {feed.key for feeds in self.feeds.values() for feed in feeds}
        return frozenset(own | {feed for supply in self.supplies.values() for feed in supply.feeds})

    def devices_in(self, rack: str, kind: str) -> tuple[Device, ...]:
        """Return the devices of a kind in a rack."""
        return tuple(d for d in self._devices_by_rack.get(rack, ()) if d.kind == kind)

    def nodes_in(self, rack: str) -> tuple[Node, ...]:
        """Return the nodes of a rack, from the bottom up."""
        return self._nodes_by_rack.get(rack, ())

    def room_of(self, device: Device) -> str | None:
        """Return the room of the rack that a device is in."""
        rack = self.racks.get(device.rack) if device.rack else None
        return rack.room if rack else None

    def feed_of(self, device: Device) -> str | None:
        """Return the feed of a device as `ROOM/FEED`, or `FEED` outside of rooms; None where it has none."""
        room = self.room_of(device)
        return f"{room}/{device.feed}" if room and device.feed else device.feed

    def model_of(self, node: Node | Device) -> Model | None:
        """Return the model of a node or device, if it is known."""
        return self.models.get(node.model) if node.model else None


Thing = TypeVar("Thing")


def _grouped(things: Iterable[Thing], place: Callable[[Thing], str | None]) -> Mapping[str, tuple[Thing, ...]]:
    found: dict[str, list[Thing]] = defaultdict(list)
    for thing in things:
        if (key := place(thing)) is not None:
            found[key].append(thing)
    return {key: tuple(group) for key, group in found.items()}
