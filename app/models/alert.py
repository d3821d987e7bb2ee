"""Alerts and the settings of their rules."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import Index, text
from sqlmodel import Field

from app.models.base import DOCUMENT, IDENTITY, MILLISECONDS, TableRow


class AlertRow(TableRow, table=True):
    """An alert: pending until `opened_ms`, ended from `until_ms` on. A rule has at most one open alert per subject.

    `level` and `worst_level`: 1 warning, 2 critical; `level` is 0 while the alert is pending. `muted_by`: what causes
    it and has an alert of its own, so that no receiver is sent this one.
    """

    __tablename__: ClassVar[str] = "alert"
    __table_args__ = (
        Index(
            "ix_alert_unfinished",
            "rule",
            "subject",
            unique=True,
            sqlite_where=text("until_ms IS NULL"),
            postgresql_where=text("until_ms IS NULL"),
        ),
    )
    id: int | None = Field(default=None, primary_key=True, sa_type=IDENTITY)
    rule: str
    subject: str
    device: str | None = None
    rack: str | None = None
    node: str | None = None
    level: int
    worst_level: int
    value: float | None = None
    limit: float | None = None
    unit: str = ""
    detail: str = ""
    since_ms: int = Field(sa_type=MILLISECONDS)
    opened_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    worst: float | None = None
    worst_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    missing_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    missing: str | None = None
    warn_pending_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    crit_pending_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    until_ms: int | None = Field(default=None, sa_type=MILLISECONDS, index=True)
    ended: str = ""
    acknowledged_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    acknowledged_by: str = ""
    note: str = ""
    muted_by: str | None = None


class AlertRuleRow(TableRow, table=True):
    """The settings of a rule that differ from the defaults."""

    __tablename__: ClassVar[str] = "alert_rule"
    name: str = Field(primary_key=True)
    content: dict[str, Any] = Field(sa_type=DOCUMENT)
    changed_ms: int = Field(sa_type=MILLISECONDS)


class AlertNotificationRow(TableRow, table=True):
    """What a receiver was sent of an alert: `state` is the highest level, 3 once its end was sent."""

    __tablename__: ClassVar[str] = "alert_notification"
    alert_id: int = Field(primary_key=True, sa_type=MILLISECONDS)
    receiver: str = Field(primary_key=True)
    state: int


class AlertReceiverRow(TableRow, table=True):
    """A receiver of alerts: all that ended before `since_ms` is dealt with; its last answer, and when."""

    __tablename__: ClassVar[str] = "alert_receiver"
    name: str = Field(primary_key=True)
    since_ms: int = Field(sa_type=MILLISECONDS)
    tried_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    is_working: bool | None = None
    answer: str = ""


class AlertSilenceRow(TableRow, table=True):
    """A time in which no receiver is sent new alerts of a rule, rack, device or node; of all where none is given."""

    __tablename__: ClassVar[str] = "alert_silence"
    id: int | None = Field(default=None, primary_key=True, sa_type=IDENTITY)
    rule: str | None = None
    rack: str | None = None
    device: str | None = None
    node: str | None = None
    start_ms: int = Field(sa_type=MILLISECONDS)
    end_ms: int = Field(sa_type=MILLISECONDS)
    made_by: str
    note: str = ""
