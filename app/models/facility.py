"""The objects of a facility. Each field is declared here, once: see `app.models.declaration`.

To add a field: declare it here, write a migration, and let `python -m tests.facility.test_key_tables` update the table
in docs/facility.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

from app.models.declaration import REQUIRED, Key
from app.models.facility_values import (
    Amperes,
    BmcAddress,
    BoundCollector,
    BudgetText,
    Day,
    DeviceAddress,
    Feed,
    Kind,
    Name,
    Outlets,
    OutletType,
    Percent,
    Seconds,
    Units,
    Volts,
    Watts,
    WebAddress,
    Zone,
)


@dataclass(frozen=True, kw_only=True)
class Validity:
    """From when to when an object was as stored here; None means until now, 0 since the beginning.

    `version` numbers the stored versions of all objects of a kind; 0 while not stored. Two objects are equal when
    their fields are, whatever their validity.
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
        """The label, or the key where there is none."""
        return self.label or self.key


@dataclass(frozen=True, kw_only=True)
class Site(Keyed):
    """A place with one time zone."""

    timezone: Annotated[str | None, Key("IANA name, e.g. Europe/Berlin", Zone, default="UTC")] = None
    margin_pct: Annotated[float | None, Key("margin kept when asking what fits, in percent, e.g. 10", Percent)] = None
    collectors: Annotated[
        tuple[str, ...] | None,
        Key('only these poll its devices, or a network: ["c1", "c2 10.20.0.0/16"]', list[BoundCollector], is_set=True),
    ] = None
    budgets: Annotated[
        tuple[str, ...] | None, Key('projects a month: ["llm 5 MWh"]', list[BudgetText], is_set=True)
    ] = None


@dataclass(frozen=True, kw_only=True)
class Room(Keyed):
    """A hall or a lab."""

    site: str | None = None


@dataclass(frozen=True, kw_only=True)
class Rack(Keyed):
    """A rack and its capacity."""

    site: str | None = None
    room: Annotated[str | None, Key("key of its room", Name)] = None
    row: Annotated[str | None, Key("name of its row, in quotes", str)] = None
    position: Annotated[int | None, Key("place in its row, counted from one end", Annotated[int, Field(ge=0)])] = None
    capacity_w: Annotated[float | None, Key("rack capacity in watts, e.g. 70000", Watts)] = None
    height_u: Annotated[int | None, Key("height in rack units, e.g. 42", Units, default=42)] = None


@dataclass(frozen=True, kw_only=True)
class Model(Keyed):
    """Nameplate and budget of a kind of node."""

    rated_w: Annotated[float | None, Key("nameplate power in watts, e.g. 10200", Watts, default=REQUIRED)] = None
    budget_w: Annotated[float | None, Key("power reserved for one node in watts", Watts)] = None
    control_w: Annotated[float | None, Key("power of a control run (GPU + CPU burn) in watts", Watts)] = None
    idle_w: Annotated[float | None, Key("power without a job in watts", Watts)] = None
    gpus: Annotated[int | None, Key("number of GPUs", Annotated[int, Field(ge=0, le=1024)])] = None
    gpu_tdp_w: Annotated[float | None, Key("rated power of one GPU in watts, e.g. 700", Watts)] = None
    gpu_slices: Annotated[
        int | None,
        Key("MIG compute slices of one GPU; 7 if omitted, 4 on A30", Annotated[int, Field(ge=1, le=64)]),
    ] = None
    cores: Annotated[
        int | None,
        Key(
            "number of cores, in the unit that jobs use (Slurm: CPUs), e.g. 128",
            Annotated[int, Field(ge=1, le=65536)],
        ),
    ] = None
    height_u: Annotated[int | None, Key("height in rack units, e.g. 8", Units)] = None
    outlet_type: Annotated[str | None, Key("type of the outlets that its cords need, e.g. C19", OutletType)] = None


@dataclass(frozen=True)
class Breaker:
    """The protection of a circuit. `volts` is line to line where `phases` is 3; `derating` is applied once."""

    amps: Annotated[float, Key("rating per line in amperes, e.g. 50", Amperes, default=REQUIRED)]
    phases: Annotated[int, Key("3 for three-phase", Literal[1, 3], default=REQUIRED)] = 1
    volts: Annotated[float | None, Key("volts, line to line if three-phase, e.g. 208", Volts, default=REQUIRED)] = None
    derating: Annotated[
        float,
        Key(
            "0.8 where the electrical code requires it (NEC), else 1.0",
            Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)],
            default=1.0,
        ),
    ] = 1.0


