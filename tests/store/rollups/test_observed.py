"""What things drew over any window equals what their minutes say, however the window cuts days."""

import numpy as np
import pytest

from app.domain.rollups.minute_steps import Minutes, coarser
from app.store.database.engine import writing
from app.store.rollups.days import day_figures, save_days
from app.store.rollups.minutes import MinuteStore, packed, save
from collectors.contract import DAY_MS, HOUR_MS, MINUTE_MS

FIRST = 20_000 * DAY_MS
DAYS = 4
NOBODY = "node/nobody:power"


def a_day(rng, day_ms):
    """A day of few and equal values, with holes."""
    day = Minutes.blank(day_ms, day_ms + DAY_MS)
    day.covered_ms[:] = rng.choice([0, 20_000, MINUTE_MS], len(day), p=[0.3, 0.1, 0.6])
    mean = rng.choice([0.0, 80.0, 250.0, 4000.0], len(day))
    there = day.covered_ms > 0
    day.integral[there] = (mean * day.covered_ms / 1000)[there]
    day.low[there], day.high[there] = mean[there] - 1, (mean + rng.integers(0, 3, len(day)))[there]
    return day


def stored(engine, rng):
    """By subject its steps; `n2` has its first day in hours, `n3` a day without a reading, `n4` no figures of days."""
    known = {}
    for node in range(5):
        subject, steps = f"node/n{node}:power", []
        for number in range(DAYS):
            day_ms = FIRST + number * DAY_MS
            day = a_day(rng, day_ms)
            if (node, number) == (3, 1):
                continue
            figures = {} if node == 4 else day_figures(day)
            if (node, number) == (2, 0):
                day = coarser(day, HOUR_MS)
            with writing(engine) as connection:
                save(connection, day_ms, {subject: packed(day)})
                save_days(connection, day_ms, {subject: figures})
            steps.append(day)
        known[subject] = steps
    return known


def told(steps, start_ms, end_ms, whole_days_count=True):
    """Integral, covered time, maximum, its minute, and the median and p99 of the means of steps: one by one."""
    rows = []
    for day in steps:
        first = int(day.t_ms[0])
        whole = start_ms <= first and first + DAY_MS <= end_ms
        if whole and not whole_days_count:
            continue
        each = zip(day.t_ms.tolist(), day.step_ms.tolist(), day.integral, day.high, day.covered_ms, strict=True)
        rows += [(t, i, h, c) for t, step, i, h, c in each if c and start_ms <= t and t + step <= end_ms]
    if not rows:
        return None
    covered = sum(c for *_, c in rows)
    most = max(h for _, _, h, _ in rows)
    means = sorted((1000 * i / c, c) for _, i, _, c in rows)
    below, quantiles = 0, []
    for mean, weight in means:
        below += weight
        while len(quantiles) < 2 and below >= (0.5, 0.99)[len(quantiles)] * covered:
            quantiles.append(mean)
    at = min(t for t, _, h, _ in rows if h == most)
    return sum(i for _, i, _, _ in rows), covered, most, at, *quantiles


def windows(rng):
    yield FIRST, FIRST + DAYS * DAY_MS
    yield FIRST + DAY_MS // 2, FIRST + 3 * DAY_MS + DAY_MS // 2  # from noon to noon
    yield FIRST + 10 * HOUR_MS, FIRST + 11 * HOUR_MS
    yield FIRST - DAY_MS, FIRST
    for _ in range(25):
        start_ms, end_ms = sorted(rng.integers(FIRST - HOUR_MS, FIRST + DAYS * DAY_MS + HOUR_MS, 2).tolist())
        yield start_ms, end_ms + 1


