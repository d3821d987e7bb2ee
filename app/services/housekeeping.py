"""What the server does by itself: closed windows of readings are sealed into chunks."""

from __future__ import annotations

import logging
import threading

from app.services.context import Context
from app.store.chunks import seal_windows

PERIOD_S = 60.0
SETTLED_MS = 15 * 60_000
"""A window is sealed once it is over for this long: collectors that were cut off deliver what they kept."""

_log = logging.getLogger(__name__)


class Housekeeping:
    """A thread that seals once a minute until the server stops. Several processes may do so at once."""

    def __init__(self, context: Context, period_s: float = PERIOD_S) -> None:
        self._context = context
        self._period_s = period_s
        self._thread = threading.Thread(target=self._run, name="housekeeping", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the step in hand after `context.stopping` is set."""
        self._thread.join()

    def seal(self) -> int:
        """Seal what is settled; the number of frames that went into chunks."""
        frames = 0
        for report in seal_windows(self._context.engine, self._context.now_ms() - SETTLED_MS):
            frames += report.frames
            if self._context.stopping.is_set():
                break
        return frames

    def _run(self) -> None:
        while not self._context.stopping.wait(self._period_s):
            try:
                self.seal()
            except Exception:
                _log.exception("sealing failed; trying again in %g s", self._period_s)
