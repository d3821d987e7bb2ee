"""Whether the clock can be trusted with deleting what is old by it."""

from __future__ import annotations

from collections.abc import Callable

from collectors.contract import DAY_MS, HOUR_MS


class SteadyClock:
    """Compares the wall clock with one that is never set.

    After a step of more than an hour, or if the last reading was stored more than a day before the start, a day must
    pass without a step before the clock is trusted: it may be wrong, and what was deleted by it would be lost.
    """

    def __init__(self, now_ms: Callable[[], int], monotonic_ms: Callable[[], float], stored_ms: int | None) -> None:
        """`stored_ms`: when the last reading was stored; None if none was."""
        self._now_ms, self._monotonic_ms = now_ms, monotonic_ms
        self._offset_ms = now_ms() - monotonic_ms()
        is_usual = stored_ms is None or abs(now_ms() - stored_ms) <= DAY_MS
        self._trusted_ms = monotonic_ms() + (0 if is_usual else DAY_MS)

    def is_trusted(self) -> bool:
        """Return whether the clock has run without a step for long enough."""
        monotonic_ms = self._monotonic_ms()
        offset_ms = self._now_ms() - monotonic_ms
        if abs(offset_ms - self._offset_ms) > HOUR_MS:
            self._offset_ms = offset_ms
            self._trusted_ms = monotonic_ms + DAY_MS
        return monotonic_ms >= self._trusted_ms
