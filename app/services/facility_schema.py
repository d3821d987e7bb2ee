"""What may be written about a facility: the keys of each kind, their types and ranges.

The facility file and the API read their objects through these models, so both know the same keys and make the
same checks. A field's description is the way out that a mistake in it shows.
"""

from __future__ import annotations

import re
import zoneinfo
from datetime import datetime
from functools import cache
from typing import Annotated, Literal
from urllib.parse import SplitResult, parse_qs, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from app.errors import Invalid
from collectors.frame import NAME, PATH

_REFERENCE = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]*|file:.+")
_SCHEMES = ("snmp", "modbus", "http", "https")


def wrong(what: str, way_out: str) -> PydanticCustomError:
    """A mistake in our words."""
    return PydanticCustomError("wattline", "{what}; {way_out}", {"what": what, "way_out": way_out})


def _name(text: str) -> str:
    if not NAME.fullmatch(text):
        raise wrong("not a name", "use letters, digits, . _ and -, beginning with a letter or digit")
    return text


@cache
def _zones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())


def _zone(text: str) -> str:
    if text not in _zones():
        raise wrong("unknown time zone", "use an IANA name like Europe/Berlin or UTC")
    return text


def _reference(text: str) -> str:
    if not _REFERENCE.fullmatch(text):
        raise wrong("a secret may not stand here", "refer to it: env:NAME (environment variable) or file:PATH")
    return text


def _url(text: str, schemes: tuple[str, ...]) -> SplitResult:
    known = ", ".join(f"{scheme}://" for scheme in schemes)
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError:
        raise wrong("not an address", "write SCHEME://HOST:PORT with a port from 1 to 65535") from None
    if url.scheme not in schemes:
        raise wrong("unknown scheme" if "://" in text else "no scheme", f"begin with one of {known}")
    if not url.hostname or re.search(r"\s", text):
        raise wrong("no host", f"write {url.scheme}://HOST:PORT")
    if port == 0:
        raise wrong("port 0", "write a port from 1 to 65535")
    if "@" in url.netloc:
        raise wrong("credentials do not belong into an address", "name an auth and put env: or file: references there")
    return url


def _address(text: str) -> str:
    url = _url(text, _SCHEMES)
    if url.scheme in ("snmp", "modbus") and (url.path not in ("", "/") or url.fragment):
        raise wrong("a path after the host", f"write {url.scheme}://HOST:PORT")
    if url.scheme == "snmp" and url.query:
        raise wrong("an option after the host", "community and version belong to an auth")
    if url.scheme == "modbus" and url.query:
        unit = parse_qs(url.query).get("unit", [""])[0]
        if not re.fullmatch(r"unit=\d{1,3}", url.query) or int(unit) > 255:
            raise wrong("bad option", "write modbus://HOST:PORT?unit=N with N from 0 to 255")
    return text


def _web(text: str) -> str:
    _url(text, ("http", "https"))
    return text


def _feed(text: str) -> str:
    device, _, point = text.partition("/")
    if ":" in point:
        raise wrong("names a quantity", f"name the point alone: {text.partition(':')[0]}")
    if not NAME.fullmatch(device) or not PATH.fullmatch(point):
        raise wrong("not a point", "write device/point, like pdu-r07-a/outlet/12")
    return text


def _point(text: str) -> str:
    if not PATH.fullmatch(text):
        raise wrong("not a point", "write it like outlet/12")
    return text


def _moment(text: str) -> str:
    moment_ms(text)
    return text


