"""The clocks and the lengths of time that both halves use."""

from __future__ import annotations

import time
from collections.abc import Callable

SECOND_MS = 1_000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
AHEAD_MS = 60 * SECOND_MS
"""How far a reading may be ahead of the server's clock."""


def wall_clock_ms() -> int:
    """Return the time now [ms since 1970, UTC]."""
    return time.time_ns() // 1_000_000


def monotonic_ms() -> int:
    """Return a time that no one sets [ms since the machine started]."""
    return time.monotonic_ns() // 1_000_000


class ScheduleClock:
    """A clock that begins at the wall clock and then advances at a constant rate, even when the wall clock is set."""

    def __init__(self, wall: Callable[[], int] = wall_clock_ms, monotonic: Callable[[], int] = monotonic_ms) -> None:
        self._monotonic = monotonic
        self._base_ms = wall() - monotonic()

    def __call__(self) -> int:
        """Return the time now [ms since 1970, UTC, as of the start]."""
        return self._base_ms + self._monotonic()
