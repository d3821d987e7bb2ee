"""A thread that calls a function at fixed intervals of the monotonic clock, without drift."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

_LOG = logging.getLogger(__name__)


class SamplingThread(threading.Thread):
    """Calls `work` at start, start + interval, start + 2 intervals …; times that have already passed are skipped.

    `samples`, `skipped` and `failed` are counters; `busy_s` is the time spent in `work`.
    """

    def __init__(
        self, work: Callable[[], None], interval_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(name="sampler", daemon=True)
        self._work = work
        self._interval_s = interval_s
        self._clock = clock
        self._end = threading.Event()
        self.samples = self.skipped = self.failed = 0
        self.busy_s = 0.0

    def run(self) -> None:
        """Call `work` until stopped."""
        due_s = self._clock()
        while not self._end.wait(max(0.0, due_s - self._clock())):
            self.once()
            due_s = self.after(due_s)

    def once(self) -> None:
        """Call `work` once; count an exception, log the first one, and continue."""
        began_s = self._clock()
        try:
            self._work()
            self.samples += 1
        except Exception:
            if not self.failed:
                _LOG.exception("sample failed")
            self.failed += 1
        self.busy_s += self._clock() - began_s

    def after(self, due_s: float) -> float:
        """Return the next due time, counting those that have passed as skipped."""
        missed = max(0, int((self._clock() - due_s) / self._interval_s))
        self.skipped += missed
        return due_s + (missed + 1) * self._interval_s

    def stop(self) -> None:
        """Stop after the current sample; do not wait for a driver that hangs."""
        self._end.set()
        if self.is_alive():
            self.join(timeout=2.0)
