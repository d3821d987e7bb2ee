"""When a receiver is not sent alerts: silences and quiet hours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time
from zoneinfo import ZoneInfo

from app.domain.alerts.lifecycle import Alert

PLACES = ("rule", "rack", "device", "node")


@dataclass(frozen=True)
class Silence:
    """A time in which no receiver is sent new alerts of a rule, rack, device or node: [start, end).

    All that is given must match; a silence that gives none is about every alert.
    """

    id: int
    start_ms: int
    end_ms: int
    made_by: str
    note: str = ""
    rule: str | None = None
    rack: str | None = None
    device: str | None = None
    node: str | None = None

    def is_about(self, alert: Alert) -> bool:
        """Return whether it is about an alert."""
        return all(getattr(self, name) in (None, getattr(alert, name)) for name in PLACES)

    def covers(self, t_ms: int) -> bool:
        """Return whether it applies at a time."""
        return self.start_ms <= t_ms < self.end_ms


def silence_of(alert: Alert, silences: Iterable[Silence], now_ms: int) -> Silence | None:
    """Return the silence of an alert that lasts longest: of an active alert now, of a past one from opening to end."""
    moments = [now_ms] if alert.until_ms is None else [alert.opened_ms or alert.since_ms, alert.until_ms]
    found = [one for one in silences if one.is_about(alert) and all(one.covers(t_ms) for t_ms in moments)]
    return max(found, key=lambda one: one.end_ms, default=None)


@dataclass(frozen=True)
class QuietHours:
    """The hours of each day in which only critical alerts are sent; they may span midnight. Local times."""

    start: time
    end: time
    timezone: str = "UTC"

    def covers(self, t_ms: int) -> bool:
        """Return whether a time is within them."""
        now = datetime.fromtimestamp(t_ms / 1000, ZoneInfo(self.timezone)).time()
        if self.start <= self.end:
            return self.start <= now < self.end
        return now >= self.start or now < self.end
