"""Store what each receiver was sent, and how it answered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from sqlalchemy import Engine, and_, func, insert, or_, select

from app.models import AlertNotificationRow, AlertReceiverRow, TimeMs, sent_as, table
from app.store.alerts.alert_list import ALERT
from app.store.alerts.alerts import StoredAlert, stored_alert
from app.store.database import reading, upsert, writing

SENT = table(AlertNotificationRow)
RECEIVER = table(AlertReceiverRow)
_OVER = 3


@dataclass(frozen=True)
class Unsent:
    """An alert with news for a receiver; `is_known`: whether it was sent something about it before."""

    stored: StoredAlert
    is_known: bool

    @property
    def state(self) -> int:
        """The state of the receiver once this was sent."""
        alert = self.stored.alert
        return _OVER if alert.until_ms is not None else int(alert.level)


@dataclass(frozen=True)
class ReceiverState:
    """The last answer of a receiver; `since_ms`: alerts that ended before are dealt with."""

    name: str
    since_ms: int
    tried_ms: Annotated[TimeMs | None, sent_as("tried")] = None
    is_working: bool | None = None
    answer: str = ""


class NotificationStore:
    """What receivers were sent. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def unsent(self, receiver: str, least: int, rules: Sequence[str], since_ms: int, limit: int) -> list[Unsent]:
        """Return the alerts with news for a receiver, oldest first: opened, worsened, or ended.

        Parameters
        ----------
        least: the lowest level that it is sent. rules: the rules that it is sent; empty for all.
        since_ms: alerts that ended before, and that it was not sent, are no news.
        """
        level, until = func.coalesce(SENT.c.state, 0), ALERT.c.until_ms
        is_wanted = and_(ALERT.c.worst_level >= least, ALERT.c.muted_by.is_(None))
        if rules:
            is_wanted = and_(is_wanted, ALERT.c.rule.in_(rules))
        is_news = and_(until.is_(None), level < ALERT.c.level, ALERT.c.level >= least, is_wanted)
        is_over = and_(until.is_not(None), level.between(1, _OVER - 1))
        is_missed = and_(until >= since_ms, level == 0, is_wanted)
        query = (
            select(ALERT, level.label("sent"))
            .outerjoin(SENT, and_(SENT.c.alert_id == ALERT.c.id, SENT.c.receiver == receiver))
            .where(ALERT.c.opened_ms.is_not(None), or_(is_news, is_over, is_missed))
            .order_by(ALERT.c.id)
            .limit(limit)
        )
        with reading(self._engine) as connection:
            return [Unsent(stored_alert(row), row["sent"] > 0) for row in connection.execute(query).mappings()]

    def mark(self, receiver: str, alerts: Iterable[Unsent]) -> None:
        """Record that a receiver needs to be sent no more of these alerts in their present state."""
        found = list(alerts)
        if not found:
            return
        values: dict[str, Sequence[object]] = {
            "alert_id": [one.stored.id for one in found],
            "receiver": [receiver] * len(found),
            "state": [one.state for one in found],
        }
        with writing(self._engine) as connection:
            upsert(connection, SENT, values)

    def receiver(self, name: str, now_ms: int) -> ReceiverState:
        """Return the state of a receiver; one that is new is sent nothing that is over."""
        found = self.receivers().get(name)
        if found is not None:
            return found
        with writing(self._engine) as connection:
            upsert(connection, RECEIVER, {"name": [name], "since_ms": [now_ms], "answer": [""]})
        return ReceiverState(name, now_ms)

    def receivers(self) -> dict[str, ReceiverState]:
        """Return the state of every receiver that was ever used, by name."""
        with reading(self._engine) as connection:
            rows = connection.execute(select(RECEIVER)).mappings()
            return {row["name"]: ReceiverState(**row) for row in rows}

    def set_receiver(self, state: ReceiverState) -> None:
        """Store the state of a receiver."""
        with writing(self._engine) as connection:
            connection.execute(RECEIVER.delete().where(RECEIVER.c.name == state.name))
            connection.execute(insert(RECEIVER).values(**vars(state)))
