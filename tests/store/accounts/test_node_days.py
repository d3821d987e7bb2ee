"""A node day that changes while it is computed is computed again, on both engines."""

import pytest

from app.store.accounts import NodeDay, NodeDayStore, any_day, touch
from app.store.database import reading, writing

DAY = 86_400_000


def change(engine, at_ms):
    with writing(engine) as connection:
        touch(connection, ["n1"], 0, DAY, at_ms)


@pytest.mark.parametrize("is_known", [False, True])
def test_what_changed_after_the_reading_keeps_its_mark(engine, is_known):
    days = NodeDayStore(engine)
    if is_known:
        days.save([NodeDay("n1", 0, DAY, "x", 2 * DAY, {"j": 1})])
        change(engine, 3 * DAY)
    assert days.fresh(["n1"], 0, DAY) == {}
    days.expect([("n1", 0, DAY)])
    with reading(engine) as connection:
        assert any_day(connection, ["n1"], 0, DAY)  # so that changes are recorded
    change(engine, 4 * DAY + 5)
    days.save([NodeDay("n1", 0, DAY, "x", 4 * DAY, {"j": 2})])  # read before the change
    assert days.fresh(["n1"], 0, DAY) == {}
    days.expect([("n1", 0, DAY)])
    again = NodeDay("n1", 0, DAY, "x", 5 * DAY, {"j": 3})
    days.save([again])
    assert days.fresh(["n1"], 0, DAY) == {("n1", 0): again}


def test_a_day_that_was_only_expected_is_not_known(engine):
    days = NodeDayStore(engine)
    days.expect([("n1", 0, DAY)])
    assert (days.fresh(["n1"], 0, DAY), days.kept(["n1"], 0, DAY)) == ({}, [])


def test_a_node_that_moved_has_two_days_in_place_of_one(engine):
    days = NodeDayStore(engine)
    days.save([NodeDay("n1", 0, DAY, "x", 2 * DAY, {})])
    halves = [NodeDay("n1", 0, DAY // 2, "x", 3 * DAY, {}), NodeDay("n1", DAY // 2, DAY, "y", 3 * DAY, {})]
    days.expect([(day.node, day.start_ms, day.end_ms) for day in halves])
    days.save(halves)
    assert sorted(days.kept(["n1"], 0, DAY), key=lambda day: day.start_ms) == halves
