"""Send alerts that opened, became worse or ended to a webhook.

What was sent is stored with the alert, so that a restart loses nothing. A receiver that does not respond is retried
with growing pauses and then gets the latest state.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from app.services.alerts.stores import AlertStores
from app.store.alerts import StoredAlert
from app.store.database import acquire_task_lock, writing

AT_ONCE = 100
PATIENCE_S = 10.0
TURN_MS = 30_000
FIRST_PAUSE_MS, LONGEST_PAUSE_MS = 5_000, 300_000
_LOG = logging.getLogger(__name__)

Render = Callable[[Sequence[StoredAlert]], dict[str, Any]]
"""Turns alerts into the body of one message."""


@dataclass
class Webhook:
    """The webhook of one process; of several on one database one sends at a time."""

    stores: AlertStores
    holder: str
    url: str | None
    render: Render
    due_ms: int = 0
    pause_ms: int = 0

    def work(self) -> int:
        """Send what was not sent yet; return the number of alerts sent."""
        url, now_ms = self.url, self.stores.now_ms()
        self.due_ms = min(self.due_ms, now_ms + self.pause_ms)  # the clock may have been set back
        if url is None or now_ms < self.due_ms or not (waiting := self.stores.alerts.not_notified(AT_ONCE)):
            return 0
        with writing(self.stores.engine) as connection:
            if not acquire_task_lock(connection, "alert webhook", self.holder, now_ms, TURN_MS):
                return 0
        try:
            httpx.post(url, json=self.render(waiting), timeout=PATIENCE_S).raise_for_status()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            self._failed(url, error, now_ms)
            return 0
        self.stores.alerts.mark_notified(waiting)
        if self.pause_ms:
            _LOG.warning("the alert webhook at %s responds again", urlsplit(url).hostname)
        self.pause_ms = 0
        return len(waiting)

    def _failed(self, url: str, error: Exception, now_ms: int) -> None:
        if not self.pause_ms:
            problem = (
                f"answered {error.response.status_code}"
                if isinstance(error, httpx.HTTPStatusError)
                else "did not respond"
            )
            # The path may hold a secret, and the library's message quotes the whole address.
            _LOG.warning(
                "the alert webhook at %s %s (%s); retrying with growing pauses",
                urlsplit(url).hostname, problem, type(error).__name__,
            )  # fmt: skip
        self.pause_ms = min(max(2 * self.pause_ms, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
        self.due_ms = now_ms + self.pause_ms
