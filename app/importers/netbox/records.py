"""Responses of NetBox: `dcim` of the REST API 4.x. Fields that are not read are ignored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.errors import Invalid

_KIND = re.compile(r"/dcim/([a-z-]+)/\d+/?$")
_NO_KEY = re.compile(r"[^A-Za-z0-9._-]+")


class NetBoxRecord(BaseModel):
    """An object with an id; nested objects are brief."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: int
    name: str | None = None
    display: str = ""
    slug: str | None = None

    @property
    def title(self) -> str:
        """Its name; devices may lack one."""
        return self.name or self.display or str(self.id)

    @property
    def key(self) -> str:
        """Its name as a key of the facility."""
        return _NO_KEY.sub("-", self.title).strip("-._")


class NetBoxChoice(BaseModel):
    """A value of a choice list."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    value: str


class NetBoxDevice(NetBoxRecord):
    """A mounted device; `parent_device` has it in a device bay."""

    device_type: NetBoxRecord | None = None
    role: NetBoxRecord | None = None
    site: NetBoxRecord | None = None
    rack: NetBoxRecord | None = None
    position: float | None = None
    parent_device: NetBoxRecord | None = None


class NetBoxRack(NetBoxRecord):
    """A rack and its height."""

    u_height: int | None = None
    site: NetBoxRecord | None = None


class Outlet(NetBoxRecord):
    """A power outlet of a PDU."""

    device: NetBoxRecord


class NetBoxEndpoint(NetBoxRecord):
    """The far end of a cable path."""

    device: NetBoxRecord | None = None


class Cabled(NetBoxRecord):
    """The end of a cable; all far ends are of one type."""

    connected_endpoints: list[NetBoxEndpoint] | None = None
    connected_endpoints_type: str | None = None
    connected_endpoints_reachable: bool | None = None

    def ends(self, kind: str) -> Sequence[NetBoxEndpoint]:
        """Return the far ends of a kind, if the path to them is complete and in use."""
        if self.connected_endpoints_type != kind or self.connected_endpoints_reachable is False:
            return ()
        return self.connected_endpoints or ()


class Port(Cabled):
    """A power port: a PSU of a device, or the inlet of a PDU."""

    device: NetBoxRecord


class NetBoxFeed(Cabled):
    """A circuit of a panel. Three-phase voltages are line to line: its power is V · A · √3."""

    type: NetBoxChoice
    phase: NetBoxChoice
    voltage: float
    amperage: float
    max_utilization: float = Field(default=100.0)


KINDS: Mapping[str, type[NetBoxRecord]] = {
    "devices": NetBoxDevice,
    "racks": NetBoxRack,
    "power-ports": Port,
    "power-outlets": Outlet,
    "power-feeds": NetBoxFeed,
}
"""Path below /api/dcim/ → the record type read from it."""

Kind = TypeVar("Kind", bound=NetBoxRecord)


@dataclass
class Inventory:
    """All records that were read, by path and id."""

    found: dict[str, dict[int, NetBoxRecord]] = field(default_factory=lambda: {kind: {} for kind in KINDS})

    def of(self, kind: str, model: type[Kind]) -> list[Kind]:
        """Return the records of a kind."""
        return [record for record in self.found[kind].values() if isinstance(record, model)]

    def take(self, rows: Iterable[Mapping[str, Any]], where: str, kind: str = "") -> None:
        """Add objects of a response; without a given kind their `url` names it.

        Raises
        ------
        Invalid
            An object is not one of NetBox.
        """
        for i, row in enumerate(rows):
            url = str(row.get("url", "")) if isinstance(row, Mapping) else ""
            match = _KIND.search(url)
            name = kind or (match[1] if match else "")
            if not name:
                hint = f"save the responses of /api/dcim/: {', '.join(KINDS)}"
                raise Invalid(f"{where}: entry {i + 1} is not an object of NetBox", hint, code="not_netbox")
            if name in KINDS:
                record = _read(KINDS[name], row, f"{where}: {name} {i + 1}")
                self.found[name][record.id] = record


def _read(model: type[NetBoxRecord], row: Mapping[str, Any], where: str) -> NetBoxRecord:
    try:
        return model.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        field_ = ".".join(str(part) for part in first["loc"])
        hint = "NetBox 4.x is supported; older versions use another format"
        raise Invalid(f"{where}: {field_}: {first['msg']}", hint, code="not_netbox") from None
