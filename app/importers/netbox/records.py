"""NetBox's answers as far as they are read: `dcim` of the REST API, 4.x. What is not read may be anything."""

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
    """Anything with an id; nested ones come in brief."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: int
    name: str | None = None
    display: str = ""
    slug: str | None = None

    @property
    def title(self) -> str:
        """Its name; devices may have none."""
        return self.name or self.display or str(self.id)

    @property
    def key(self) -> str:
        """Its name as a key of ours."""
        return _NO_KEY.sub("-", self.title).strip("-._")


class NetBoxChoice(BaseModel):
    """A value out of a list."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    value: str


class NetBoxDevice(NetBoxRecord):
    """Anything mounted; `parent_device` holds it in a device bay."""

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
    """What a cable ends at; the far ends are all of one type."""

    connected_endpoints: list[NetBoxEndpoint] | None = None
    connected_endpoints_type: str | None = None
    connected_endpoints_reachable: bool | None = None

    def ends(self, kind: str) -> Sequence[NetBoxEndpoint]:
        """The far ends of a kind, if the path to them is complete and in use."""
        if self.connected_endpoints_type != kind or self.connected_endpoints_reachable is False:
            return ()
        return self.connected_endpoints or ()


class Port(Cabled):
    """A power port: a PSU of a device, or the inlet of a PDU."""

    device: NetBoxRecord


class NetBoxFeed(Cabled):
    """A circuit out of a panel. Three-phase voltages are line to line: its power is V · A · √3."""

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
"""Path below /api/dcim/ → what is read there."""

Kind = TypeVar("Kind", bound=NetBoxRecord)


@dataclass
class Inventory:
    """Everything that was read, by path and id."""

    found: dict[str, dict[int, NetBoxRecord]] = field(default_factory=lambda: {kind: {} for kind in KINDS})

    def of(self, kind: str, model: type[Kind]) -> list[Kind]:
        """The records of a kind."""
        return [record for record in self.found[kind].values() if isinstance(record, model)]

    def take(self, rows: Iterable[Mapping[str, Any]], where: str, kind: str = "") -> None:
        """Read some objects of an answer; each names its kind by its `url` where that is not said.

        Raises
        ------
        Invalid
            One of them is not what NetBox would send.
        """
        for i, row in enumerate(rows):
            url = str(row.get("url", "")) if isinstance(row, Mapping) else ""
            match = _KIND.search(url)
            name = kind or (match[1] if match else "")
            if not name:
                hint = f"save the answers of /api/dcim/: {', '.join(KINDS)}"
                raise Invalid(f"{where}: entry {i + 1} is no object of NetBox", hint, code="not_netbox")
            if name in KINDS:
                record = _read(KINDS[name], row, f"{where}: {name} {i + 1}")
                self.found[name][record.id] = record


def _read(model: type[NetBoxRecord], row: Mapping[str, Any], where: str) -> NetBoxRecord:
    try:
        return model.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        field_ = ".".join(str(part) for part in first["loc"])
        hint = "this reads NetBox 4.x; an older one answers otherwise"
        raise Invalid(f"{where}: {field_}: {first['msg']}", hint, code="not_netbox") from None
