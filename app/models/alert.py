"""Alerts and the settings of their rules."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import Index, text
from sqlmodel import Field

from app.models.base import DOCUMENT, IDENTITY, MILLISECONDS, TableRow


class AlertRow(TableRow, table=True):
    """An alert: pending until `opened_ms`, ended from `until_ms` on. A rule has at most one open alert per subject.

    `level` and `worst_level`: 1 warning, 2 critical; `level` is 0 while the alert is pending. `notified_level`: the
    highest level sent to the webhook, 3 once its end was sent.
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
    notified_level: int | None = None


class AlertRuleRow(TableRow, table=True):
    """The settings of a rule that differ from the defaults."""

    __tablename__: ClassVar[str] = "alert_rule"
    name: str = Field(primary_key=True)
    content: dict[str, Any] = Field(sa_type=DOCUMENT)
    changed_ms: int = Field(sa_type=MILLISECONDS)
