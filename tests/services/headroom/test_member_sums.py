"""Sums of days that are kept equal what the minutes of the members give at once, and follow every change of them."""

import numpy as np
import pytest

from app.domain.energy import statistics
from app.domain.rollups.minute_steps import Minutes, coarser
from app.domain.timeseries import add, from_samples
from app.services.headroom.day_sums import prepare_day_sums
from app.services.headroom.member_sums import member_sums, sums_of_days
from app.services.stores import open_stores
from app.settings import Settings
from app.store.database.engine import writing
from app.store.facility import Device, Rack, Room, Site
from app.store.rollups.minutes import packed, save
from collectors.contract import DAY_MS, HOUR_MS, MINUTE_MS

FIRST = 20_000 * DAY_MS
NOW = FIRST + 3 * DAY_MS + 90 * MINUTE_MS
ROW = "row/hall/a:power"
MEMBERS = ["rack/r1:power", "rack/r2:power"]


@pytest.fixture
def stores(engine, tmp_path):
    return open_stores(Settings(data_dir=tmp_path), lambda: NOW, engine)


def a_day(day_ms, mean_w, missing=(), end_ms=NOW):
    """A day of whole minutes at `mean_w` (a number, or one a minute), without some minutes, up to `end_ms`."""
    day = Minutes.blank(day_ms, day_ms + DAY_MS)
    day.covered_ms[:] = np.where(day.t_ms < end_ms, MINUTE_MS, 0)
    day.covered_ms[list(missing)] = 0
    day.integral[:] = mean_w * day.covered_ms / 1000
    there = day.covered_ms > 0
    day.low[there] = day.high[there] = day.integral[there] * 1000 / day.covered_ms[there]
    return day


def store(stores, subject, *days):
    for day in days:
        day_ms = int(day.t_ms[0]) // DAY_MS * DAY_MS
        with writing(stores.engine) as connection:
            save(connection, day_ms, {subject: packed(day)})


def figures(stores, start_ms, end_ms, members=MEMBERS):
    curve = member_sums(stores, {ROW: members}, start_ms, end_ms)[ROW]
    found = statistics(curve, start_ms, end_ms)
    return found.max, found.median, found.p99, found.covered_ms


def kept_days(stores):
    return sorted(stores.day_sums.read([ROW], 0, NOW).get(ROW, {}))


