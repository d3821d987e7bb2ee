"""What collectors report besides readings: failed polls, events, leases and probes."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from app.models.base import DOCUMENT, IDENTITY, MILLISECONDS, TableRow


class PollFailureRow(TableRow, table=True):
    """A poll without a reading. Unique, because collectors deliver at least once."""

    __tablename__: ClassVar[str] = "poll_failure"
    __table_args__ = (UniqueConstraint("device", "t_ms", "collector"),)
    id: int | None = Field(default=None, primary_key=True, sa_type=IDENTITY)
    device: str
    collector: str = ""
    t_ms: int = Field(sa_type=MILLISECONDS, index=True)
    duration_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    code: str
    detail: str = ""


class EventRow(TableRow, table=True):
    """An event. `device` and `subject` are '' where there is none, so that a repeated delivery is one event."""

    __tablename__: ClassVar[str] = "event"
    __table_args__ = (UniqueConstraint("t_ms", "device", "subject", "kind"),)
    id: int | None = Field(default=None, primary_key=True, sa_type=IDENTITY)
    t_ms: int = Field(sa_type=MILLISECONDS)
    device: str = Field(default="", index=True)
    subject: str = ""
    kind: str
    severity: str = "info"
    detail: str = ""


class RefusedReadingRow(TableRow, table=True):
    """Readings of one series that were refused for one reason.

    `value`, `raw`: the newest one in base units, and in steps of its resolution. `since_ms`, `run_count`: the last ones
    that follow each other without a pause of more than `max_gap_ms`.
    """

    __tablename__: ClassVar[str] = "refused_reading"
    device: str = Field(primary_key=True)
    point: str = Field(primary_key=True)
    quantity: str = Field(primary_key=True)
    reason: str = Field(primary_key=True)
    value: float
    raw: float | None = None
    count: int = Field(sa_type=MILLISECONDS)
    first_ms: int = Field(sa_type=MILLISECONDS)
    last_ms: int = Field(sa_type=MILLISECONDS, index=True)
    since_ms: int = Field(sa_type=MILLISECONDS)
    run_count: int = Field(sa_type=MILLISECONDS)
    max_gap_ms: int = Field(sa_type=MILLISECONDS)


class LeaseRow(TableRow, table=True):
    """The collector that polls a device ('' for none), and its polling statistics.

    `fence`: fencing number, larger for each next collector. `next_collector`, `handover_ms`: the collector that the
    device passes to, and when. `latency_ms`: time the device takes to answer a poll. `skipped`: polls skipped because
    of an overrun.
    """

    __tablename__: ClassVar[str] = "lease"
    device: str = Field(primary_key=True)
    collector: str = Field(index=True)
    fence: int = Field(default=0, sa_type=MILLISECONDS, sa_column_kwargs={"server_default": "0"})
    next_collector: str | None = None
    handover_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    latency_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    skipped: int | None = Field(default=None, sa_type=MILLISECONDS)


class CollectorRow(TableRow, table=True):
    """A collector that took a lease and did not give it back.

    `until_ms`: end of its lease. `seen_ms`: its last renewal. `lease_ms`: duration of its leases.
    `offset_ms`: clock of the collector minus clock of the server. `round_trip_ms`: duration of its previous request.
    `disagreeing`: number of renewals in a row in which the clocks disagreed. `instance`: which of several of this name.
    """

    __tablename__: ClassVar[str] = "collector"
    name: str = Field(primary_key=True)
    until_ms: int = Field(sa_type=MILLISECONDS)
    seen_ms: int = Field(sa_type=MILLISECONDS)
    lease_ms: int = Field(sa_type=MILLISECONDS)
    offset_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    round_trip_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    disagreeing: int = 0
    instance: str | None = None


class DeviceProbeRow(TableRow, table=True):
    """A device to be read once by a collector, before it is in the facility.

    `settings`: how to sign in, as references to secrets. `asked_ms`, `taken_ms`, `finished_ms`: when an administrator
    asked for it, the collector received it, and its result arrived. The result is a `report` or a `problem`.
    """

    __tablename__: ClassVar[str] = "device_probe"
    id: str = Field(primary_key=True)
    collector: str = Field(index=True)
    address: str
    profile: str
    settings: dict[str, Any] = Field(sa_type=DOCUMENT)
    asked_ms: int = Field(sa_type=MILLISECONDS)
    taken_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    finished_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    report: dict[str, Any] | None = Field(default=None, sa_type=DOCUMENT)
    problem: dict[str, Any] | None = Field(default=None, sa_type=DOCUMENT)
