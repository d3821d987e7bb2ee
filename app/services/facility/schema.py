"""What may be written about a facility: the keys of each kind, their types and ranges.

The facility file and the API read their objects through these models, so both know the same keys and make the
same checks. A field's description is the way out that a mistake in it shows.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from app.services.facility.values import (
    Address,
    BmcAddress,
    EngineId,
    Feed,
    Kind,
    Label,
    Moment,
    Name,
    Point,
    Seconds,
    Secret,
    Units,
    Watts,
    WebAddress,
    Zone,
    wrong,
)


class FacilityEntry(BaseModel):
    """What all objects have. Unknown keys are mistakes; text is not taken for a number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    label: Label = Field(default=None, description="free text for people")


class SiteEntry(FacilityEntry):
    """A place with one time zone."""

    timezone: Zone = Field(default="UTC", description="IANA name, e.g. Europe/Berlin")


class RoomEntry(FacilityEntry):
    """A hall or a lab."""


class RackEntry(FacilityEntry):
    """A rack and what its supply may carry."""

    room: Name | None = Field(default=None, description="key of the room it stands in")
    row: str | None = Field(default=None, description="name of its row, in quotes")
    position: int | None = Field(default=None, ge=0, description="place in its row, counted from one end")
    capacity_w: Watts | None = Field(default=None, description="what its supply may carry in watts, e.g. 70000")
    height_u: Units = Field(default=42, description="height in rack units, e.g. 42")


class ModelEntry(FacilityEntry):
    """Nameplate and budget of a kind of node."""

    rated_w: Watts = Field(description="nameplate power in watts, e.g. 10200")
    budget_w: Watts | None = Field(default=None, description="power reserved for one in watts")
    control_w: Watts | None = Field(default=None, description="power of a control run (GPU + CPU burn) in watts")
    idle_w: Watts | None = Field(default=None, description="power without any job in watts")
    gpus: int | None = Field(default=None, ge=0, le=1024, description="how many GPUs it holds")
    gpu_tdp_w: Watts | None = Field(default=None, description="rated power of one GPU in watts, e.g. 700")
    gpu_slices: int | None = Field(
        default=None, ge=1, le=64, description="compute slices of one GPU (MIG), 7 unless told; A30: 4"
    )
    cores: int | None = Field(
        default=None, ge=1, le=65536, description="all its cores, counted as jobs count theirs (Slurm: CPUs), e.g. 128"
    )
    height_u: Units | None = Field(default=None, description="height in rack units, e.g. 8")


class BreakerKeys(BaseModel):
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


class DeviceEntry(FacilityEntry):
    """What a collector talks to; without an address it is fed by import or ingest."""

    kind: Kind | None = Field(default=None, description="follows from the address if left out; without address: meter")
    profile: Name | None = Field(default=None, description="name of a device profile, or auto")
    address: Address | None = Field(
        default=None,
        description="snmp://HOST, modbus://HOST?unit=N, modbus+serial:///dev/NAME?unit=N, http(s)://HOST:PORT/PATH, "
        "redfish://HOST, ipmi://HOST, scpi://HOST:PORT or vxi11://HOST",
    )
    auth: Name | None = Field(default=None, description="key of an auth")
    interval_s: Seconds | None = Field(default=None, description="seconds between two polls, e.g. 10")
    timeout_s: Seconds | None = Field(default=None, description="seconds to wait for an answer, e.g. 3")
    rack: Name | None = Field(default=None, description="key of the rack it stands in")
    feed: str | None = Field(
        default=None, min_length=1, max_length=20, description='the supply it belongs to, e.g. "A"'
    )
    breaker: BreakerKeys | None = Field(
        default=None, description="{ amps = 50, phases = 3, volts = 208, derating = 0.8 }"
    )
    branches: list[Feed] = Field(
        default_factory=list, description='points of a branch meter that measure what enters it: ["bcm-1/branch/7"]'
    )
    node: Name | None = Field(default=None, description="key of the node it reads, for an exporter or a BMC")
    model: Name | None = Field(default=None, description="key of a model")


class NodeEntry(FacilityEntry):
    """A server, and the points that power it."""

    model: Name | None = Field(default=None, description="key of a model")
    rack: Name | None = Field(default=None, description="key of the rack it stands in")
    position_u: Units | None = Field(default=None, description="its lowest rack unit, counted from 1 at the bottom")
    height_u: Units | None = Field(default=None, description="height in rack units; left out: that of its model")
    feeds: list[Feed] = Field(default_factory=list, description='every point that powers it: ["pdu-a/outlet/1"]')
    exporters: list[WebAddress] = Field(
        default_factory=list, description='addresses of its exporters: ["http://HOST:9400/metrics"]'
    )
    bmc: BmcAddress | None = Field(default=None, description="https://HOST, redfish://HOST or ipmi://HOST of its BMC")


