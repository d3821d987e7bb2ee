"""Send a receiver the alerts that opened, became worse or ended.

What was sent is stored, so that a restart loses nothing and repeats nothing. A receiver that does not respond is
retried with growing pauses and then gets the latest state, with what opened and ended meanwhile.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.domain.alerts import Alert, AlertLevel, silence_of
from app.services.alerts.receivers import Receiver, receiver_named
from app.services.alerts.sending import ReceiverAnswer, Render, Renderers, send_message
from app.services.alerts.stores import AlertStores
from app.store.alerts import ReceiverState, StoredAlert, Unsent
from app.store.database import acquire_task_lock, writing
from collectors.contract import DAY_MS, HOUR_MS

AT_ONCE = 100
TURN_MS = 30_000
FIRST_PAUSE_MS, LONGEST_PAUSE_MS = 5_000, 300_000
_READ_AT_ONCE = 1000
_LOG = logging.getLogger(__name__)


@dataclass
class Notifier:
    """Sends alerts to one receiver; of several processes on one database one sends at a time.

    `server`: the address of the dashboard.
    """

    stores: AlertStores
    holder: str
    receiver: Receiver
    render: Render
    server: str
    due_ms: int = 0
    pause_ms: int = 0

    def work(self) -> int:
        """Send what was not sent yet; return the number of alerts sent."""
        now_ms, name = self.stores.now_ms(), self.receiver.name
        self.due_ms = min(self.due_ms, now_ms + self.pause_ms)  # the clock may have been set back
        if now_ms < self.due_ms:
            return 0
        store = self.stores.notifications
        state = store.receiver(name, now_ms)
        unsent = store.unsent(name, int(self.receiver.level), self.receiver.rules, state.since_ms, _READ_AT_ONCE)
        if not unsent:
            if now_ms - state.since_ms > DAY_MS + HOUR_MS:
                store.set_receiver(replace(state, since_ms=now_ms - DAY_MS))
            return 0
        with writing(self.stores.engine) as connection:
            if not acquire_task_lock(connection, f"alerts to {name}", self.holder, now_ms, TURN_MS):
                return 0
        waiting = self._due(unsent, now_ms)
        return self._send(waiting, state, now_ms) if waiting else 0

    def _due(self, unsent: Sequence[Unsent], now_ms: int) -> list[Unsent]:
        """Return what to send now. What opened and ended while it was silenced is dropped."""
        silences = self.stores.silences.ending_after(min(_first_ms(one.stored.alert) for one in unsent))
        dropped, due = [], []
        for one in unsent:
            alert = one.stored.alert
            is_over = alert.until_ms is not None
            silence = None if is_over and one.is_known else silence_of(alert, silences, now_ms)
            if silence is not None:
                dropped += [one] if is_over else []
            elif not self._is_quiet(alert, now_ms):
                due.append(one)
        self.stores.notifications.mark(self.receiver.name, dropped)
        return due[:AT_ONCE]

    def _is_quiet(self, alert: Alert, now_ms: int) -> bool:
        quiet = self.receiver.quiet
        return quiet is not None and alert.worst_level < AlertLevel.CRIT and quiet.covers(now_ms)

    def _send(self, waiting: Sequence[Unsent], state: ReceiverState, now_ms: int) -> int:
        message = self.render([one.stored for one in waiting], self.server)
        answer = send_message(self.receiver, message, self.stores.settings.alert_networks)
        if answer.is_accepted:
            self.stores.notifications.mark(self.receiver.name, waiting)
        self.stores.notifications.set_receiver(
            replace(state, tried_ms=now_ms, is_working=answer.is_accepted, answer=answer.text)
        )
        self._plan(answer, now_ms)
        return len(waiting) if answer.is_accepted else 0

    def _plan(self, answer: ReceiverAnswer, now_ms: int) -> None:
        """Log a change, and set the time of the next attempt."""
        where = f"{self.receiver.name} at {self.receiver.host}"
        if answer.is_accepted:
            if self.pause_ms:
                _LOG.warning("the receiver %s of alerts responds again", where)
            self.pause_ms = 0
            return
        if not self.pause_ms:
            _LOG.warning("the receiver %s of alerts %s; retrying with growing pauses", where, answer.text)
        self.pause_ms = min(max(2 * self.pause_ms, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
        self.due_ms = now_ms + self.pause_ms


def _first_ms(alert: Alert) -> int:
    """Return the first time that matters for a silence."""
    return alert.since_ms if alert.opened_ms is None else min(alert.since_ms, alert.opened_ms)


def send_test(stores: AlertStores, name: str, renderers: Renderers, server: str) -> ReceiverAnswer:
    """Send a receiver a test message and return its answer.

    Raises
    ------
    NotFound
        There is no such receiver.
    """
    receiver, now_ms = receiver_named(stores, name), stores.now_ms()
    alert = Alert("test", "test", AlertLevel.WARN, now_ms, opened_ms=now_ms)
    message = renderers[receiver.form]([StoredAlert(0, alert)], server)
    answer = send_message(receiver, message, stores.settings.alert_networks)
    state = stores.notifications.receiver(name, now_ms)
    stores.notifications.set_receiver(
        replace(state, tried_ms=now_ms, is_working=answer.is_accepted, answer=answer.text)
    )
    return answer
