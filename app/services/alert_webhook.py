"""Telling a webhook which alerts opened, became worse and ended, in the form of Prometheus' Alertmanager (version 4).

What was told stands with the alert, so that a restart forgets nothing; a receiver that does not answer is asked again
with growing pauses, and hears the newest state then.
"""

from __future__ import annotations

import hashlib
import logging
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from app.domain.alerts import Level
from app.services import alert_words as words
from app.services.context import Context
from app.services.moments import rfc3339
from app.settings import Settings
from app.store.alerts import StoredAlert
from app.store.engine import writing
from app.store.turns import has_turn

AT_ONCE = 100
PATIENCE_S = 10.0
TURN_MS = 30_000
FIRST_PAUSE_MS, LONGEST_PAUSE_MS = 5_000, 300_000
_NEVER = "0001-01-01T00:00:00Z"
_SEVERITY = {Level.WARN: "warning", Level.CRIT: "critical"}
_LOG = logging.getLogger(__name__)


@dataclass
class Webhook:
    """What one process tells; of several on one database one tells at a time."""

    context: Context
    holder: str
    due_ms: int = 0
    pause_ms: int = 0

    def work(self) -> int:
        """Tell what is not told yet; returns how many alerts were."""
        address = self.context.settings.alert_webhook
        now_ms = self.context.now_ms()
        if address is None or now_ms < self.due_ms or not (waiting := self.context.alerts.untold(AT_ONCE)):
            return 0
        with writing(self.context.engine) as connection:
            if not has_turn(connection, "alert webhook", self.holder, now_ms, TURN_MS):
                return 0
        url = address.get_secret_value()
        try:
            body = message(waiting, address_of(self.context.settings))
            httpx.post(url, json=body, timeout=PATIENCE_S).raise_for_status()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            self._failed(url, error, now_ms)
            return 0
        self.context.alerts.mark_told(waiting)
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


def address_of(settings: Settings) -> str:
    """Where people find this server's pages, as far as it knows itself."""
    return f"http://{settings.host if settings.on_loopback else socket.gethostname()}:{settings.port}"


def message(waiting: Sequence[StoredAlert], server: str) -> dict[str, Any]:
    """One message about several alerts; it is `firing` while any of them is."""
    alerts = [_told(one, server) for one in waiting]
    return {
        "version": "4",
        "groupKey": "{}:{}",
        "truncatedAlerts": 0,
        "status": "firing" if any(alert["status"] == "firing" for alert in alerts) else "resolved",
        "receiver": "wattline",
        "groupLabels": {},
        "commonLabels": _common([alert["labels"] for alert in alerts]),
        "commonAnnotations": _common([alert["annotations"] for alert in alerts]),
        "externalURL": server,
        "alerts": alerts,
    }


def _told(one: StoredAlert, server: str) -> dict[str, Any]:
    alert = one.alert
    labels = {"alertname": alert.rule, "severity": _SEVERITY[alert.level], "subject": alert.subject}
    places = {"device": alert.device, "rack": alert.rack, "node": alert.node}
    description = ". ".join(text for text in (words.reason(alert), words.todo(alert)) if text)
    return {
        "status": "resolved" if alert.until_ms is not None else "firing",
        "labels": labels | {name: key for name, key in places.items() if key},
        "annotations": {"summary": words.title(alert), "description": description},
        "startsAt": rfc3339(alert.since_ms),
        "endsAt": rfc3339(alert.until_ms) or _NEVER,
        "generatorURL": f"{server}{words.href(alert)}",
        "fingerprint": hashlib.sha256(f"{alert.rule}\0{alert.subject}".encode()).hexdigest()[:16],
    }


def _common(texts: Sequence[dict[str, str]]) -> dict[str, str]:
    return {name: text for name, text in texts[0].items() if all(each.get(name) == text for each in texts)}