@pytest.mark.parametrize("is_merged", [False, True], ids=["plain", "merged"])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_what_the_minutes_say_one_by_one(engine, seed, is_merged, monkeypatch):
    if is_merged:  # also the few whole days of these windows
        monkeypatch.setattr("app.store.rollups.observed.LEAST_MERGED", 1)
        monkeypatch.setattr("app.store.rollups.observed.CHANGING_DAYS", 1)
    rng = np.random.default_rng(seed)
    known = stored(engine, rng)
    store = MinuteStore(engine)
    for start_ms, end_ms in windows(rng):
        found = store.observed([*known, NOBODY], start_ms, end_ms)
        for subject, steps in known.items():
            in_hours = subject == "node/n2:power" and start_ms < FIRST + DAY_MS
            if in_hours and start_ms <= FIRST and end_ms >= FIRST + DAY_MS:
                continue  # the figures of that day are of its minutes, which are gone
            expected = told(steps, start_ms, end_ms, whole_days_count=subject != "node/n4:power")
            if expected is None:
                assert subject not in found
                continue
            one = found[subject]
            assert (one.covered_ms, one.max) == (expected[1], expected[2]), subject
            assert one.max_at_ms // HOUR_MS == expected[3] // HOUR_MS if in_hours else one.max_at_ms == expected[3]
            assert one.integral == pytest.approx(expected[0])
            assert (one.median, one.p99) == pytest.approx(expected[4:], rel=0.005, abs=1e-3)
        assert NOBODY not in found


def test_means_are_those_of_each_covered_step_and_subjects_covered_alike_share_their_times(engine):
    rng = np.random.default_rng(9)
    known, twin = stored(engine, rng), "node/n9:power"
    known[twin] = known["node/n0:power"]
    for day in known[twin]:
        with writing(engine) as connection:
            save(connection, int(day.t_ms[0]), {twin: packed(day)})
    store = MinuteStore(engine)
    for start_ms, end_ms in list(windows(rng))[:6]:
        groups = store.means([*known, NOBODY], start_ms, end_ms)
        assert sorted(len(one.mean) for one in groups) in ([1, 1, 1, 1, 2], []), (start_ms, end_ms)
        found = {subject: (one.t_ms, one.step_ms, mean) for one in groups for subject, mean in one.mean.items()}
        for subject, steps in known.items():
            covered = [day.part((day.covered_ms > 0) & (day.t_ms + day.step_ms > start_ms)) for day in steps]
            inside = [day.part(day.t_ms < end_ms) for day in covered]
            expected = [np.concatenate([getattr(day, name) for day in inside]) for name in ("t_ms", "step_ms", "mean")]
            same = map(np.array_equal, expected, found.get(subject, [np.empty(0)] * 3))
            assert all(same), (subject, start_ms, end_ms)


def test_a_late_reading_changes_what_is_kept(engine):
    """40 whole days of 100 W, of which all but the last are merged once; then 700 W in a minute of the tenth."""
    store, subject = MinuteStore(engine), "node/n1:power"
    for number in range(40):
        with writing(engine) as connection:
            save_days(
                connection, FIRST + number * DAY_MS, {subject: day_figures(level(FIRST + number * DAY_MS, 100.0))}
            )
    for _ in range(2):
        (one,) = store.observed([subject], FIRST, FIRST + 40 * DAY_MS).values()
        assert (one.max, one.covered_ms, one.integral) == (100.0, 40 * DAY_MS, 40 * 86_400 * 100.0)
        assert one.p99 == pytest.approx(100.0, rel=0.005)
    late = level(FIRST + 10 * DAY_MS, 100.0)
    late.integral[600], late.high[600] = 60 * 700.0, 700.0
    with writing(engine) as connection:
        save_days(connection, FIRST + 10 * DAY_MS, {subject: day_figures(late)})
    (one,) = store.observed([subject], FIRST, FIRST + 40 * DAY_MS).values()
    assert (one.max, one.max_at_ms) == (700.0, FIRST + 10 * DAY_MS + 600 * MINUTE_MS)
    with writing(engine) as connection:
        save_days(connection, FIRST + 10 * DAY_MS, {subject: {}})
    (one,) = store.observed([subject], FIRST, FIRST + 40 * DAY_MS).values()
    assert (one.max, one.covered_ms) == (100.0, 39 * DAY_MS)


def level(day_ms, mean_w):
    day = Minutes.blank(day_ms, day_ms + DAY_MS)
    day.integral[:], day.low[:], day.high[:], day.covered_ms[:] = 60 * mean_w, mean_w, mean_w, MINUTE_MS
    return day
