"""The latest snapshot, computed once a second however many clients are connected."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from app.services.live.live import Snapshot, take
from app.services.live.stores import LiveStores
from app.services.timeseries import LatestReadings, read_latest
from app.store.database import ERRORS

LOOK_EVERY_MS = 950


Taken = tuple[Snapshot, LatestReadings]
"""A snapshot and the readings it was computed from."""


@dataclass
class LiveView:
    """The latest snapshot, shared by all clients. Safe to share between threads.

    `take_rest`: takes it from what can be read, after reading everything failed with an error; or raises that.
    """

    stores: LiveStores
    take_rest: Callable[[Exception], Taken] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _newest: Taken | None = None
    _part: Taken | None = None

    def snapshot(self) -> Snapshot:
        """Return the snapshot to show."""
        return self.shown()[0]

    def shown(self) -> Taken:
        """Return what `current` does; of what can be read while a part of the database cannot."""
        try:
            return self.current()
        except ERRORS as error:
            if self.take_rest is None:
                raise
            return self._rest(self.take_rest, error)

    def recent(self, within_ms: int) -> Snapshot | None:
        """Return the latest snapshot if it is recent; computes none."""
        newest = self._newest
        is_recent = newest is not None and 0 <= self.stores.now_ms() - newest[0].t_ms <= within_ms
        return newest[0] if newest and is_recent else None

    def current(self) -> Taken:
        """Return the latest snapshot, at most a second old, never in part."""
        with self._lock:
            if self._newest is None or self._is_old(self._newest):
                self._newest = take_all(self.stores)
            return self._newest

    def _rest(self, take_rest: Callable[[Exception], Taken], error: Exception) -> Taken:
        with self._lock:
            if self._part is None or self._is_old(self._part):
                self._part = take_rest(error)
            return self._part

    def _is_old(self, taken: Taken) -> bool:
        return not 0 <= self.stores.now_ms() - taken[0].t_ms < LOOK_EVERY_MS


def take_all(stores: LiveStores) -> Taken:
    """Return the state now and the latest readings."""
    latest = read_latest(stores)
    return take(stores, latest), latest
