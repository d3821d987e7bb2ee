"""The time from which a change is effective."""

from __future__ import annotations

from app.domain.timeseries import moment_ms
from app.errors import Invalid


def effective_ms(text: str) -> int | None:
    """Return the time from which a change is effective from RFC 3339; None (now) for an empty text.

    Raises
    ------
    Invalid
    """
    if not text:
        return None
    try:
        return moment_ms(text)
    except ValueError:
        wanted = "write it like 2026-03-01T08:00:00Z"
        raise Invalid(f"{text!r} is not a time with a time zone", wanted, code="bad_moment") from None