def test_by_hand(stores):
    """Day 1: 100 + 200 W. Day 2: 400 + 200 W, r2 without minutes 0…719. Day 3: 100 + 200 W, today 90 minutes of 700 W.

    The sum is not known while r2 is missing: its last minute of day 1 is held for a minute, to 00:00:30 of day 2, where
    r1 draws 400 W: a point of 600 W. It is known again from 12:00:30.
    """
    store(stores, MEMBERS[0], *(a_day(FIRST + i * DAY_MS, w) for i, w in enumerate((100.0, 400.0, 100.0, 500.0))))
    store(stores, MEMBERS[1], a_day(FIRST, 200.0), a_day(FIRST + DAY_MS, 200.0, range(720)))
    store(stores, MEMBERS[1], a_day(FIRST + 2 * DAY_MS, 200.0), a_day(FIRST + 3 * DAY_MS, 200.0))
    for _ in range(2):  # the second time from the kept days
        max_w, median_w, p99_w, covered_ms = figures(stores, FIRST, NOW)
        assert (max_w, median_w, p99_w) == (700.0, 300.0, 700.0)  # 90 of 3,690 minutes are 2.4 %
        # from the middle of the first minute to half a minute into day 2, and from 12:00:30 of day 2 to now
        assert covered_ms == DAY_MS + (DAY_MS // 2 - 30_000) + DAY_MS + 90 * MINUTE_MS
        assert figures(stores, FIRST + 6 * HOUR_MS, FIRST + 30 * HOUR_MS)[3] == 18 * HOUR_MS + 30_000
    assert kept_days(stores) == [FIRST, FIRST + DAY_MS, FIRST + 2 * DAY_MS]
    assert [one.max_v for one in stores.day_sums.read([ROW], FIRST, NOW)[ROW].values()] == [300.0, 600.0, 300.0]


def test_a_late_reading_and_another_member_change_the_sum(stores):
    store(stores, MEMBERS[0], *(a_day(FIRST + i * DAY_MS, 100.0) for i in range(4)))
    store(stores, MEMBERS[1], *(a_day(FIRST + i * DAY_MS, 200.0) for i in range(4)))
    store(stores, "rack/r3:power", *(a_day(FIRST + i * DAY_MS, 50.0) for i in range(4)))
    assert figures(stores, FIRST, NOW)[:2] == (300.0, 300.0)
    late = np.full(1440, 200.0)
    late[600] = 900.0
    store(stores, MEMBERS[1], a_day(FIRST + DAY_MS, late))
    assert figures(stores, FIRST, NOW)[:2] == (1000.0, 300.0)
    assert figures(stores, FIRST, NOW, ["rack/r3:power", *MEMBERS])[:2] == (1050.0, 350.0)
    assert figures(stores, FIRST, NOW, MEMBERS[:1])[:2] == (100.0, 100.0)


def test_the_end_of_a_day_counts_in_the_next(stores):
    """r2 ends at midnight: its last minute is held to 00:00:30. Deleted late, it ends at 23:59:30."""
    store(stores, MEMBERS[0], *(a_day(FIRST + i * DAY_MS, 100.0) for i in range(4)))
    store(stores, MEMBERS[1], a_day(FIRST, 200.0))
    assert figures(stores, FIRST, NOW)[3] == DAY_MS - 30_000 + 30_000
    store(stores, MEMBERS[1], a_day(FIRST, 200.0, [1439]))
    assert figures(stores, FIRST, NOW)[3] == DAY_MS - 30_000 - 30_000


@pytest.mark.parametrize("seed", range(4))
def test_any_holes_and_hours(stores, seed):
    """The curves of all minutes of the window added at once, without days."""
    rng = np.random.default_rng(seed)
    known = {}
    for member in MEMBERS:
        days = [
            a_day(FIRST + i * DAY_MS, rng.integers(1, 999, 1440), np.flatnonzero(rng.random(1440) < 0.1))
            for i in range(4)
        ]
        days[int(rng.integers(0, 3))] = coarser(days[0], HOUR_MS) if seed % 2 else a_day(FIRST, 7.0, range(1440))
        days = [day for i, day in enumerate(days) if int(day.t_ms[0]) == FIRST + i * DAY_MS]
        store(stores, member, *days)
        known[member] = days
    curves = []
    for days in known.values():
        t, step, mean = (np.concatenate([getattr(d, name) for d in days]) for name in ("t_ms", "step_ms", "mean"))
        curves.append(from_samples(t + step // 2, mean, step, step))
    for _ in range(2):
        for start_ms, end_ms in ((FIRST, NOW), (FIRST + DAY_MS // 2, NOW), (FIRST, FIRST + 2 * DAY_MS)):
            expected = statistics(add(curves), start_ms, end_ms)
            assert figures(stores, start_ms, end_ms) == (
                expected.max, expected.median, expected.p99, expected.covered_ms,
            )  # fmt: skip


def test_sums_covered_alike_share_their_times(stores):
    for member in MEMBERS:
        store(stores, member, *(a_day(FIRST + i * DAY_MS, 100.0) for i in range(4)))
    found = member_sums(stores, {ROW: MEMBERS, "row/hall/b:power": MEMBERS[:1]}, FIRST, NOW)
    assert found[ROW].time_base is found["row/hall/b:power"].time_base


def test_a_group_that_is_not_measured_is_unknown(stores):
    found = sums_of_days(stores, {ROW: ["rack/r9:power"]}, range(FIRST, FIRST + DAY_MS, DAY_MS))
    assert found[ROW][FIRST].max_v is None


def test_past_days_are_summed_before_they_are_asked_for(stores):
    """Row A of the hall, and feed A, whose only PDU is in r1. Yesterday changes after it was summed."""
    racks = [Rack(key=key, site="s", room="hall", row="a") for key in ("r1", "r2")]
    pdu = Device(key="p1", kind="pdu", site="s", rack="r1", feed="A")
    stores.facility.upsert([Site(key="s"), Room(key="hall", site="s"), *racks, pdu], effective_ms=0)
    for subject, mean_w in ((MEMBERS[0], 100.0), (MEMBERS[1], 200.0), ("pdu/p1:power", 80.0)):
        store(stores, subject, *(a_day(FIRST + i * DAY_MS, mean_w) for i in range(4)))
    prepare_day_sums(stores)
    for subject, watts in ((ROW, 300.0), ("feed/hall/A:power", 80.0)):
        days = stores.day_sums.read([subject], FIRST, NOW)[subject]
        assert {day: one.max_v for day, one in days.items()} == dict.fromkeys(
            range(FIRST, FIRST + 3 * DAY_MS, DAY_MS), watts
        )
    store(stores, MEMBERS[1], a_day(FIRST + 2 * DAY_MS, 250.0))
    stores.stopping.set()
    prepare_day_sums(stores)
    assert stores.day_sums.read([ROW], FIRST, NOW)[ROW][FIRST + 2 * DAY_MS].max_v == 300.0
    stores.stopping.clear()
    prepare_day_sums(stores)
    assert stores.day_sums.read([ROW], FIRST, NOW)[ROW][FIRST + 2 * DAY_MS].max_v == 350.0
    before = stores.day_sums.read([ROW], FIRST, NOW)
    assert figures(stores, NOW - 3 * DAY_MS, NOW)[0] == 350.0
    assert stores.day_sums.read([ROW], FIRST, NOW) == before
