"""From what is written about an object to the object, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any
from urllib.parse import urlsplit

from app.services.facility.schema import (
    AuthEntry,
    DeviceEntry,
    FacilityEntry,
    ModelEntry,
    NodeEntry,
    RackEntry,
    RoomEntry,
    SiteEntry,
    SupplyEntry,
)
from app.store.facility import (
    Auth,
    Breaker,
    Device,
    Facility,
    FacilityObject,
    Model,
    Node,
    Psus,
    Rack,
    Room,
    SharedSupply,
    Site,
    Validity,
)

TABLES = {
    "site": "site",
    "room": "rooms",
    "rack": "racks",
    "model": "models",
    "device": "devices",
    "node": "nodes",
    "supply": "supplies",
    "auth": "auth",
}
"""Kind of object → its table in the facility file, in the order in which they refer to each other."""

KINDS: dict[type[FacilityObject], str] = {
    Site: "site",
    Room: "room",
    Rack: "rack",
    Model: "model",
    Device: "device",
    Node: "node",
    SharedSupply: "supply",
    Auth: "auth",
}
PLURALS = {kind: "supplies" if kind == "supply" else f"{kind}s" for kind in TABLES}
"""Kind of object → what many of them are called in addresses."""
INTERVAL_S = 10.0
TIMEOUT_S = 3.0
_KIND_BY_SCHEME = {"snmp": "pdu", "http": "exporter", "https": "exporter", "redfish": "bmc", "ipmi": "bmc"}
_VALIDITY = frozenset(field.name for field in fields(Validity))


def by_key(facility: Facility, kind: str) -> Mapping[str, FacilityObject]:
    """All objects of a kind."""
    found: Mapping[str, FacilityObject] = getattr(facility, PLURALS[kind])
    return found


def build(kind: str, key: str, entry: FacilityEntry, site: str | None) -> FacilityObject:
    """The object that an entry of this kind describes, with what follows from it filled in."""
    return _MAKERS[kind](key, entry, site)


def _given(entry: FacilityEntry) -> dict[str, Any]:
    """The fields of an entry, without the key and site that a request's body carries beside them."""
    return entry.model_dump(exclude={"key", "site"})


def _site(key: str, entry: SiteEntry, _: str | None) -> Site:
    return Site(key=key, label=entry.label, timezone=entry.timezone)


def _room(key: str, entry: RoomEntry, site: str | None) -> Room:
    return Room(key=key, label=entry.label, site=site)


def _rack(key: str, entry: RackEntry, site: str | None) -> Rack:
    return Rack(key=key, site=site, **_given(entry))


def _model(key: str, entry: ModelEntry, _: str | None) -> Model:
    return Model(key=key, **_given(entry))


def _device(key: str, entry: DeviceEntry, site: str | None) -> Device:
    given = _given(entry)
    scheme = urlsplit(entry.address).scheme if entry.address else ""
    given["kind"] = entry.kind or _KIND_BY_SCHEME.get(scheme, "meter")
    given["breaker"] = Breaker(**given["breaker"]) if entry.breaker else None
    given["branches"] = tuple(sorted(set(entry.branches)))
    if entry.address:
        given["profile"] = entry.profile or "auto"
        given["interval_s"] = float(entry.interval_s or INTERVAL_S)
        given["timeout_s"] = float(entry.timeout_s or TIMEOUT_S)
    return Device(key=key, site=site, **given)


def _node(key: str, entry: NodeEntry, site: str | None) -> Node:
    given = _given(entry)
    given["feeds"] = tuple(sorted(set(entry.feeds)))
    given["exporters"] = tuple(entry.exporters)
    return Node(key=key, site=site, **given)


def _supply(key: str, entry: SupplyEntry, site: str | None) -> SharedSupply:
    given = _given(entry)
    given["nodes"] = tuple(sorted(set(entry.nodes)))
    given["feeds"] = tuple(sorted(set(entry.feeds)))
    given["psus"] = Psus(**given["psus"]) if entry.psus else None
    return SharedSupply(key=key, site=site, **given)


def _auth(key: str, entry: AuthEntry, _: str | None) -> Auth:
    settings = {name: value for name, value in _given(entry).items() if name != "label" and value is not None}
    return Auth(key=key, label=entry.label, settings=settings)


_MAKERS: dict[str, Callable[[str, Any, str | None], FacilityObject]] = {
    "site": _site,
    "room": _room,
    "rack": _rack,
    "model": _model,
    "device": _device,
    "node": _node,
    "supply": _supply,
    "auth": _auth,
}


def describe(thing: FacilityObject) -> dict[str, Any]:
    """The keys of an object as one would write them."""
    described = {name: value for name, value in asdict(thing).items() if name not in _VALIDITY}
    described |= described.pop("settings", {})
    return {name: list(value) if isinstance(value, tuple) else value for name, value in described.items()}


def made_devices(node: Node) -> list[Device]:
    """The devices that a node's `exporters` and `bmc` stand for."""
    addresses = {
        f"{node.key}-exporter" + (f"-{i}" if i > 1 else ""): ("exporter", address)
        for i, address in enumerate(node.exporters, start=1)
    }
    if node.bmc:
        addresses[f"{node.key}-bmc"] = ("bmc", node.bmc)
    return [
        Device(
            key=key,
            kind=kind,
            site=node.site,
            rack=node.rack,
            profile="auto",
            address=address,
            interval_s=INTERVAL_S,
            timeout_s=TIMEOUT_S,
            node=node.key,
        )
        for key, (kind, address) in addresses.items()
    ]


def maker_of(facility: Facility, device: Device) -> Node | None:
    """The node whose `exporters` or `bmc` made this device."""
    node = facility.nodes.get(device.node) if device.node else None
    if node is None or device.key not in {made.key for made in made_devices(node)}:
        return None
    return node
