"""The wall clock and the lengths of time that both halves use."""

from __future__ import annotations

import time

SECOND_MS = 1_000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS


def wall_clock_ms() -> int:
    """Return the time now [ms since 1970, UTC]."""
    return time.time_ns() // 1_000_000
