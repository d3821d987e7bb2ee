"""Build objects from what is written about them, and describe them in the same keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from app.models import OBJECTS, Entry, values_of
from app.services.facility.schema import SITED, TABLES, AuthEntry
from app.store.facility import Device, Facility, FacilityObject, Node, Validity
from collectors.contract import Address

KINDS: dict[type[FacilityObject], str] = {class_: kind for kind, class_ in OBJECTS.items()}
PLURALS = {kind: "supplies" if kind == "supply" else f"{kind}s" for kind in TABLES}
"""Kind of object → its plural in URLs."""
INTERVAL_S = 10.0
TIMEOUT_S = 3.0
_KIND_BY_SCHEME = {"snmp": "pdu", "http": "exporter", "https": "exporter", "redfish": "bmc", "ipmi": "bmc"}
_VALIDITY = frozenset(field.name for field in fields(Validity))


def by_key(facility: Facility, kind: str) -> Mapping[str, FacilityObject]:
    """Return all objects of a kind."""
    found: Mapping[str, FacilityObject] = getattr(facility, PLURALS[kind])
    return found


def build(kind: str, key: str, entry: Entry, site: str | None) -> FacilityObject:
    """Return the object that an entry describes, completed with what follows from it."""
    values = values_of(OBJECTS[kind], entry)
    if isinstance(entry, AuthEntry):
        values["settings"] = entry.model_dump(exclude={"key", "label"}, exclude_none=True)
    if kind == "device":
        values |= _followed(values)
    if kind in SITED:
        values["site"] = site
    return OBJECTS[kind](key=key, label=getattr(entry, "label", None), **values)


def _followed(device: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a device that follow from its address if they are not written."""
    address = device["address"]
    if not address:
        return {"kind": device["kind"] or "meter"}
    return {
        "kind": device["kind"] or _KIND_BY_SCHEME.get(Address.parse(address).scheme, "meter"),
        "profile": device["profile"] or "auto",
        "interval_s": float(device["interval_s"] or INTERVAL_S),
        "timeout_s": float(device["timeout_s"] or TIMEOUT_S),
    }


def describe(thing: FacilityObject) -> dict[str, Any]:
    """Return an object as the keys and values that would be written."""
    described = {name: value for name, value in asdict(thing).items() if name not in _VALIDITY}
    described |= described.pop("settings", {})
    return {name: list(value) if isinstance(value, tuple) else value for name, value in described.items()}


def made_devices(node: Node) -> list[Device]:
    """Return the devices that follow from a node's `exporters` and `bmc`."""
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
    """Return the node from whose `exporters` or `bmc` a device follows."""
    node = facility.nodes.get(device.node) if device.node else None
    if node is None or device.key not in {made.key for made in made_devices(node)}:
        return None
    return node
