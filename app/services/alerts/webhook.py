"""Telling a webhook which alerts opened, became worse and ended, in the form of Prometheus' Alertmanager (version 4).

What was told stands with the alert, so that a restart forgets nothing; a receiver that does not answer is asked again
with growing pauses, and hears the newest state then.
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
    """What one process tells; of several on one database one tells at a time."""

    stores: AlertStores
    holder: str
    url: str | None
    render: Render
    due_ms: int = 0
    pause_ms: int = 0

    def work(self) -> int:
        """Tell what is not told yet; returns how many alerts were."""
        url, now_ms = self.url, self.stores.now_ms()
        if url is None or now_ms < self.due_ms or not (waiting := self.stores.alerts.untold(AT_ONCE)):
            return 0
        with writing(self.stores.engine) as connection:
            if not acquire_task_lock(connection, "alert webhook", self.holder, now_ms, TURN_MS):
                return 0
        try:
            httpx.post(url, json=self.render(waiting), timeout=PATIENCE_S).raise_for_status()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            self._failed(url, error, now_ms)
            return 0
        self.stores.alerts.mark_told(waiting)
        if self.pause_ms:
            _LOG.warning("the alert webhook at %s answers again", urlsplit(url).hostname)
        self.pause_ms = 0
        return len(waiting)

    def _failed(self, url: str, error: Exception, now_ms: int) -> None:
        if not self.pause_ms:
            said = (
                f"answered {error.response.status_code}"
                if isinstance(error, httpx.HTTPStatusError)
                else "did not answer"
            )
            # its path may hold a secret, and the library's words name all of it
            _LOG.warning(
                "the alert webhook at %s %s (%s); it is asked again with pauses",
                urlsplit(url).hostname, said, type(error).__name__,
            )  # fmt: skip
        self.pause_ms = min(max(2 * self.pause_ms, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
        self.due_ms = now_ms + self.pause_ms