class PsusKeys(BaseModel):
    """The power supply units of a supply."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    n: int = Field(ge=1, le=100, description="how many carry the load, e.g. 2")
    m: int = Field(default=0, ge=0, le=100, description="how many more are there for when some fail, e.g. 2")


class SupplyEntry(FacilityEntry):
    """What powers several nodes together: a multi-node chassis, a power shelf, a busbar."""

    nodes: list[Name] = Field(min_length=1, description='the nodes it powers: ["c1-n1", "c1-n2"]')
    feeds: list[Feed] = Field(min_length=1, description='every point that powers it: ["pdu-a/outlet/1"]')
    psus: PsusKeys | None = Field(default=None, description="{ n = 2, m = 2 }")
    split: Literal["bmc", "equal", "none"] = Field(
        default="none", description='how its power is divided: by the nodes\' "bmc", "equal" shares, or "none"'
    )


class AuthEntry(FacilityEntry):
    """How to sign in at devices: references to secrets, never the secrets."""

    snmp: Literal["1", "2c", "3"] | None = Field(default=None, description='SNMP version in quotes: "1", "2c" or "3"')
    community: Secret | None = Field(default=None, description="env:NAME or file:PATH")
    user: str | None = Field(default=None, min_length=1, description="user name of SNMPv3 or of a web interface")
    auth: Literal["sha1", "sha224", "sha256", "sha384", "sha512", "md5"] | None = Field(
        default=None, description="how SNMPv3 signs"
    )
    auth_password: Secret | None = Field(default=None, description="env:NAME or file:PATH")
    priv: Literal["aes128", "aes192", "aes256", "aes192c", "aes256c", "des"] | None = Field(
        default=None, description="how SNMPv3 encrypts"
    )
    priv_password: Secret | None = Field(default=None, description="env:NAME or file:PATH")
    allow_weak: bool | None = Field(default=None, description="true: MD5 and DES may be used")
    context: str | None = Field(default=None, min_length=1, max_length=255, description="SNMPv3 context to ask for")
    context_engine: EngineId | None = Field(
        default=None, description='id of the engine the context is of, in hexadecimal digits: "80001f8803001122334455"'
    )
    password: Secret | None = Field(default=None, description="env:NAME or file:PATH")
    token: Secret | None = Field(default=None, description="env:NAME or file:PATH")
    ca: str | None = Field(default=None, min_length=1, description="path of the CA file of a web interface")
    insecure: bool | None = Field(
        default=None,
        description="true: the certificate of a web interface is not checked; anybody may pretend to be it",
    )
    sign_in: Literal["session", "basic"] | None = Field(
        default=None, description='how to sign in at a Redfish service: "session" (also if left out) or "basic"'
    )

    @model_validator(mode="after")
    def _complete(self) -> AuthEntry:
        if self.snmp in ("1", "2c") and self.community is None:
            raise wrong(f"SNMP {self.snmp} without community", 'add community = "env:NAME"')
        if self.snmp == "3" and self.user is None:
            raise wrong("SNMPv3 without user", 'add user = "NAME"')
        if self.snmp != "3" and (self.context or self.context_engine):
            raise wrong("a context without SNMPv3", 'add snmp = "3" and user; v1 and v2c have communities instead')
        for kind in ("auth", "priv"):
            given = [name for name in (kind, f"{kind}_password") if getattr(self, name) is not None]
            if len(given) == 1:
                missing = f"{kind}_password" if given == [kind] else kind
                raise wrong(f"{given[0]} without {missing}", f"add {missing}")
        if self.insecure and self.ca:
            raise wrong("a CA and insecure", "keep one of ca and insecure")
        if self.priv and not self.auth:
            raise wrong("encryption without authentication", "add auth and auth_password")
        weak = [kind for kind in (self.auth, self.priv) if kind in ("md5", "des")]
        if weak and not self.allow_weak:
            raise wrong(f"{' and '.join(weak)} can be broken", "choose another, or write allow_weak = true beside it")
        return self


class FileSite(SiteEntry):
    """The site that everything in a file belongs to."""

    key: Name = Field(description="short name of the site")


class CordRow(BaseModel):
    """One line of the cords table."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    node: Name = Field(min_length=1, description="key of the node it powers")
    device: Name = Field(min_length=1, description="key of the device it is plugged into")
    point: Point = Field(min_length=1, description="where, like outlet/12")
    valid_from: Moment | None = Field(default=None, description="when it was plugged in, like 2026-03-01T08:00:00Z")


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
    supplies: dict[Name, SupplyEntry] = Field(default_factory=dict, description="tables are written [supplies.KEY]")
    auth: dict[Name, AuthEntry] = Field(default_factory=dict, description="tables are written [auth.KEY]")


def _body(entry: type[FacilityEntry], *, sited: bool) -> type[FacilityEntry]:
    """What a request may say: the key and the site beside what a file says inside a table."""
    site = {"site": (Name | None, Field(default=None, description="key of the site; the only one goes without saying"))}
    model: type[FacilityEntry] = create_model(  # type: ignore[call-overload]
        entry.__name__.removesuffix("Entry"),
        __base__=entry,
        __doc__=entry.__doc__,
        key=(Name, Field(description="short name, unique and for ever")),
        **(site if sited else {}),
    )
    return model


ENTRIES: dict[str, type[FacilityEntry]] = {
    "site": SiteEntry,
    "room": RoomEntry,
    "rack": RackEntry,
    "model": ModelEntry,
    "device": DeviceEntry,
    "node": NodeEntry,
    "supply": SupplyEntry,
    "auth": AuthEntry,
}
"""Kind of object → what may be written about it."""

BODIES: dict[str, type[FacilityEntry]] = {
    kind: _body(entry, sited=kind in ("room", "rack", "device", "node", "supply")) for kind, entry in ENTRIES.items()
}
"""Kind of object → what a request may say about it."""
