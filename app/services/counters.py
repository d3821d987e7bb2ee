"""What this process has done since it started, counted for its metrics."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Counters:
    """Named counts. Safe to share between threads."""

    _counts: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, name: str, n: int) -> None:
        """Count n more."""
        with self._lock:
            self._counts[name] += n

    def all(self) -> dict[str, int]:
        """Every count."""
        with self._lock:
            return dict(self._counts)
