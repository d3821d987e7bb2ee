"""The facility and its past: every row is one version of one object, open while `valid_to_ms` is null."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import Index, text
from sqlmodel import Field

from app.models.base import DOCUMENT, IDENTITY, MILLISECONDS, TableRow

_OPEN = text("valid_to_ms IS NULL")


def _versioned(name: str, *columns: str) -> tuple[Index, dict[str, Any]]:
    """At most one open version per key, and ids that are never used twice."""
    return (
        Index(f"uq_{name}_open", *columns, unique=True, sqlite_where=_OPEN, postgresql_where=_OPEN),
        {"sqlite_autoincrement": True},
    )


class Version(TableRow):
    """What all versioned rows carry. `valid_from_ms` 0 means since ever."""

    id: int | None = Field(default=None, primary_key=True, sa_type=IDENTITY)
    valid_from_ms: int = Field(default=0, sa_type=MILLISECONDS)
    valid_to_ms: int | None = Field(default=None, sa_type=MILLISECONDS)


class KeyedRow(Version):
    """A versioned object with a key that is unique in one instance and a free label."""

    key: str
    label: str | None = None


class SiteRow(KeyedRow, table=True):
    """A place with one time zone."""

    __tablename__: ClassVar[str] = "site"
    __table_args__ = _versioned("site", "key")
    timezone: str | None = None


class RoomRow(KeyedRow, table=True):
    """A hall or a lab."""

    __tablename__: ClassVar[str] = "room"
    __table_args__ = _versioned("room", "key")
    site: str | None = None


class RackRow(KeyedRow, table=True):
    """A rack and what its supply may carry [W]."""

    __tablename__: ClassVar[str] = "rack"
    __table_args__ = _versioned("rack", "key")
    site: str | None = None
    room: str | None = None
    row: str | None = None
    position: int | None = None
    capacity_w: float | None = None
    height_u: int | None = None


class ModelRow(KeyedRow, table=True):
    """A kind of node or device: nameplate, budget and control run [W]."""

    __tablename__: ClassVar[str] = "model"
    __table_args__ = _versioned("model", "key")
    rated_w: float | None = None
    budget_w: float | None = None
    control_w: float | None = None
    idle_w: float | None = None
    gpus: int | None = None
    gpu_tdp_w: float | None = None
    gpu_slices: int | None = None
    cores: int | None = None
    height_u: int | None = None


class DeviceRow(KeyedRow, table=True):
    """What a collector talks to, or what an import is fed to (no address)."""

    __tablename__: ClassVar[str] = "device"
    __table_args__ = _versioned("device", "key")
    kind: str = "pdu"
    site: str | None = None
    rack: str | None = None
    profile: str | None = None
    address: str | None = None
    auth: str | None = None
    interval_s: float | None = None
    timeout_s: float | None = None
    feed: str | None = None
    breaker: dict[str, float] | None = Field(default=None, sa_type=DOCUMENT)
    branches: list[str] | None = Field(default=None, sa_type=DOCUMENT)
    node: str | None = None
    model: str | None = None


class NodeRow(KeyedRow, table=True):
    """A server."""

    __tablename__: ClassVar[str] = "node"
    __table_args__ = _versioned("node", "key")
    site: str | None = None
    rack: str | None = None
    model: str | None = None
    position_u: int | None = None
    height_u: int | None = None
    exporters: list[str] = Field(default_factory=list, sa_type=DOCUMENT)
    bmc: str | None = None


class PowerConnectionRow(Version, table=True):
    """A cord: this point of this device powers this node."""

    __tablename__: ClassVar[str] = "power_connection"
    __table_args__ = _versioned("power_connection", "node", "device", "point")
    node: str
    device: str
    point: str


class SharedSupplyRow(KeyedRow, table=True):
    """What powers several nodes together: the points that feed it, and how its power is split."""

    __tablename__: ClassVar[str] = "shared_supply"
    __table_args__ = _versioned("shared_supply", "key")
    site: str | None = None
    nodes: list[str] = Field(default_factory=list, sa_type=DOCUMENT)
    feeds: list[str] = Field(default_factory=list, sa_type=DOCUMENT)
    psus: dict[str, int] | None = Field(default=None, sa_type=DOCUMENT)
    split: str = "none"


class AuthRow(KeyedRow, table=True):
    """How to sign in at devices: references to secrets, never the secrets."""

    __tablename__: ClassVar[str] = "auth"
    __table_args__ = _versioned("auth", "key")
    settings: dict[str, str] = Field(default_factory=dict, sa_type=DOCUMENT)


class FacilityChangeRow(TableRow, table=True):
    """The record of every change of the facility; its newest id is the facility's version.

    `due_ms`: the minutes from there on do not know of it yet; null when they do.
    """

    __tablename__: ClassVar[str] = "facility_change"
    __table_args__: ClassVar[dict[str, Any]] = {"sqlite_autoincrement": True}
    id: int | None = Field(default=None, primary_key=True, sa_type=IDENTITY)
    made_ms: int = Field(sa_type=MILLISECONDS)
    effective_ms: int = Field(sa_type=MILLISECONDS)
    kind: str
    key: str
    action: str
    due_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
