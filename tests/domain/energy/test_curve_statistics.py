"""Time-weighted statistics. Numbers by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.energy.curve_statistics import idle_baseline_w, load_duration, peaks, quantile, statistics
from app.domain.timeseries.curve import Curve, add, from_samples, window
from tests.domain.timeseries.strategies import HOUR, curves, moments, watts
from tests.domain.timeseries.test_curve import three_and_one


def irregular() -> Curve:
    """10 W stands for 0-5 s, 20 W for 5-25 s, 30 W for 25-50 s (the last 10 s are its hold)."""
    return from_samples([0, 10_000, 40_000], [10, 20, 30], 10_000, 30_000)


class TestStatistics:
    def test_irregular_samples_count_for_the_time_they_stand_for(self):
        s = statistics(irregular(), 0, 50_000)
        assert (s.min, s.max, s.max_at_ms) == (10, 30, 40_000)
        assert s.mean == 24  # (15 · 10 + 25 · 30 + 30 · 10) / 50
        assert (s.median, s.p95, s.p99) == (20, 30, 30)
        assert s.load_factor == 0.8
        assert (s.covered_ms, s.n_samples) == (50_000, 3)

    def test_the_interpolated_end_of_a_window_can_be_its_maximum(self):
        s = statistics(irregular(), 0, 25_000)
        assert (s.max, s.max_at_ms) == (25, 25_000)  # half way from 20 to 30 W
        assert s.median == 20
        assert s.n_samples == 2

    def test_a_window_between_two_samples_has_a_mean_and_no_quantile(self):
        s = statistics(irregular(), 12_000, 16_000)
        assert s.mean == pytest.approx(20 + 10 * 4 / 30)
        assert s.n_samples == 0
        assert math.isnan(s.median)
        assert math.isnan(quantile(window(irregular(), 12_000, 16_000), 12_000, 16_000, 0.5))

    def test_a_held_end_counts_in_the_maximum_and_minimum_of_a_sum(self):
        # 10 W held from 0 to 10 s while the other rises from 0 to 100 W: at 10 s the sum is 110 W
        total = add([from_samples([0], [10], 10_000, 30_000), from_samples([0, 20_000], [0, 200], 20_000, 60_000)])
        s = statistics(total, 0, 20_000)
        assert (s.min, s.max, s.max_at_ms) == (10, 110, 10_000)

    def test_gaps_weigh_nothing(self):
        # 5, 10, 15 s for 100, 200, 300 W and 10 s for 400 W
        s = statistics(three_and_one(), 0, 110_000)
        assert (s.median, s.p95, s.mean, s.covered_ms) == (300, 400, 275, 40_000)

    def test_nothing_covered_is_not_zero(self):
        s = statistics(three_and_one(), 40_000, 90_000)
        assert s.max_at_ms is None
        assert (s.covered_ms, s.n_samples) == (0, 0)
        assert all(math.isnan(x) for x in (s.min, s.max, s.mean, s.median, s.p95, s.p99, s.load_factor))

    def test_no_load_has_no_load_factor(self):
        assert math.isnan(statistics(from_samples([0], [0], 10, 30), 0, 10).load_factor)

    @given(curves(min_size=1), moments, moments)
    def test_order_of_the_figures(self, curve: Curve, a: int, b: int):
        s = statistics(curve, min(a, b), max(a, b))
        if s.covered_ms:
            assert s.median <= s.p95 <= s.p99 or (s.n_samples == 0 and math.isnan(s.p99))
            slack = 1e-9 * max(abs(s.min), abs(s.max)) + 1e-9
            assert s.min - slack <= s.mean <= s.max + slack


class TestQuantile:
    @pytest.mark.parametrize(
        ("q", "value"), [(0, 10), (0.1, 10), (0.1001, 20), (0.5, 20), (0.5001, 30), (0.95, 30), (1, 30)]
    )
    def test_the_smallest_sample_with_that_share_of_time(self, q, value):
        assert quantile(irregular(), 0, 50_000, q) == value

    def test_a_share_that_floats_cannot_hold_does_not_slip(self):
        curve = from_samples(range(0, 2000, 20), range(100), 20, 60)
        assert quantile(curve, 10, 2000 - 10, 0.07) == 7  # 0.07 · 99 = 6.93 samples after the first
        hundred = from_samples(range(0, 202, 2), [-1.0, *range(100)], 2, 6)
        assert quantile(hundred, 1, 201, 0.07) == 6  # exactly 7 of 100; 0.07 · 100 is 7.000000000000001

    def test_the_interpolated_end_of_a_window_counts_for_nothing(self):
        part = window(irregular(), 7_000, 45_000)  # begins at 17 W, ends at 30 W
        assert quantile(part, 7_000, 45_000, 0) == 20
        assert quantile(part, 7_000, 45_000, 18 / 38) == 20  # 20 W stands for 7-25 s of 38 s
        assert quantile(part, 7_000, 45_000, 18.01 / 38) == 30

    def test_a_gap_between_two_samples_of_a_sum_weighs_nothing(self):
        twice = from_samples([0, 100_000], [1, 1], 10_000, 30_000)
        total = add([twice, from_samples(range(0, 120_000, 10_000), range(10, 130, 10), 10_000, 30_000)])
        assert total.v.tolist() == [11, 21, 111, 121]  # each stands for 5 s
        assert [quantile(total, 0, 120_000, q) for q in (0.25, 0.5, 0.75, 1)] == [11, 21, 111, 121]

    def test_samples_beside_the_window_stand_for_nothing(self):
        # 20 W at 10 s is the only sample inside; 10 W (at 0 s) and 30 W (at 40 s) are nearer to 4 s and to 35 s
        assert [quantile(irregular(), 4_000, 35_000, q) for q in (0, 0.5, 1)] == [20, 20, 20]

    def test_q_is_a_share(self):
        with pytest.raises(ValueError, match=r"not within 0…1"):
            quantile(irregular(), 0, 50_000, 95)

    @given(st.lists(watts, min_size=3, max_size=60), st.floats(0, 1), st.data())
    def test_equals_the_plain_one_at_regular_sampling(self, values, q, data):
        """In a window of whole intervals around the samples each stands for the same time."""
        first = data.draw(st.integers(1, len(values) - 2))
        last = data.draw(st.integers(first, len(values) - 2))
        curve = from_samples([1000 * i for i in range(len(values))], values, 1000, 3000)
        n = last - first + 1
        if abs(q * n - round(q * n)) < 1e-6:
            q = round(q * n) / n
        ranked = sorted(values[first : last + 1])
        rank = max(1, math.ceil(q * n - 1e-9))
        assert quantile(curve, 1000 * first - 500, 1000 * last + 500, q) == ranked[rank - 1]

    def test_agrees_with_numpy_on_a_thousand_regular_samples(self):
        values = np.random.default_rng(3).uniform(100, 900, 1002)
        curve = from_samples(1000 * np.arange(1002), values, 1000, 3000)
        for q in (0.01, 0.25, 0.5, 0.9, 0.95, 0.99):
            plain = np.quantile(values[1:-1], q, method="inverted_cdf")
            assert quantile(curve, 500, 1_000_500, q) == plain

    @given(curves(min_size=1), st.floats(0, 1), moments, moments)
    def test_is_a_sample_value_and_does_not_depend_on_a_wider_window(self, curve, q, a, b):
        start, end = min(a, b), max(a, b)
        value = quantile(curve, start, end, q)
        inside = window(curve, start, end)
        if inside.n_samples:
            assert value in inside.v[inside.is_sample]
        else:
            assert math.isnan(value)

    @given(st.lists(curves(min_size=1), min_size=2, max_size=3))
    def test_of_a_sum_weighs_exactly_its_covered_time(self, members):
        total = add(members)
        share, value = load_duration(total, 0, 2 * HOUR, 5)
        if len(total):
            assert value[0] == total.v[total.is_sample].max()
            assert value[-1] == total.v[total.is_sample].min()
        else:
            assert np.isnan(value).all()
        assert share.tolist() == [0, 0.25, 0.5, 0.75, 1]


def test_load_duration_falls_from_the_maximum_to_the_minimum():
    share, value = load_duration(irregular(), 0, 50_000, 5)
    assert share.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert value.tolist() == [30, 30, 20, 20, 10]


class TestIdleBaseline:
    def test_median_over_the_idle_stretches_only(self):
        t = list(range(0, 2 * HOUR, 10_000))
        busy = range(HOUR // 2, HOUR)
        curve = from_samples(t, [6000.0 if x in busy else 350.0 for x in t], 10_000, 30_000)
        assert idle_baseline_w(curve, [(0, HOUR // 2 - 10_000), (HOUR, 2 * HOUR)]) == 350

    def test_less_than_half_an_hour_is_no_baseline(self):
        curve = from_samples(range(0, HOUR, 10_000), [350.0] * 360, 10_000, 30_000)
        assert idle_baseline_w(curve, [(0, 900_000), (1_800_000, 2_700_000)]) == 350
        assert math.isnan(idle_baseline_w(curve, [(0, 900_000), (1_800_000, 2_699_999)]))
        assert math.isnan(idle_baseline_w(curve, []))


class TestPeaks:
    def test_peaks_that_do_not_meet(self):
        a = from_samples([0, 10_000], [100, 200], 10_000, 30_000)
        b = from_samples([0, 10_000], [200, 100], 10_000, 30_000)
        result = peaks([a, b], 0, 20_000)
        assert (result.coincident, result.non_coincident) == (300, 400)
        assert result.diversity_factor == pytest.approx(4 / 3)

    def test_an_uncovered_member_makes_them_unknown(self):
        result = peaks([irregular(), Curve.empty()], 0, 50_000)
        assert math.isnan(result.non_coincident)
        assert math.isnan(result.coincident)
        assert math.isnan(peaks([], 0, 1).diversity_factor)


def test_quantiles_of_many_samples_in_a_window_that_cuts_them():
    rng = np.random.default_rng(4)
    n = 20_000
    t = np.cumsum(rng.choice([990, 1000, 1013, 5000], n, p=[0.3, 0.5, 0.199, 0.001]))
    v = np.round(rng.normal(400, 60, n))
    start, end = int(t[700]) + 3, int(t[19_000]) + 800
    curve = from_samples(t, v, 1000, 3000)
    # by hand, in half milliseconds: half of the way to a neighbour where joined, a whole interval behind a run
    joined = np.diff(t) <= 3000
    right = np.where(np.append(joined, False), t + np.append(t[1:], t[-1]), 2 * t + 2000)
    left = np.where(np.append(False, joined), t + np.append(t[0], t[:-1]), 2 * t)
    weights = np.clip(right, 2 * start, 2 * end) - np.clip(left, 2 * start, 2 * end)
    inside = np.flatnonzero((t >= start) & (t <= end))  # a sample beside the window leaves its time to the next inside
    weights[inside[0]] += weights[: inside[0]].sum()
    weights[inside[-1]] += weights[inside[-1] + 1 :].sum()
    weights[: inside[0]] = weights[inside[-1] + 1 :] = 0
    order = np.argsort(v, kind="stable")
    below = np.cumsum(weights[order])
    for q in (0.001, 0.05, 0.5, 0.77, 0.99, 1.0):
        assert quantile(curve, start, end, q) == v[order][np.searchsorted(below, q * below[-1] - 1e-3)]
    assert quantile(curve, start, end, 0.0) == v[weights > 0].min()
    assert quantile(window(curve, start, end), start, end, 0.5) == quantile(curve, start, end, 0.5)


def test_quantiles_of_many_samples_are_those_of_all_of_them_sorted():
    rng = np.random.default_rng(3)
    n = 20_000
    t = 1000 * np.arange(n) + rng.integers(-300, 301, n)
    for v in (rng.normal(400, 60, n), np.round(rng.normal(400, 5, n)), np.where(np.arange(n) < 9, 1e12, 5.0)):
        curve = from_samples(t, v, 1000, 3000)
        found = statistics(curve, int(t[0]), int(t[-1]))
        # every sample stands for half of the way to either neighbour
        reach = np.diff(t, prepend=t[0]) + np.diff(t, append=t[-1])
        order = np.argsort(v)
        below = np.cumsum(reach[order])
        for told, q in ((found.median, 0.5), (found.p95, 0.95), (found.p99, 0.99)):
            assert told == v[order][np.searchsorted(below, q * below[-1])]
