"""Days in a time zone: midnight to midnight, 23 or 25 hours when clocks change."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from collectors.contract import HOUR_MS


@dataclass(frozen=True)
class LocalDay:
    """A day in a time zone: [start, end) [ms UTC]."""

    date: date
    start_ms: int
    end_ms: int

    @property
    def hours(self) -> float:
        """Its length [h]."""
        return (self.end_ms - self.start_ms) / HOUR_MS


def local_days(first: date, end: date, timezone: str | None) -> list[LocalDay]:
    """Return the days from `first` until before `end` in an IANA zone (None: UTC)."""
    zone = ZoneInfo(timezone or "UTC")
    dates = [first + timedelta(days=i) for i in range((end - first).days + 1)]
    starts = [_midnight_ms(day, zone) for day in dates]
    return [LocalDay(day, a, b) for day, a, b in zip(dates, starts, starts[1:], strict=False)]


def local_date(t_ms: int, timezone: str | None) -> date:
    """Return the date in an IANA zone (None: UTC)."""
    return datetime.fromtimestamp(t_ms / 1000, ZoneInfo(timezone or "UTC")).date()


def _midnight_ms(day: date, zone: ZoneInfo) -> int:
    # Where clocks skip midnight (Cairo, Havana), fold=0 gives the moment of the change.
    moment = datetime(day.year, day.month, day.day, tzinfo=zone)
    return round(moment.astimezone(UTC).timestamp() * 1000)
