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


@pytest.mark.parametrize("seed", range(3))
def test_it_is_what_the_minutes_say_one_by_one(engine, seed):
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
