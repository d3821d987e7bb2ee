"""What collectors report besides readings: failed polls, events and leases."""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from app.models.base import IDENTITY, MILLISECONDS, TableRow


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
    """The collector that polls a device, until when the lease lasts, and its polling statistics.

    `latency_ms`: time the device takes to answer a poll. `skipped`: polls skipped because of an overrun.
    `offset_ms`: clock of the collector minus clock of the server.
    """

    __tablename__: ClassVar[str] = "lease"
    device: str = Field(primary_key=True)
    collector: str = Field(index=True)
    until_ms: int = Field(sa_type=MILLISECONDS)
    latency_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    skipped: int | None = Field(default=None, sa_type=MILLISECONDS)
    offset_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
