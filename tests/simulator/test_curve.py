"""A triangle of 604,800 s base and 100 W height, and what repeats of it."""

import numpy as np
import pytest

from collectors.simulator.plant.curve import ANCHOR_MS, WEEK_MS, WEEK_S, WeekCurve

TRIANGLE = WeekCurve(np.array([0.0, 302_400.0, 604_800.0]), np.array([0.0, 100.0, 0.0]))


def at(*seconds: float) -> np.ndarray:
    return np.array([ANCHOR_MS + round(s * 1000) for s in seconds], dtype=np.int64)


def test_the_week_begins_on_a_monday_midnight_utc():
    assert np.datetime64(ANCHOR_MS, "ms") == np.datetime64("2024-01-01T00:00")
    assert np.datetime64("2024-01-01").astype(object).weekday() == 0


def test_values_repeat_every_week():
    assert TRIANGLE.at(at(0, 151_200, 302_400, 453_600)).tolist() == [0, 50, 100, 50]
    assert TRIANGLE.at(at(151_200) + 5 * WEEK_MS).tolist() == [50]
    assert TRIANGLE.at(at(151_200) - 3 * WEEK_MS).tolist() == [50]


def test_the_integral_is_exact_and_goes_on_over_the_weeks():
    # a quarter of the base at half the height: 151200 · 50 / 2; half the area: 302400 · 100 / 2; the area twice that
    found = TRIANGLE.integral(at(0, 151_200, 302_400, 604_800, 604_800 + 151_200))
    assert found.tolist() == [0, 3_780_000, 15_120_000, 30_240_000, 34_020_000]
    assert TRIANGLE.integral(at(-WEEK_S)).tolist() == [-30_240_000]


def test_the_last_value_must_equal_the_first():
    with pytest.raises(ValueError, match="last value must equal the first"):
        WeekCurve(np.array([0.0, WEEK_S]), np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="strictly"):
        WeekCurve(np.array([0.0, 10.0, 10.0, WEEK_S]), np.array([1.0, 2.0, 3.0, 1.0]))
