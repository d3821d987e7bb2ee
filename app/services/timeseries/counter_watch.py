"""What was seen of the energy counters of each stream, kept by this process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from app.domain.plausibility import CounterColumns, CounterHistory, Reasons
from app.store.timeseries import FrameBatch
from collectors.contract import Layout

_STREAMS = 20_000


@dataclass
class CounterWatch:
    """Histories by layout; those used longest ago are dropped. Safe to share between threads."""

    _known: OrderedDict[str, tuple[CounterColumns, CounterHistory]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def judge(self, batch: FrameBatch) -> tuple[CounterColumns, Reasons | None]:
        """Return the counters of a batch and why their readings are refused; see `CounterHistory.judge`."""
        with self._lock:
            columns, history = self._of(batch.layout)
            return columns, history.judge(columns, batch.values, batch.t_ms) if len(columns.columns) else None

    def _of(self, layout: Layout) -> tuple[CounterColumns, CounterHistory]:
        known = self._known.pop(layout.hash, None)
        if known is None:
            known = CounterColumns.of(layout.series, layout.max_gap_ms), CounterHistory()
            while len(self._known) >= _STREAMS:
                self._known.popitem(last=False)
        self._known[layout.hash] = known
        return known
