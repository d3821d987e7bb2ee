"""Kept values: valid while no day has another revision, and bounded in bytes."""

from app.store.rollups.kept import KeptByRevision


def test_a_value_is_kept_until_a_day_changes():
    kept = KeptByRevision[str](1000)
    kept.put("a", {1: 7}, "old", 10)
    assert (kept.get("a", {1: 7}), kept.get("a", {1: 8}), kept.get("a", {}), kept.get("b", {1: 7})) == (
        "old", None, None, None,
    )  # fmt: skip
    kept.put("a", {1: 8}, "new", 10)
    assert (kept.get("a", {1: 7}), kept.get("a", {1: 8})) == (None, "new")


def test_those_used_last_stay_within_the_bytes():
    kept = KeptByRevision[int](100)
    for i in range(3):
        kept.put(i, {}, i, 40)
        kept.get(0, {})
    assert [kept.get(i, {}) for i in range(3)] == [0, None, 2]
    kept.put(9, {}, 9, 101)
    assert [kept.get(i, {}) for i in (0, 2, 9)] == [None, None, None]
    kept.put(1, {}, 1, 60)
    kept.put(1, {}, 2, 60)
    kept.put(2, {}, 2, 40)
    assert (kept.get(1, {}), kept.get(2, {})) == (2, 2)
