"""What a server does beside answering: figures of ended jobs, and sealing what has come to rest."""

from __future__ import annotations

import logging
import threading

from app.services.context import Context
from app.services.jobs import refresh
from app.store.chunks import seal_windows

REFRESH_EVERY_S = 5.0
JOBS_AT_ONCE = 20
SEAL_EVERY_S = 600.0
REST_MS = 3_600_000
"""Windows are sealed so long after their end, when most late frames have come."""
_LOG = logging.getLogger(__name__)


class Upkeep:
    """A thread that works until the server stops. Several processes may do it on one database."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._until_seal_s = REFRESH_EVERY_S
        self._thread = threading.Thread(target=self._run, name="upkeep", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def join(self) -> None:
        """Wait until the work in hand is done; the context is stopping."""
        self._thread.join(timeout=10)

    def _run(self) -> None:
        failed = False
        while not self._context.stopping.wait(REFRESH_EVERY_S):
            try:
                self._turn()
                failed = False
            except Exception:
                if not failed:
                    _LOG.exception("upkeep failed and goes on trying")
                failed = True

    def _turn(self) -> None:
        refresh(self._context, JOBS_AT_ONCE)
        self._until_seal_s -= REFRESH_EVERY_S
        if self._until_seal_s <= 0:
            self._until_seal_s = SEAL_EVERY_S
            seal_rested(self._context)


def seal_rested(context: Context) -> int:
    """Seal every window that is over and at rest; returns how many frames. Stops between windows with the server."""
    frames = 0
    for report in seal_windows(context.engine, context.now_ms() - REST_MS):
        frames += report.frames
        if context.stopping.is_set():
            break
    return frames
