"""The facility at one moment, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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
    """A kind of node or device: nameplate, budget, control run and idle power [W]."""

    rated_w: float | None = None
    budget_w: float | None = None
    control_w: float | None = None
    idle_w: float | None = None
    gpus: int | None = None
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


@dataclass(frozen=True, kw_only=True)
class Auth(Keyed):
    """How to sign in at devices: references to secrets, never the secrets."""

    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Feed(Validity):
    """A cord: this point of this device powers this node."""

    node: str
    device: str
    point: str

    @property
    def key(self) -> str:
        """`device/point`."""
        return f"{self.device}/{self.point}"


FacilityObject = Site | Room | Rack | Model | Device | Node | Auth


@dataclass(frozen=True, eq=False)
class Facility:
    """Everything that stood at one moment, by key, in the order of the keys."""

    sites: Mapping[str, Site]
    rooms: Mapping[str, Room]
    racks: Mapping[str, Rack]
    models: Mapping[str, Model]
    devices: Mapping[str, Device]
    nodes: Mapping[str, Node]
    auths: Mapping[str, Auth]
    feeds: Mapping[str, tuple[Feed, ...]]

    def get(self, kind: str, key: str) -> FacilityObject | None:
        """An object by kind (site, room, rack, model, device, node, auth) and key."""
        objects: Mapping[str, Mapping[str, FacilityObject]] = {
            "site": self.sites,
            "room": self.rooms,
            "rack": self.racks,
            "model": self.models,
            "device": self.devices,
            "node": self.nodes,
            "auth": self.auths,
        }
        return objects[kind].get(key)

    def feeds_of(self, node: str) -> tuple[Feed, ...]:
        """The cords of a node, sorted by device and point."""
        return self.feeds.get(node, ())

    def devices_of(self, node: str, kind: str) -> tuple[Device, ...]:
        """The exporters or the BMC that report on a node."""
        return tuple(d for d in self.devices.values() if d.node == node and d.kind == kind)

    def nodes_in(self, rack: str) -> tuple[Node, ...]:
        """The nodes of a rack, from the bottom up."""
        found = [n for n in self.nodes.values() if n.rack == rack]
        return tuple(sorted(found, key=lambda n: (n.position_u or 0, n.key)))

    def model_of(self, node: Node | Device) -> Model | None:
        """The model a node or device names, if it is known."""
        return self.models.get(node.model) if node.model else None
