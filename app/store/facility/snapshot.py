"""The facility at one moment, as plain values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeVar


@dataclass(frozen=True, kw_only=True)
class Validity:
    """From when to when (None = now) an object was as it stands here; 0 = since ever.

    `version` numbers the stored versions of all objects of a kind; 0 while not stored. Two objects are equal when
    they say the same, whenever they said it.
    """

    version: int = field(default=0, compare=False)
    valid_from_ms: int = field(default=0, compare=False)
    valid_to_ms: int | None = field(default=None, compare=False)


@dataclass(frozen=True, kw_only=True)
class Keyed(Validity):
    """A thing with a key, unique among its kind in one instance, and a free label."""

    key: str
    label: str | None = None

    @property
    def title(self) -> str:
        """What people read: the label, else the key."""
        return self.label or self.key


@dataclass(frozen=True, kw_only=True)
class Site(Keyed):
    """A place with one time zone."""

    timezone: str | None = None


@dataclass(frozen=True, kw_only=True)
class Room(Keyed):
    """A hall or a lab."""

    site: str | None = None


@dataclass(frozen=True, kw_only=True)
class Rack(Keyed):
    """A rack; `capacity_w` is what its supply may carry."""

    site: str | None = None
    room: str | None = None
    row: str | None = None
    position: int | None = None
    capacity_w: float | None = None
    height_u: int | None = None


@dataclass(frozen=True, kw_only=True)
class Model(Keyed):
    """A kind of node or device: nameplate, budget, control run and idle power [W]; what of it jobs can share."""

    rated_w: float | None = None
    budget_w: float | None = None
    control_w: float | None = None
    idle_w: float | None = None
    gpus: int | None = None
    gpu_tdp_w: float | None = None
    gpu_slices: int | None = None
    cores: int | None = None
    height_u: int | None = None


@dataclass(frozen=True)
class Breaker:
    """Where current stops. `volts` is line to line where `phases` is 3; `derating` is applied once."""

    amps: float
    phases: int = 1
    volts: float | None = None
    derating: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Device(Keyed):
    """What a collector talks to; without an address it is fed by imports or ingest.

    Attributes
    ----------
    kind: pdu, meter, exporter, bmc or ups.
    branches: the points `device/point` of a branch meter that together measure what enters it, sorted.
    node: the server this exporter or BMC reports on.
    """

    kind: str = "pdu"
    site: str | None = None
    rack: str | None = None
    profile: str | None = None
    address: str | None = None
    auth: str | None = None
    interval_s: float | None = None
    timeout_s: float | None = None
    feed: str | None = None
    breaker: Breaker | None = None
    branches: tuple[str, ...] = ()
    node: str | None = None
    model: str | None = None


@dataclass(frozen=True, kw_only=True)
class Node(Keyed):
    """A server; `feeds` are the points `device/point` that power it, sorted."""

    site: str | None = None
    rack: str | None = None
    model: str | None = None
    position_u: int | None = None
    height_u: int | None = None
    exporters: tuple[str, ...] = ()
    bmc: str | None = None
    feeds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Psus:
    """Power supply units: `n` carry the load, `m` more are there for when some fail."""

    n: int
    m: int = 0


Split = Literal["bmc", "equal", "none"]


@dataclass(frozen=True, kw_only=True)
class SharedSupply(Keyed):
    """What powers several nodes together: a multi-node chassis, a power shelf, a busbar.

    Attributes
    ----------
    feeds: the points `device/point` that power it, sorted.
    split: how its power is divided among its nodes: by their BMCs' readings, equally, or not at all.
    """

    site: str | None = None
    nodes: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    psus: Psus | None = None
    split: Split = "none"

    @property
    def cords(self) -> tuple[PowerConnection, ...]:
        """Its feeds, for each of its nodes, with its validity."""
        return tuple(
            PowerConnection(
                node=node,
                device=feed.partition("/")[0],
                point=feed.partition("/")[2],
                valid_from_ms=self.valid_from_ms,
                valid_to_ms=self.valid_to_ms,
            )
            for node in self.nodes
            for feed in self.feeds
        )


@dataclass(frozen=True, kw_only=True)
class Auth(Keyed):
    """How to sign in at devices: references to secrets, never the secrets."""

    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PowerConnection(Validity):
    """A cord: this point of this device powers this node."""

    node: str
    device: str
    point: str

    @property
    def key(self) -> str:
        """`device/point`."""
        return f"{self.device}/{self.point}"


FacilityObject = Site | Room | Rack | Model | Device | Node | SharedSupply | Auth


@dataclass(frozen=True, eq=False)
class Facility:
    """Everything that stood at one moment, by key, in the order of the keys."""

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
        """An object by kind (site, room, rack, model, device, node, supply, auth) and key."""
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

    def feeds_of(self, node: str) -> tuple[PowerConnection, ...]:
        """The cords of a node itself, sorted by device and point."""
        return self.feeds.get(node, ())

    def supply_of(self, node: str) -> SharedSupply | None:
        """The supply a node shares with others."""
        return self._supply_by_node.get(node)

    def unsplit_among(self, nodes: Container[str]) -> list[SharedSupply]:
        """The supplies that no rule divides, all of whose nodes are among these: in a sum each counts whole, once."""
        several = [s for s in self.supplies.values() if s.split == "none" and len(s.nodes) > 1]
        return [s for s in several if all(node in nodes for node in s.nodes)]

    def powering(self, node: str) -> tuple[PowerConnection, ...]:
        """Every cord that brings a node power: its own, and those of the supply it shares."""
        supply = self.supply_of(node)
        return self.feeds_of(node) + (tuple(f for f in supply.cords if f.node == node) if supply else ())

    def told_by(self, devices: Container[str]) -> set[str]:
        """The nodes whose power the readings of some devices tell, or a share of it."""
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
        """The devices of some kinds, exporters or the BMC, that report on a node."""
        return tuple(d for d in self._devices_by_node.get(node, ()) if d.kind in kinds)

    def devices_in(self, rack: str, kind: str) -> tuple[Device, ...]:
        """The devices of a kind that stand in a rack."""
        return tuple(d for d in self._devices_by_rack.get(rack, ()) if d.kind == kind)

    def nodes_in(self, rack: str) -> tuple[Node, ...]:
        """The nodes of a rack, from the bottom up."""
        return self._nodes_by_rack.get(rack, ())

    def model_of(self, node: Node | Device) -> Model | None:
        """The model a node or device names, if it is known."""
        return self.models.get(node.model) if node.model else None


Thing = TypeVar("Thing")


def _grouped(things: Iterable[Thing], place: Callable[[Thing], str | None]) -> Mapping[str, tuple[Thing, ...]]:
    found: dict[str, list[Thing]] = defaultdict(list)
    for thing in things:
        if (key := place(thing)) is not None:
            found[key].append(thing)
    return {key: tuple(group) for key, group in found.items()}
