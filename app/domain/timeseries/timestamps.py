"""Time stamps in requests and answers: integer milliseconds or RFC 3339 in, RFC 3339 with a `Z` out."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from collectors.contract import AHEAD_MS

__all__ = ["AHEAD_MS", "LATEST_MS", "is_current", "moment_ms", "rfc3339"]
_RFC3339 = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})")
LATEST_MS = 253_402_300_799_999
"""The end of the year 9999."""


def moment_ms(given: object) -> int:
    """Return UTC [ms] of an integer of milliseconds or an RFC 3339 text with its offset.

    Raises
    ------
    ValueError
        It is neither, or not between 1970 and 9999.
    """
    if isinstance(given, str) and _RFC3339.fullmatch(given):
        t_ms = round(datetime.fromisoformat(given.upper().replace(" ", "T")).timestamp() * 1000)
    elif isinstance(given, bool) or not isinstance(given, int):
        raise ValueError(f"{given!r} is neither integer milliseconds nor RFC 3339 with an offset")
    else:
        t_ms = given
    if not 0 <= t_ms <= LATEST_MS:
        raise ValueError(f"{given}{' ms' * (t_ms is given)} lies outside the years 1970 to 9999")
    return t_ms


def is_current(t_ms: int, now_ms: int, for_ms: float) -> bool:
    """Return whether a reading still counts `for_ms` after its time; one from the future does not.

    Readings from the future are left by a clock that was set back; they would count until that time comes again.
    """
    return -AHEAD_MS <= now_ms - t_ms <= for_ms


def rfc3339(t_ms: int | None) -> str | None:
    """Return a time for an answer; milliseconds only if they are not zero."""
    if t_ms is None:
        return None
    seconds, milliseconds = divmod(t_ms, 1000)
    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{milliseconds:03d}Z" if milliseconds else f"{text}Z"