@dataclass(frozen=True, kw_only=True)
class Device(Keyed):
    """A device that a collector reads, or without an address one whose readings are imported or ingested."""

    kind: Annotated[str, Key("follows from the address if omitted; meter without an address", Kind)] = "pdu"
    site: str | None = None
    profile: Annotated[str | None, Key("name of a device profile, or auto", Name)] = None
    address: Annotated[
        str | None,
        Key(
            "snmp://HOST, modbus://HOST?unit=N, modbus+serial:///dev/NAME?unit=N, http(s)://HOST:PORT/PATH, "
            "redfish://HOST, ipmi://HOST, scpi://HOST:PORT or vxi11://HOST",
            DeviceAddress,
        ),
    ] = None
    auth: Annotated[str | None, Key("key of an auth", Name)] = None
    interval_s: Annotated[float | None, Key("seconds between two polls, e.g. 10", Seconds)] = None
    timeout_s: Annotated[float | None, Key("seconds to wait for an answer, e.g. 3", Seconds)] = None
    rack: Annotated[str | None, Key("key of its rack", Name)] = None
    feed: Annotated[
        str | None,
        Key('the feed it belongs to, e.g. "A"', Annotated[str, Field(min_length=1, max_length=20)]),
    ] = None
    breaker: Annotated[Breaker | None, Key("{ amps = 50, phases = 3, volts = 208, derating = 0.8 }", Breaker)] = None
    branches: Annotated[
        tuple[str, ...],
        Key(
            'points of a branch-circuit meter that together measure its input: ["bcm-1/branch/7"]',
            list[Feed],
            default=[],
            is_set=True,
        ),
    ] = ()
    node: Annotated[str | None, Key("key of the node that an exporter or a BMC reads", Name)] = None
    model: Annotated[str | None, Key("key of a model", Name)] = None
    outlet_types: Annotated[
        tuple[str, ...] | None,
        Key('types of its outlets by number: ["C13 1-24", "C19 25-30"]', list[Outlets], is_set=True),
    ] = None
    installed_on: Annotated[str | None, Key('day since when its energy counters count, e.g. "2024-03-01"', Day)] = None
    ct_primary_a: Annotated[float | None, Key("rated primary current of the transformers of a meter", Amperes)] = None


@dataclass(frozen=True, kw_only=True)
class Node(Keyed):
    """A server, and the points that power it."""

    site: str | None = None
    rack: Annotated[str | None, Key("key of its rack", Name)] = None
    model: Annotated[str | None, Key("key of a model", Name)] = None
    position_u: Annotated[int | None, Key("its lowest rack unit, counted from 1 at the bottom", Units)] = None
    height_u: Annotated[int | None, Key("height in rack units; that of its model if omitted", Units)] = None
    exporters: Annotated[
        tuple[str, ...],
        Key('addresses of its exporters: ["http://HOST:9400/metrics"]', list[WebAddress], default=[]),
    ] = ()
    bmc: Annotated[str | None, Key("https://HOST, redfish://HOST or ipmi://HOST of its BMC", BmcAddress)] = None
    feeds: Annotated[
        tuple[str, ...],
        Key('every point that powers it: ["pdu-a/outlet/1"]', list[Feed], default=[], is_set=True, stored=False),
    ] = ()


@dataclass(frozen=True)
class Psus:
    """The power supply units of a shared supply."""

    n: Annotated[
        int,
        Key("power supply units that carry the load, e.g. 2", Annotated[int, Field(ge=1, le=100)], default=REQUIRED),
    ]
    m: Annotated[
        int,
        Key("redundant power supply units, e.g. 2", Annotated[int, Field(ge=0, le=100)], default=0),
    ] = 0


Split = Literal["bmc", "equal", "none"]


@dataclass(frozen=True, kw_only=True)
class SharedSupply(Keyed):
    """What powers several nodes together: a multi-node chassis, a power shelf, a busbar."""

    site: str | None = None
    nodes: Annotated[
        tuple[str, ...],
        Key(
            'the nodes it powers: ["c1-n1", "c1-n2"]',
            Annotated[list[Name], Field(min_length=1)],
            default=REQUIRED,
            is_set=True,
        ),
    ] = ()
    feeds: Annotated[
        tuple[str, ...],
        Key(
            'every point that powers it: ["pdu-a/outlet/1"]',
            Annotated[list[Feed], Field(min_length=1)],
            default=REQUIRED,
            is_set=True,
        ),
    ] = ()
    psus: Annotated[Psus | None, Key("{ n = 2, m = 2 }", Psus)] = None
    split: Annotated[
        Split,
        Key('how its power is divided: "bmc" (by the BMCs of the nodes), "equal" or "none"', Split, default="none"),
    ] = "none"

    @property
    def cords(self) -> tuple[PowerConnection, ...]:
        """Its points, for each of its nodes, with its validity."""
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

OBJECTS: dict[str, type[FacilityObject]] = {
    "site": Site,
    "room": Room,
    "rack": Rack,
    "model": Model,
    "device": Device,
    "node": Node,
    "supply": SharedSupply,
    "auth": Auth,
}
"""Kind of object → its class, in the order in which objects refer to each other."""
