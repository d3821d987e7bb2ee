"""The body of a webhook message, in the form of Prometheus' Alertmanager (version 4)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from app.domain.alerts import AlertLevel
from app.domain.timeseries import rfc3339
from app.presentation.alerts import alert_text as words
from app.store.alerts import StoredAlert

_NEVER = "0001-01-01T00:00:00Z"
_SEVERITY = {AlertLevel.WARN: "warning", AlertLevel.CRIT: "critical"}


def webhook_message(waiting: Sequence[StoredAlert], server: str) -> dict[str, Any]:
    """Return one message about several alerts; it is `firing` while any of them is."""
    alerts = [_alert(one, server) for one in waiting]
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


def _alert(one: StoredAlert, server: str) -> dict[str, Any]:
    alert = one.alert
    labels = {"alertname": alert.rule, "severity": _SEVERITY[alert.level], "subject": alert.subject}
    places = {"device": alert.device, "rack": alert.rack, "node": alert.node}
    description = ". ".join(text for text in (words.missing(alert), words.reason(alert), words.todo(alert)) if text)
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
