"""Days of a place: from midnight to midnight of its own clocks, 23 or 25 hours where they change."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from collectors.contract import HOUR_MS


@dataclass(frozen=True)
class LocalDay:
    """A day of a place: [start, end) [ms UTC]."""

    date: date
    start_ms: int
    end_ms: int

    @property
    def hours(self) -> float:
        """How long it is."""
        return (self.end_ms - self.start_ms) / HOUR_MS


def local_days(first: date, end: date, timezone: str | None) -> list[LocalDay]:
    """The days from `first` until before `end` in an IANA zone (None: UTC)."""
    zone = ZoneInfo(timezone or "UTC")
    dates = [first + timedelta(days=i) for i in range((end - first).days + 1)]
    starts = [_midnight_ms(day, zone) for day in dates]
    return [LocalDay(day, a, b) for day, a, b in zip(dates, starts, starts[1:], strict=False)]


def local_date(t_ms: int, timezone: str | None) -> date:
    """Which day it is there."""
    return datetime.fromtimestamp(t_ms / 1000, ZoneInfo(timezone or "UTC")).date()


def _midnight_ms(day: date, zone: ZoneInfo) -> int:
    # Where clocks jump over midnight (Cairo, Havana), fold=0 reads the time before the jump: the moment of the jump.
    moment = datetime(day.year, day.month, day.day, tzinfo=zone)
    return round(moment.astimezone(UTC).timestamp() * 1000)
