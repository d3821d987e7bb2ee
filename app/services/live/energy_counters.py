"""Count the energy of nodes and racks for as long as this process runs, from the minute rollups."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.store.rollups import MinuteStore
from collectors.contract import DAY_MS


@dataclass
class EnergyCounters:
    """Energy of subjects such as `node/hgx-01:power` since they were first asked for [J]. Safe to share.

    A counter never decreases: where minutes are computed again and get less energy it stays until they exceed it. It is
    as late as the minute rollups, a minute or two, and counts covered time only.
    """

    minutes: MinuteStore
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _open_ms: int | None = None
    _before: dict[str, float] = field(default_factory=dict)
    _counted: dict[str, float] = field(default_factory=dict)

    def read(self, subjects: Sequence[str], now_ms: int) -> Mapping[str, float]:
        """Return the counter of each subject that was measured on an open day: today, and yesterday until tomorrow."""
        today_ms = now_ms // DAY_MS * DAY_MS
        with self._lock:
            open_ms = today_ms if self._open_ms is None else self._open_ms
            days = self.minutes.energies(subjects, open_ms)
            for subject in subjects:
                self._count(subject, days.get(subject, {}))
            self._open_ms = max(open_ms, today_ms - DAY_MS)
            self._close(days, self._open_ms)
            return {subject: self._counted[subject] for subject in subjects if subject in self._counted}

    def _count(self, subject: str, days: Mapping[int, float]) -> None:
        total_j = sum(days.values())
        before_j = self._before.setdefault(subject, -total_j)
        if days:
            self._counted[subject] = max(self._counted.get(subject, 0.0), before_j + total_j)

    def _close(self, days: Mapping[str, Mapping[int, float]], open_ms: int) -> None:
        for subject, energies in days.items():
            self._before[subject] += sum(joules for day_ms, joules in energies.items() if day_ms < open_ms)
