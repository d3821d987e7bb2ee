"""The window of a page."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.timeseries import TimeWindow


@dataclass(frozen=True)
class WindowView:
    """The window that a page shows."""

    label: str
    from_ms: int
    to_ms: int

    @classmethod
    def of(cls, window: TimeWindow) -> WindowView:
        """Return the window as pages show it."""
        return cls(window.label, window.start_ms, window.end_ms)
