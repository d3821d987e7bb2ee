"""Counters that cannot be true, by hand; three captures of the field behave like them."""

import numpy as np
import pytest

from app.domain.plausibility import CounterColumns, CounterHistory, RefusalReason
from collectors.contract import Quantity, Series

KWH = 3.6e6
TAU_MS = 10_000


class Stream:
    """A counter and the power of one point, read every 10 s."""

    def __init__(self, resolution=KWH, modulus=None):
        series = [
            Series("inlet", Quantity.POWER),
            Series("inlet", Quantity.ENERGY, resolution=resolution, counter_modulus=modulus),
        ]
        self.columns = CounterColumns.of(series, 3 * TAU_MS)
        self.history = CounterHistory()
        self.t_ms = 0

    def read(self, *counts, watts=500.0, t_ms=None):
        times = self.t_ms + TAU_MS * np.arange(len(counts)) if t_ms is None else np.array(t_ms)
        self.t_ms = int(times[-1]) + TAU_MS
        values = np.column_stack([np.full(len(counts), watts), np.array(counts, float)])
        found = self.history.judge(self.columns, values, times)
        return [""] * len(counts) if found is None else [RefusalReason(r).name if r else "" for r in found[:, 0]]


def test_one_reset_is_a_reset():
    stream = Stream()
    assert stream.read(5e9, 5.1e9, 1.0, 2.0, 3.0) == [""] * 5


def test_a_counter_that_goes_back_twice_in_ten_readings_is_refused_until_ten_are_in_order():
    stream = Stream()
    assert stream.read(100, 50, 100) == ["", "", ""]
    assert stream.read(50) == ["COUNTER_DECREASES"]
    later = stream.read(*range(60, 75))
    # the first decrease leaves the ten readings after eight more
    assert later == ["COUNTER_DECREASES"] * 7 + [""] * 8


@pytest.mark.parametrize("apart", [9, 10])
def test_the_second_decrease_counts_within_ten_readings(apart):
    stream = Stream()
    stream.read(100, 50)
    stream.read(*range(51, 51 + apart - 1))
    assert stream.read(20) == ["COUNTER_DECREASES" if apart < 10 else ""]


def test_a_wrap_at_the_declared_modulus_is_no_decrease():
    stream = Stream(resolution=1.0, modulus=65_536.0)
    assert stream.read(65_000, 500, 65_200, 300) == ["", "", "", ""]
    assert Stream(resolution=1.0).read(65_000, 500, 65_200, 300)[-1] == "COUNTER_DECREASES"


def test_a_counter_at_0_is_refused_once_two_of_its_steps_have_flowed():
    stream = Stream(resolution=10_000.0)
    # 500 W over 10 s is 5 kJ; 20 kJ after four intervals
    assert stream.read(*[0] * 6) == ["", "", "", "", "COUNTER_STUCK", "COUNTER_STUCK"]
    assert stream.read(20_000, 30_000) == ["", ""]


def test_a_counter_at_0_without_load_or_without_known_power_is_not_refused():
    assert Stream(resolution=10_000.0).read(*[0] * 100, watts=0.0) == [""] * 100
    assert Stream(resolution=10_000.0).read(*[0] * 100, watts=np.nan) == [""] * 100


def test_time_between_far_frames_does_not_count_as_flowed():
    stream = Stream(resolution=10_000.0)
    assert stream.read(0, 0, 0, t_ms=[0, 3_600_000, 7_200_000]) == ["", "", ""]


def test_a_missing_reading_is_neither_a_decrease_nor_an_end_of_it():
    stream = Stream()
    assert stream.read(100, np.nan, 50, np.nan, 100, 50) == ["", "", "", "", "", "COUNTER_DECREASES"]


def test_what_is_delivered_again_is_refused_again():
    stream = Stream()
    stream.read(100, 50, 100, 50)
    assert stream.read(50, t_ms=[30_000]) == ["COUNTER_DECREASES"]


def test_the_short_path_sees_what_the_long_one_sees():
    rng = np.random.default_rng(7)
    for _ in range(200):
        counts = np.cumsum(rng.integers(-1, 5, 30)).astype(float) + 5
        whole, single = Stream(), Stream()
        assert whole.read(*counts) == [one for c in counts for one in single.read(c)]
