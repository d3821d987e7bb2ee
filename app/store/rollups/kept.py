"""What was computed from the rollups of some days, in memory until one of the days has another revision."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from typing import Generic, NamedTuple, TypeVar

V = TypeVar("V")


class _Kept(NamedTuple, Generic[V]):
    revisions: Mapping[int, int]
    value: V
    bytes: int


class KeptByRevision(Generic[V]):
    """Values by key, those used last, up to `most_bytes` together. Safe to share between threads."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[Hashable, _Kept[V]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, revisions: Mapping[int, int]) -> V | None:
        """Return the value under a key if it was computed from days with these revisions."""
        with self._lock:
            found = self._kept.get(key)
            if found is None or found.revisions != revisions:
                return None
            self._kept.move_to_end(key)
            return found.value

    def put(self, key: Hashable, revisions: Mapping[int, int], value: V, n_bytes: int) -> None:
        """Keep a value of so many bytes under a key."""
        with self._lock:
            self._drop(key)
            self._kept[key] = _Kept(revisions, value, n_bytes)
            self._bytes += n_bytes
            while self._bytes > self._most_bytes:
                self._drop(next(iter(self._kept)))

    def _drop(self, key: Hashable) -> None:
        if (gone := self._kept.pop(key, None)) is not None:
            self._bytes -= gone.bytes
