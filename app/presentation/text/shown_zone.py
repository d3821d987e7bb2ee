"""The time zone that a page shows its times in; files and the rest of the API are UTC."""

from __future__ import annotations

from contextvars import ContextVar
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

_SHOWN: ContextVar[tzinfo] = ContextVar("shown_zone", default=UTC)


def show_zone(name: str | None) -> None:
    """Show the times of this request in an IANA zone; None is UTC.

    Raises
    ------
    KeyError, ValueError
        There is no such zone.
    """
    _SHOWN.set(ZoneInfo(name) if name and name != "UTC" else UTC)


def shown_zone() -> tzinfo:
    """Return the zone that is shown."""
    return _SHOWN.get()


def shown_time(t_ms: int) -> datetime:
    """Return a time in the zone that is shown."""
    return datetime.fromtimestamp(t_ms / 1000, _SHOWN.get())
