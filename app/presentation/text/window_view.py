"""The window of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from app.domain.timeseries import TimeWindow
from app.models import TimeMs, sent_as


@dataclass(frozen=True)
class WindowView:
    """The window that a page shows."""

    label: str
    from_ms: Annotated[TimeMs, sent_as("from")]
    to_ms: Annotated[TimeMs, sent_as("to")]

    @classmethod
    def of(cls, window: TimeWindow) -> WindowView:
        """Return the window as pages show it."""
        return cls(window.label, window.start_ms, window.end_ms)
