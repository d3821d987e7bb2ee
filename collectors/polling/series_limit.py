"""Limit the series of one device: how many it has, and how often they change."""

from __future__ import annotations

from collections.abc import Iterable

from collectors.contract import HOUR_MS, Layout
from collectors.device import MOST_SERIES
from collectors.errors import BadAnswer

MOST_LAYOUTS_AN_HOUR = 60


class SeriesLimit:
    """Of one device. Each series costs memory and disk on the server, and each new layout is kept there for good."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._seen_ms: dict[str, int] = {}

    def check(self, layouts: Iterable[Layout], now_ms: int) -> None:
        """Check the layouts of a device.

        Raises
        ------
        BadAnswer
            It has too many series, or other ones with every poll.
        """
        known = list(layouts)
        count = sum(len(layout.series) for layout in known)
        if count > MOST_SERIES:
            detail = f"{self._device} has {count} series, {MOST_SERIES} at most are read"
            raise BadAnswer(detail, "use a profile that reads less of it", "too_many_series")
        if all(layout.hash in self._seen_ms for layout in known):
            self._seen_ms |= dict.fromkeys((layout.hash for layout in known), now_ms)
            return
        self._seen_ms = {hash_: t for hash_, t in self._seen_ms.items() if now_ms - t < HOUR_MS}
        if len(self._seen_ms) + len(known) > MOST_LAYOUTS_AN_HOUR:
            detail = f"{self._device} has had {len(self._seen_ms)} sets of series within an hour"
            raise BadAnswer(detail, "names of points and labels must not change with each answer", "unstable_series")
        self._seen_ms |= dict.fromkeys((layout.hash for layout in known), now_ms)
