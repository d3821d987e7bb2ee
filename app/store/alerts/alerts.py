"""Store alerts, their state over time, and the settings of their rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any

from sqlalchemy import Connection, Engine, RowMapping, bindparam, delete, func, insert, select, update

from app.domain.alerts import Alert, AlertLevel
from app.models import AlertNotificationRow, AlertRuleRow, TimeMs, sent_as, table
from app.store.alerts.alert_list import ALERT, AlertFilter, conditions, ordered, place_after, place_of
from app.store.database import reading, writing

RULE = table(AlertRuleRow)
Change = tuple[Alert | None, Alert | None]


@dataclass(frozen=True)
class Acknowledged:
    """Who acknowledged an alert, when, and their note."""

    t_ms: Annotated[TimeMs, sent_as("t")]
    by: str
    note: str = ""


_COUNTS = (
    func.count(),
    func.count().filter(ALERT.c.level == int(AlertLevel.CRIT)),
    func.count().filter(ALERT.c.acknowledged_ms.is_(None)),
)


@dataclass(frozen=True)
class StoredAlert:
    """An alert with its id and its acknowledgement."""

    id: int
    alert: Alert
    acknowledged: Acknowledged | None = None


@dataclass(frozen=True)
class AlertCounts:
    """Numbers of active, critical and unacknowledged alerts."""

    active: int = 0
    crit: int = 0
    unacknowledged: int = 0


class AlertStore:
    """All alerts. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def unfinished(self, connection: Connection, rules: Iterable[str]) -> dict[tuple[str, str], Alert]:
        """Return the pending and active alerts, by (rule, subject)."""
        query = select(ALERT).where(ALERT.c.until_ms.is_(None), ALERT.c.rule.in_(list(rules)))
        found = [_plain(row) for row in connection.execute(query).mappings()]
        return {(alert.rule, alert.subject): alert for alert in found}

    def save(self, connection: Connection, changes: Iterable[Change]) -> None:
        """Store changes of alerts as (before, after), one of which may be None; one change per rule and subject."""
        new, changed, gone = [], [], []
        for before, after in changes:
            if before is None and after is not None:
                new.append(_row(after) | {"acknowledged_by": "", "note": ""})
            elif before is not None:
                key = {"its_rule": before.rule, "its_subject": before.subject}
                if after is None:
                    gone.append(key)
                else:
                    changed.append(_row(after) | key)
        unfinished = (
            ALERT.c.rule == bindparam("its_rule"),
            ALERT.c.subject == bindparam("its_subject"),
            ALERT.c.until_ms.is_(None),
        )
        if new:
            connection.execute(insert(ALERT), new)
        if changed:
            connection.execute(update(ALERT).where(*unfinished), changed)
        if gone:
            connection.execute(delete(ALERT).where(*unfinished), gone)

    def listing(self, which: AlertFilter, limit: int, cursor: str | None) -> tuple[list[StoredAlert], str | None]:
        """Return a page of alerts and the cursor of the next. Active: the worst first, then the newest; past: the
        latest first.

        Raises
        ------
        BadCursor
            The cursor belongs to another list.
        """
        query = select(ALERT).where(*conditions(which))
        if cursor is not None:
            query = query.where(place_after(which, cursor))
        with reading(self._engine) as connection:
            rows = connection.execute(ordered(query, which).limit(limit + 1)).mappings().all()
        following = place_of(which, rows[limit - 1]) if len(rows) > limit else None
        return [stored_alert(row) for row in rows[:limit]], following

    def get(self, id_: int) -> StoredAlert | None:
        """Return an alert that is or was open."""
        with reading(self._engine) as connection:
            query = select(ALERT).where(ALERT.c.id == id_, ALERT.c.opened_ms.is_not(None))
            row = connection.execute(query).mappings().first()
        return None if row is None else stored_alert(row)

    def counts(self) -> AlertCounts:
        """Return the numbers of active alerts."""
        active = (ALERT.c.until_ms.is_(None), ALERT.c.opened_ms.is_not(None))
        query = select(*_COUNTS).where(*active)
        with reading(self._engine) as connection:
            return AlertCounts(*connection.execute(query).one())

    def counts_by_rack(self) -> dict[str, AlertCounts]:
        """Return the numbers of active alerts of each rack that has any, those of its nodes and devices included."""
        query = (
            select(ALERT.c.rack, *_COUNTS)
            .where(ALERT.c.until_ms.is_(None), ALERT.c.opened_ms.is_not(None), ALERT.c.rack.is_not(None))
            .group_by(ALERT.c.rack)
        )
        with reading(self._engine) as connection:
            return {rack: AlertCounts(*numbers) for rack, *numbers in connection.execute(query)}

    def by_rule(self) -> dict[tuple[str, int], int]:
        """Return the number of active alerts by (rule, level)."""
        active = (ALERT.c.until_ms.is_(None), ALERT.c.opened_ms.is_not(None))
        query = select(ALERT.c.rule, ALERT.c.level, func.count()).where(*active).group_by(ALERT.c.rule, ALERT.c.level)
        with reading(self._engine) as connection:
            return {(rule, level): count for rule, level, count in connection.execute(query)}

    def acknowledge(self, id_: int, acknowledgement: Acknowledged) -> bool:
        """Acknowledge an active alert; return False if it is not active."""
        active = (ALERT.c.id == id_, ALERT.c.until_ms.is_(None), ALERT.c.opened_ms.is_not(None))
        row = {
            "acknowledged_ms": acknowledgement.t_ms,
            "acknowledged_by": acknowledgement.by,
            "note": acknowledgement.note,
        }
        with writing(self._engine) as connection:
            return connection.execute(update(ALERT).where(*active).values(row)).rowcount > 0

    def close(self, id_: int, now_ms: int, why: str) -> bool:
        """End an active alert; return False if it is not active."""
        active = (ALERT.c.id == id_, ALERT.c.until_ms.is_(None), ALERT.c.opened_ms.is_not(None))
        row = {"until_ms": now_ms, "ended": why, "level": ALERT.c.worst_level, "missing_ms": None, "missing": None}
        with writing(self._engine) as connection:
            return connection.execute(update(ALERT).where(*active).values(row)).rowcount > 0

    def rules(self) -> dict[str, Mapping[str, Any]]:
        """Return the changed settings, by rule."""
        with reading(self._engine) as connection:
            return {row.name: row.content for row in connection.execute(select(RULE))}

    def set_rule(self, name: str, content: Mapping[str, Any], now_ms: int) -> None:
        """Store the settings of a rule; an empty `content` restores its defaults."""
        with writing(self._engine) as connection:
            connection.execute(delete(RULE).where(RULE.c.name == name))
            if content:
                connection.execute(insert(RULE).values(name=name, content=dict(content), changed_ms=now_ms))


def drop_past(connection: Connection, before_ms: int) -> int:
    """Delete the alerts that ended before a time; return how many."""
    sent = table(AlertNotificationRow)
    past = select(ALERT.c.id).where(ALERT.c.until_ms < before_ms)
    connection.execute(delete(sent).where(sent.c.alert_id.in_(past)))
    return connection.execute(delete(ALERT).where(ALERT.c.until_ms < before_ms)).rowcount


_NAMES = [f.name for f in fields(Alert)]


def _row(alert: Alert) -> dict[str, Any]:
    return asdict(alert) | {"level": int(alert.level), "worst_level": int(alert.worst_level)}


def _plain(row: RowMapping) -> Alert:
    values = {name: row[name] for name in _NAMES}
    return Alert(**{**values, "level": AlertLevel(row["level"]), "worst_level": AlertLevel(row["worst_level"])})


def stored_alert(row: RowMapping) -> StoredAlert:
    """Return the alert of a row."""
    taken = row["acknowledged_ms"]
    acknowledgement = None if taken is None else Acknowledged(taken, row["acknowledged_by"], row["note"])
    return StoredAlert(row["id"], _plain(row), acknowledgement)
