"""A stretch of time that an answer covers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """Start (inclusive) and end (exclusive) of a window [ms UTC], and its label, such as "last 24 hours"."""

    start_ms: int
    end_ms: int
    label: str = ""

    @property
    def length_ms(self) -> int:
        """Return the duration [ms]."""
        return self.end_ms - self.start_ms