def moment_ms(text: str) -> int:
    """RFC 3339 with an offset → UTC [ms since the epoch]."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise wrong("not a moment", "write it like 2026-03-01T08:00:00Z") from None
    if moment.tzinfo is None:
        raise wrong("a moment without its zone", f"write it like {moment:%Y-%m-%dT%H:%M:%S}Z or with +01:00")
    return round(moment.timestamp() * 1000)


def effective_ms(text: str | None) -> int | None:
    """The moment a change counts from: RFC 3339 or milliseconds since the epoch; None (now) for nothing.

    Raises
    ------
    Invalid
    """
    if not text:
        return None
    if re.fullmatch(r"\d{1,15}", text):
        return int(text)
    try:
        return moment_ms(text)
    except PydanticCustomError as error:
        what, way_out = (error.context or {}).values()
        raise Invalid(f"effective = {text!r}: {what}", way_out, code="bad_moment") from None


Name = Annotated[str, AfterValidator(_name)]
Label = Annotated[str | None, StringConstraints(max_length=200)]
Watts = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Units = Annotated[int, Field(ge=1, le=100)]
Secret = Annotated[str, AfterValidator(_reference)]
Feed = Annotated[str, AfterValidator(_feed)]
Kind = Literal["pdu", "meter", "exporter", "bmc", "ups"]


class Entry(BaseModel):
    """What all objects have. Unknown keys are mistakes; text is not taken for a number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    label: Label = Field(default=None, description="free text for people")


class SiteEntry(Entry):
    """A place with one time zone."""

    timezone: Annotated[str, AfterValidator(_zone)] = Field(default="UTC", description="IANA name, e.g. Europe/Berlin")


class RoomEntry(Entry):
    """A hall or a lab."""


class RackEntry(Entry):
    """A rack and what its supply may carry."""

    room: Name | None = Field(default=None, description="key of the room it stands in")
    row: str | None = Field(default=None, description="name of its row, in quotes")
    position: int | None = Field(default=None, ge=0, description="place in its row, counted from one end")
    capacity_w: Watts | None = Field(default=None, description="what its supply may carry in watts, e.g. 70000")
    height_u: Units = Field(default=42, description="height in rack units, e.g. 42")


class ModelEntry(Entry):
    """Nameplate and budget of a kind of node."""

    rated_w: Watts = Field(description="nameplate power in watts, e.g. 10200")
    budget_w: Watts | None = Field(default=None, description="power reserved for one in watts")
    control_w: Watts | None = Field(default=None, description="power of a control run (GPU + CPU burn) in watts")
    idle_w: Watts | None = Field(default=None, description="power without any job in watts")
    gpus: int | None = Field(default=None, ge=0, le=1024, description="how many GPUs it holds")
    height_u: Units | None = Field(default=None, description="height in rack units, e.g. 8")


