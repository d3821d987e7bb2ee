"""Caches that threads share: every access takes a lock, and `invalidate` forgets what is out of date."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar, cast

from app.domain.energy import Baseline
from app.store.accounts import NodeDay
from app.store.jobs import Summary
from collectors.contract import HOUR_MS, MINUTE_MS

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Cache(Generic[K, V]):
    """Up to `size` values by key; the oldest is dropped for a new one."""

    def __init__(self, size: int = 10_000) -> None:
        self._size = size
        self._values: dict[K, V] = {}
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """Return the value under a key."""
        with self._lock:
            return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        """Store a value under a key."""
        with self._lock:
            self._values.pop(key, None)
            while len(self._values) >= self._size:
                del self._values[next(iter(self._values))]
            self._values[key] = value

    def invalidate(self, keys: Collection[K]) -> None:
        """Forget the values under some keys."""
        with self._lock:
            for key in keys:
                self._values.pop(key, None)

    def known(self) -> list[K]:
        """Return the keys now, oldest first."""
        with self._lock:
            return list(self._values)


@dataclass
class _Shared(Generic[V]):
    """A value and when it was computed; the lock is held while it is."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    made_ms: int | None = None
    value: V | None = None


class SharedCache(Generic[K, V]):
    """Values that many clients request at once: each is computed by the first of them and shared for `kept_ms`.

    They may be large: older ones are dropped by the next request.
    """

    def __init__(self, kept_ms: int) -> None:
        self._kept_ms = kept_ms
        self._shared: dict[K, _Shared[V]] = {}
        self._lock = threading.Lock()

    def get(self, key: K, now_ms: int, compute: Callable[[], V]) -> V:
        """Return the value under a key, at most `kept_ms` older or newer than now; `compute` it where there is none."""
        with self._lock:
            self._shared = {k: one for k, one in self._shared.items() if self._is_shared(one, now_ms)}
            shared = self._shared.setdefault(key, _Shared())
        with shared.lock:
            if shared.made_ms is None:
                shared.value, shared.made_ms = compute(), now_ms
            return cast("V", shared.value)

    def known(self) -> list[K]:
        """Return the keys now."""
        with self._lock:
            return list(self._shared)

    def _is_shared(self, one: _Shared[V], now_ms: int) -> bool:
        return one.made_ms is None or abs(now_ms - one.made_ms) < self._kept_ms


class SummaryCache(Cache[str, Summary]):
    """The last computed figures of running jobs, by job id."""


class BaselineCache:
    """Measured idle power by node and the day before which it was measured, each kept for an hour."""

    def __init__(self) -> None:
        self._measured: Cache[tuple[str, int], tuple[int, Baseline | None]] = Cache()

    def get(self, node: str, day_ms: int, now_ms: int) -> tuple[Baseline | None] | None:
        """Return the baseline as a tuple of one (None in it: too little idle time), or None where it is not kept."""
        found = self._measured.get((node, day_ms))
        return None if found is None or not 0 <= now_ms - found[0] <= HOUR_MS else (found[1],)

    def put(self, node: str, day_ms: int, baseline: Baseline | None, now_ms: int) -> None:
        """Keep a baseline that was measured now."""
        self._measured.put((node, day_ms), (now_ms, baseline))

    def invalidate(self, nodes: Collection[str], start_ms: int) -> None:
        """Forget what was measured of some nodes before days after `start_ms`."""
        wanted = set(nodes)
        self._measured.invalidate([key for key in self._measured.known() if key[0] in wanted and key[1] > start_ms])


class LastValueCache:
    """The last values of series whose newest frames have none, each read again after five minutes."""

    def __init__(self) -> None:
        self._found: Cache[str, tuple[int, tuple[float, int] | None]] = Cache()

    def get(self, key: str, now_ms: int) -> tuple[tuple[float, int] | None] | None:
        """Return a value and its time as a tuple of one (None in it: no such value), or None where it is not kept."""
        found = self._found.get(key)
        return None if found is None or not 0 <= now_ms - found[0] <= 5 * MINUTE_MS else (found[1],)

    def put(self, key: str, last: tuple[float, int] | None, now_ms: int) -> None:
        """Keep what was read now."""
        self._found.put(key, (now_ms, last))


class KeptPower(NamedTuple):
    """The mean power [W] and span [ms] that a register gave at its reading of `t_ms`; None where it gave none."""

    t_ms: int
    mean: tuple[float, int] | None


class DerivedPowerCache(Cache[str, KeptPower]):
    """The power now of points that report energy registers alone, by `device/point`."""

    def __init__(self) -> None:
        super().__init__(50_000)


class RunningDayCache:
    """Days of nodes that are not over, by node and start, each kept for a quarter of an hour."""

    def __init__(self) -> None:
        self._computed: Cache[tuple[str, int], NodeDay] = Cache(50_000)

    def get(self, key: tuple[str, int], now_ms: int) -> NodeDay | None:
        """Return a day up to when it was computed; None where it is not kept."""
        found = self._computed.get(key)
        return found if found is not None and 0 <= now_ms - found.computed_at_ms <= 15 * MINUTE_MS else None

    def put_many(self, days: Collection[NodeDay]) -> None:
        """Keep days that were computed now."""
        for day in days:
            self._computed.put((day.node, day.start_ms), day)


class LoadCache:
    """Series per second of each device, kept for a minute."""

    def __init__(self) -> None:
        self._kept: tuple[int, Mapping[str, float]] | None = None
        self._lock = threading.Lock()

    def get(self, now_ms: int) -> Mapping[str, float] | None:
        """Return the loads if they were stored less than a minute ago."""
        with self._lock:
            kept = self._kept
        return kept[1] if kept is not None and 0 <= now_ms - kept[0] < MINUTE_MS else None

    def put(self, loads: Mapping[str, float], now_ms: int) -> None:
        """Store the loads."""
        with self._lock:
            self._kept = now_ms, loads

    def invalidate(self) -> None:
        """Forget the loads."""
        with self._lock:
            self._kept = None
