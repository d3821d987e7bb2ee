"""The time-series table: frames go in, samples come out."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Engine

from app.store.readings import FrameBatch, LatestFrame, Samples, SeriesInfo, WriteResult
from collectors.frame import Layout

__all__ = ["FrameBatch", "FrameStore", "LatestFrame", "Samples", "SeriesInfo", "WriteResult"]


class FrameStore:
    """Readings of all devices. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def announce(self, layout: Layout) -> int:
        """Make a layout known; the id is the same for the same content."""
        raise NotImplementedError

    def layout(self, hash_: str) -> Layout | None:
        """The layout announced under this hash."""
        raise NotImplementedError

    def write(self, batches: Sequence[FrameBatch]) -> list[WriteResult]:
        """Store frames, one transaction per stream; repeating it changes nothing. Results in the order given."""
        raise NotImplementedError

    def read(self, keys: Sequence[str], start_ms: int, end_ms: int) -> dict[str, Samples]:
        """The samples of series `device/point:quantity` in [start, end) and the neighbours that shape their curves.

        A series nobody announced comes back empty.
        """
        raise NotImplementedError

    def series(self, device: str | None = None) -> list[SeriesInfo]:
        """All series (of a device), each as its stream's newest layout that has it describes it; sorted by key."""
        raise NotImplementedError

    def latest(self, devices: Sequence[str] | None = None) -> dict[str, list[LatestFrame]]:
        """The newest frame of each stream, by device (all of them without a list)."""
        raise NotImplementedError

    def span(self, device: str) -> tuple[int, int] | None:
        """First and last moment a device has frames of."""
        raise NotImplementedError