class Breaker(BaseModel):
    """The protection of a circuit."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    amps: float = Field(gt=0, le=10_000, allow_inf_nan=False, description="rating per line in amperes, e.g. 50")
    phases: Literal[1, 3] = Field(description="3 for three-phase")
    volts: float = Field(
        gt=0,
        le=50_000,
        allow_inf_nan=False,
        description="volts across the circuit, line to line if three-phase, e.g. 208",
    )
    derating: float = Field(
        default=1.0, gt=0, le=1, allow_inf_nan=False, description="0.8 where the code asks for it (NEC), else 1.0"
    )


class DeviceEntry(Entry):
    """What a collector talks to; without an address it is fed by import or ingest."""

    kind: Kind | None = Field(default=None, description="follows from the address if left out; without address: meter")
    profile: Name | None = Field(default=None, description="name of a device profile, or auto")
    address: Annotated[str, AfterValidator(_address)] | None = Field(
        default=None, description="snmp://HOST:PORT, modbus://HOST:PORT?unit=N or http(s)://HOST:PORT/PATH"
    )
    auth: Name | None = Field(default=None, description="key of an auth")
    interval_s: Seconds | None = Field(default=None, description="seconds between two polls, e.g. 10")
    timeout_s: Seconds | None = Field(default=None, description="seconds to wait for an answer, e.g. 3")
    rack: Name | None = Field(default=None, description="key of the rack it stands in")
    feed: str | None = Field(
        default=None, min_length=1, max_length=20, description='the supply it belongs to, e.g. "A"'
    )
    breaker: Breaker | None = Field(default=None, description="{ amps = 50, phases = 3, volts = 208, derating = 0.8 }")
    node: Name | None = Field(default=None, description="key of the node it reads, for an exporter or a BMC")
    model: Name | None = Field(default=None, description="key of a model")


class NodeEntry(Entry):
    """A server, and the points that power it."""

    model: Name | None = Field(default=None, description="key of a model")
    rack: Name | None = Field(default=None, description="key of the rack it stands in")
    position_u: Units | None = Field(default=None, description="its lowest rack unit, counted from 1 at the bottom")
    height_u: Units | None = Field(default=None, description="height in rack units; left out: that of its model")
    feeds: list[Feed] = Field(default_factory=list, description='every point that powers it: ["pdu-a/outlet/1"]')
    exporters: list[Annotated[str, AfterValidator(_web)]] = Field(
        default_factory=list, description='addresses of its exporters: ["http://HOST:9400/metrics"]'
    )
    bmc: Annotated[str, AfterValidator(_web)] | None = Field(default=None, description="https://HOST of its BMC")


class AuthEntry(Entry):
    """How to sign in at devices: references to secrets, never the secrets."""

    snmp: Literal["1", "2c", "3"] | None = Field(default=None, description='SNMP version in quotes: "1", "2c" or "3"')
    community: Secret | None = Field(default=None, description="env:NAME or file:PATH")
    user: str | None = Field(default=None, min_length=1, description="user name of SNMPv3 or of a web interface")
    auth: Literal["sha1", "sha224", "sha256", "sha384", "sha512"] | None = Field(
        default=None, description="how SNMPv3 signs"
    )
    auth_password: Secret | None = Field(default=None, description="env:NAME or file:PATH")
    priv: Literal["aes128", "aes192", "aes256"] | None = Field(default=None, description="how SNMPv3 encrypts")
    priv_password: Secret | None = Field(default=None, description="env:NAME or file:PATH")
    password: Secret | None = Field(default=None, description="env:NAME or file:PATH")
    token: Secret | None = Field(default=None, description="env:NAME or file:PATH")
    ca: str | None = Field(default=None, min_length=1, description="path of the CA file of a web interface")

    @model_validator(mode="after")
    def _complete(self) -> AuthEntry:
        if self.snmp in ("1", "2c") and self.community is None:
            raise wrong(f"SNMP {self.snmp} without community", 'add community = "env:NAME"')
        if self.snmp == "3" and self.user is None:
            raise wrong("SNMPv3 without user", 'add user = "NAME"')
        for kind in ("auth", "priv"):
            given = [name for name in (kind, f"{kind}_password") if getattr(self, name) is not None]
            if len(given) == 1:
                missing = f"{kind}_password" if given == [kind] else kind
                raise wrong(f"{given[0]} without {missing}", f"add {missing}")
        if self.priv and not self.auth:
            raise wrong("encryption without authentication", "add auth and auth_password")
        return self


class FileSite(SiteEntry):
    """The site that everything in a file belongs to."""

    key: Name = Field(description="short name of the site")


class CordRow(BaseModel):
    """One line of the cords table."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    node: Name = Field(min_length=1, description="key of the node it powers")
    device: Name = Field(min_length=1, description="key of the device it is plugged into")
    point: Annotated[str, AfterValidator(_point)] = Field(min_length=1, description="where, like outlet/12")
    valid_from: Annotated[str, AfterValidator(_moment)] | None = Field(
        default=None, description="when it was plugged in, like 2026-03-01T08:00:00Z"
    )


class FacilityFile(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    cords: str | None = Field(default=None, min_length=1, description="name of a CSV file beside this one")
    site: FileSite | None = Field(default=None, description='[site] with key = "…" names the site of all this')
    rooms: dict[Name, RoomEntry] = Field(default_factory=dict, description="tables are written [rooms.KEY]")
    racks: dict[Name, RackEntry] = Field(default_factory=dict, description="tables are written [racks.KEY]")
    models: dict[Name, ModelEntry] = Field(default_factory=dict, description="tables are written [models.KEY]")
    devices: dict[Name, DeviceEntry] = Field(default_factory=dict, description="tables are written [devices.KEY]")
    nodes: dict[Name, NodeEntry] = Field(default_factory=dict, description="tables are written [nodes.KEY]")
    auth: dict[Name, AuthEntry] = Field(default_factory=dict, description="tables are written [auth.KEY]")


ENTRIES: dict[str, type[Entry]] = {
    "site": SiteEntry,
    "room": RoomEntry,
    "rack": RackEntry,
    "model": ModelEntry,
    "device": DeviceEntry,
    "node": NodeEntry,
    "auth": AuthEntry,
}
"""Kind of object → what may be written about it."""
