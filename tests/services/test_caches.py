"""Shared caches: bounded, fresh for as long as they say, and safe under threads."""

from __future__ import annotations

import sys
import threading
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.domain.energy import Baseline
from app.services.caches import BaselineCache, Cache, SharedCache
from app.services.invalidation import InvalidationStores, node_changed

HOUR_MS = 3_600_000
DAY_MS = 86_400_000
ROUNDS = 1_000
SWITCH_S = 1e-5
"""Threads take turns this often, a hundred times as often as usual, so that a race shows in a short test."""
KEPT = 2_000


def test_a_cache_returns_what_was_stored_last():
    cache: Cache[str, int] = Cache()
    assert cache.get("a") is None
    cache.put("a", 1)
    cache.put("a", 2)
    assert cache.get("a") == 2


def test_a_full_cache_drops_the_value_stored_first():
    cache: Cache[str, int] = Cache(size=2)
    for key, value in (("a", 1), ("b", 2), ("a", 3), ("c", 4)):
        cache.put(key, value)
    assert cache.known() == ["a", "c"]
    assert [cache.get(key) for key in "abc"] == [3, None, 4]


def test_invalidate_forgets_the_named_keys_only():
    cache: Cache[str, int] = Cache()
    cache.put("a", 1)
    cache.put("b", 2)
    cache.invalidate(["b", "unknown"])
    assert cache.known() == ["a"]


def test_a_shared_value_is_computed_once_a_second():
    made = iter(range(10))
    cache: SharedCache[str, int] = SharedCache(kept_ms=1000)
    found = [cache.get("a", now_ms, lambda: next(made)) for now_ms in (5_000, 5_999, 4_500, 6_000, 6_999)]
    assert found == [0, 0, 0, 1, 1]
    assert [cache.get(key, 6_999, lambda: next(made)) for key in "ab"] == [1, 2]
    assert cache.known() == ["a", "b"]
    cache.get("c", 7_500, lambda: next(made))
    assert cache.known() == ["b", "c"], "what is over a second old takes no memory"


def test_a_value_that_could_not_be_computed_is_computed_by_the_next():
    cache: SharedCache[str, int] = SharedCache(kept_ms=1000)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", 0, lambda: 1 // 0)
    assert cache.get("a", 0, lambda: 7) == 7


def test_many_threads_that_request_a_value_at_once_compute_it_once():
    made: list[int] = []
    begun = threading.Barrier(8)
    cache: SharedCache[str, int] = SharedCache(kept_ms=1000)

    def compute() -> int:
        made.append(1)
        return len(made)

    def request(_: int) -> int:
        begun.wait()
        return cache.get("a", 0, compute)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(request, range(8))) == [1] * 8


def test_a_baseline_is_kept_for_an_hour():
    cache = BaselineCache()
    cache.put("n1", DAY_MS, Baseline(300.0, HOUR_MS), now_ms=1_000)
    assert cache.get("n1", DAY_MS, 1_000 + HOUR_MS) == (Baseline(300.0, HOUR_MS),)
    assert cache.get("n1", DAY_MS, 1_001 + HOUR_MS) is None


def test_that_a_node_has_no_baseline_is_kept_too():
    cache = BaselineCache()
    cache.put("n1", DAY_MS, None, now_ms=0)
    assert cache.get("n1", DAY_MS, 0) == (None,)
    assert cache.get("n1", 2 * DAY_MS, 0) is None


def test_a_change_forgets_baselines_of_that_node_measured_after_it():
    cache = BaselineCache()
    for node, day in (("n1", 1), ("n1", 2), ("n1", 3), ("n2", 3)):
        cache.put(node, day * DAY_MS, Baseline(300.0, HOUR_MS), now_ms=0)
    cache.invalidate(["n1"], 2 * DAY_MS)
    kept = [(node, day) for node in ("n1", "n2") for day in (1, 2, 3) if cache.get(node, day * DAY_MS, 0)]
    assert kept == [("n1", 1), ("n1", 2), ("n2", 3)]


def stores(baselines: BaselineCache) -> InvalidationStores:
    jobs = SimpleNamespace(expire=lambda *_: 0)
    return cast(InvalidationStores, SimpleNamespace(baselines=baselines, jobs=jobs, now_ms=lambda: 0))


class BareBaselines(dict[tuple[str, int], Baseline | None]):
    """What the cache would be without a lock."""

    def put(self, node: str, day_ms: int, baseline: Baseline | None, now_ms: int) -> None:
        self[node, day_ms] = baseline

    def invalidate(self, nodes: Collection[str], start_ms: int) -> None:
        for key in [key for key in self if key[0] in nodes and key[1] > start_ms]:
            del self[key]


def hammer(baselines: Any) -> None:
    """Invalidate baselines while another thread stores new ones."""
    for day in range(KEPT):
        baselines.put("n1", day, None, 0)
    together = threading.Barrier(2)
    done = threading.Event()

    def write() -> None:
        together.wait()
        day = KEPT
        while not done.is_set():
            baselines.put("n1", day, None, 0)
            day += 1

    def invalidate() -> None:
        together.wait()
        try:
            for _ in range(ROUNDS):
                node_changed(stores(baselines), ["n2"], 0, 1)
        finally:
            done.set()

    usual_s = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    try:
        with ThreadPoolExecutor(2) as pool:
            for future in [pool.submit(write), pool.submit(invalidate)]:
                future.result(timeout=60)
    finally:
        sys.setswitchinterval(usual_s)


def test_nodes_change_while_baselines_are_stored():
    hammer(BaselineCache())


def test_the_hammer_breaks_a_bare_dict():
    with pytest.raises(RuntimeError, match="dictionary changed size during iteration"):
        hammer(BareBaselines())
