"""Replace the name of a user by a pseudonym, everywhere and in one transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Engine, String, Table, case, cast, delete, func, or_, select, update

from app.models import (
    AlertRow,
    AlertSilenceRow,
    ApiTokenRow,
    AuditRow,
    DeviceLoginRow,
    EventRow,
    JobRow,
    OneTimeLinkRow,
    SessionRow,
    UserRow,
    table,
)
from app.store.database import reading, writing
from app.store.jobs import record_changes

_JOB, _USER, _TOKEN, _AUDIT, _EVENT = (table(row) for row in (JobRow, UserRow, ApiTokenRow, AuditRow, EventRow))
_GONE = tuple((table(row), "user") for row in (SessionRow, OneTimeLinkRow, DeviceLoginRow))
_RENAMED = ((table(AlertRow), "acknowledged_by"), (table(AlertSilenceRow), "made_by"), (_TOKEN, "created_by"))


class PseudonymStore:
    """Names of users in every table. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def last_activity(self) -> dict[str, int | None]:
        """Return when each user last did anything [ms]; None: a job of this user runs."""
        found: dict[str, int | None] = {}
        ran = func.max(case((_JOB.c.end_ms.is_(None), 2**62), else_=_JOB.c.end_ms))
        jobs = select(_JOB.c.user, ran).where(_JOB.c.user.is_not(None)).group_by(_JOB.c.user)
        seen = select(_USER.c.name, func.coalesce(_USER.c.seen_ms, _USER.c.created_ms))
        used = select(_TOKEN.c.owner, func.max(func.coalesce(_TOKEN.c.used_ms, _TOKEN.c.created_ms)))
        used = used.where(_TOKEN.c.owner.is_not(None)).group_by(_TOKEN.c.owner)
        latest: dict[str, int] = {}
        with reading(self._engine) as connection:
            for query in (jobs, seen, used):
                for name, t_ms in connection.execute(query):
                    latest[name] = max(latest.get(name, 0), int(t_ms))
        found.update((name, None if t_ms >= 2**62 else t_ms) for name, t_ms in latest.items())
        return found

    def replace(self, name: str, pseudonym: str) -> None:
        """Replace a name in jobs, alerts, silences, events and the audit log; delete the account and its tokens.

        All of it happens, or nothing. Energies and totals do not change.
        """
        with writing(self._engine) as connection:
            jobs = list(connection.scalars(select(_JOB.c.id).where(_JOB.c.user == name)))
            connection.execute(update(_JOB).where(_JOB.c.user == name).values(user=pseudonym))
            _replace_in_texts(connection, name, pseudonym)
            for place, column in _RENAMED:
                connection.execute(update(place).where(place.c[column] == name).values({column: pseudonym}))
            _replace_in_events(connection, name, pseudonym)
            _replace_in_audit(connection, name, pseudonym)
            for place, column in _GONE:
                connection.execute(delete(place).where(place.c[column] == name))
            connection.execute(delete(_TOKEN).where(or_(_TOKEN.c.owner == name, _TOKEN.c.user == name)))
            connection.execute(delete(_USER).where(_USER.c.name == name))
            record_changes(connection, jobs)


def _replace_in_texts(connection: Connection, name: str, pseudonym: str) -> None:
    rows = connection.execute(select(_JOB.c.id, _JOB.c.name, _JOB.c.tags).where(_JOB.c.user == pseudonym)).all()
    for id_, title, tags in rows:
        _write_if_changed(connection, _JOB, id_, {"name": title, "tags": tags}, name, pseudonym)


def _replace_in_events(connection: Connection, name: str, pseudonym: str) -> None:
    """The event about a deleted job has the name in its text."""
    old, new = f", user {name}, on ", f", user {pseudonym}, on "
    deleted = (_EVENT.c.kind == "job_deleted", _EVENT.c.detail.contains(old, autoescape=True))
    connection.execute(update(_EVENT).where(*deleted).values(detail=func.replace(_EVENT.c.detail, old, new)))


def _replace_in_audit(connection: Connection, name: str, pseudonym: str) -> None:
    written = {json.dumps(name, ensure_ascii=plain) for plain in (True, False)}
    texts = [cast(_AUDIT.c[side], String) for side in ("before", "after")]
    inside = [text.contains(one, autoescape=True) for text in texts for one in written]
    held = or_(_AUDIT.c.who == name, _AUDIT.c.subject == name, *inside)
    columns = ("who", "subject", "before", "after")
    for id_, *values in connection.execute(select(_AUDIT.c.id, *(_AUDIT.c[c] for c in columns)).where(held)).all():
        _write_if_changed(connection, _AUDIT, id_, dict(zip(columns, values, strict=True)), name, pseudonym)


def _write_if_changed(
    connection: Connection, place: Table, id_: object, values: Mapping[str, Any], name: str, pseudonym: str
) -> None:
    changed = {column: replaced(value, name, pseudonym) for column, value in values.items()}
    if changed != values:
        connection.execute(update(place).where(place.c.id == id_).values(changed))


def replaced(value: Any, name: str, pseudonym: str) -> Any:  # noqa: ANN401 - JSON
    """Return a JSON value in which every text that is the name is the pseudonym; a longer text stays."""
    if isinstance(value, str):
        return pseudonym if value == name else value
    if isinstance(value, Mapping):
        return {key: replaced(item, name, pseudonym) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [replaced(item, name, pseudonym) for item in value]
    return value
