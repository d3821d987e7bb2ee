"""Store the audit log: entries are added and read, never changed, and deleted only by age."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from sqlalchemy import Engine, delete, insert, select

from app.models import AuditRow, TimeMs, sent_as, table
from app.store.database import reading, writing

_AUDIT = table(AuditRow)


@dataclass(frozen=True)
class AuditEntry:
    """Who changed what, from where, and its state before and after; null where there is none."""

    t_ms: Annotated[TimeMs, sent_as("t")]
    who: str
    how: str
    address: str
    action: str
    subject: str
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    id: int = 0


@dataclass(frozen=True)
class AuditFilter:
    """Which entries; all fields must match. `action` matches a beginning, such as `token`."""

    who: str | None = None
    action: str | None = None
    subject: str | None = None
    from_ms: int | None = None
    to_ms: int | None = None


class AuditStore:
    """The audit log. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, entry: AuditEntry) -> None:
        """Add an entry."""
        with writing(self._engine) as connection:
            values = {name: value for name, value in asdict(entry).items() if name != "id"}
            connection.execute(insert(_AUDIT).values(values))

    def delete_before(self, t_ms: int) -> int:
        """Delete the entries from before a time, and return how many."""
        with writing(self._engine) as connection:
            return connection.execute(delete(_AUDIT).where(_AUDIT.c.t_ms < t_ms)).rowcount

    def list(self, which: AuditFilter, limit: int, before_id: int | None = None) -> list[AuditEntry]:
        """Return entries, newest first, before the one with an id."""
        query = select(_AUDIT).order_by(_AUDIT.c.id.desc()).limit(limit)
        for name in ("who", "subject"):
            if (value := getattr(which, name)) is not None:
                query = query.where(_AUDIT.c[name] == value)
        if which.action is not None:
            query = query.where(_AUDIT.c.action.startswith(which.action, autoescape=True))
        if which.from_ms is not None:
            query = query.where(_AUDIT.c.t_ms >= which.from_ms)
        if which.to_ms is not None:
            query = query.where(_AUDIT.c.t_ms < which.to_ms)
        if before_id is not None:
            query = query.where(_AUDIT.c.id < before_id)
        with reading(self._engine) as connection:
            return [AuditEntry(**row._mapping) for row in connection.execute(query)]
