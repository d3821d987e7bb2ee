"""Downsampling keeps what the eye looks for: peaks, edges and gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.timeseries.curve import Curve, from_samples, value_at, window
from app.domain.timeseries.downsampling import downsample
from app.domain.timeseries.time_base import TimeBase
from tests.domain.timeseries.strategies import HOUR, curves, moments
from tests.domain.timeseries.test_curve import three_and_one

SECOND = 1000


def steady(n: int, spikes: dict[int, float]) -> Curve:
    v = np.full(n, 500.0)
    for at, value in spikes.items():
        v[at] = value
    return from_samples(SECOND * np.arange(n), v, SECOND, 3 * SECOND)


class TestFew:
    def test_what_fits_is_returned_whole_with_a_break_in_the_gap(self):
        t, v = downsample(three_and_one(), 0, 110_000, 100)
        assert t.tolist() == [0, 10_000, 20_000, 30_000, 65_000, 100_000, 110_000]
        np.testing.assert_array_equal(v, [100, 200, 300, 300, np.nan, 400, 400])

    def test_nothing_covered_is_nothing(self):
        t, v = downsample(three_and_one(), 40_000, 50_000, 100)
        assert t.tolist() == v.tolist() == []

    def test_window_ends_are_drawn(self):
        t, v = downsample(three_and_one(), 5_000, 15_000, 100)
        assert (t.tolist(), v.tolist()) == ([5_000, 10_000, 15_000], [150, 200, 250])

    def test_too_few_points_are_refused(self):
        with pytest.raises(ValueError, match="below 4"):
            downsample(three_and_one(), 0, 1, 3)


class TestMany:
    def test_a_single_second_in_a_day_survives(self):
        curve = steady(86_400, {43_211: 9_000.0, 60_000: 2.0})
        t, v = downsample(curve, 0, 86_400 * SECOND, 2_000)
        assert len(t) <= 2_000
        assert v[t == 43_211 * SECOND].tolist() == [9_000]
        assert v[t == 60_000 * SECOND].tolist() == [2]
        assert (t[0], t[-1]) == (0, 86_400 * SECOND)

    def test_the_edges_of_gaps_are_exact(self):
        at = SECOND * np.concatenate([np.arange(10_000), np.arange(10_500, 20_000)])
        curve = from_samples(at, np.sin(at / 1e5), SECOND, 3 * SECOND)
        t, v = downsample(curve, 0, 20_000 * SECOND, 200)
        gap = int(np.flatnonzero(np.isnan(v))[0])
        assert np.count_nonzero(np.isnan(v)) == 1
        assert t[gap - 1 : gap + 2].tolist() == [10_000 * SECOND, 10_250 * SECOND, 10_500 * SECOND]

    def test_most_of_the_budget_is_used(self):
        v = np.random.default_rng(1).uniform(0, 1, 100_000)
        t, _ = downsample(from_samples(SECOND * np.arange(100_000), v, SECOND, 3 * SECOND), 0, 10**9, 2_000)
        assert 1_900 <= len(t) <= 2_000

    def test_more_gaps_than_points(self):
        curve = from_samples(10 * SECOND * np.arange(5_000), np.arange(5_000.0), SECOND, 3 * SECOND)
        t, v = downsample(curve, 0, 50_000 * SECOND, 100)
        assert len(t) <= 100
        assert np.nanmin(v) == 0
        assert np.nanmax(v) == 4_999
        assert np.count_nonzero(np.isnan(v)) == 24  # a break between any two of the 25 buckets

    def test_a_level_bucket_keeps_both_its_ends(self):
        curve = from_samples(10 * SECOND * np.arange(5_000), np.full(5_000, 7.0), SECOND, 3 * SECOND)
        assert len(downsample(curve, 0, 50_000 * SECOND, 100)[0]) == 25 * 2 + 24

    def test_four_points_hold_the_ends_and_the_peak(self):
        t, v = downsample(steady(1_000, {300: 900.0}), 0, 2_000 * SECOND, 4)
        assert t.tolist() == [0, 300 * SECOND, 1_000 * SECOND]
        assert v.tolist() == [500, 900, 500]


@given(curves(min_size=1, max_size=60), moments, moments, st.integers(4, 60))
def test_curves_that_share_their_knots_are_drawn_as_each_alone(curve, a, b, max_points):
    start, end = min(a, b), max(a, b)
    downsample(curve, start, end, max_points)
    upside_down = Curve(curve.time_base, -curve.v)
    alone = Curve(TimeBase(curve.t_ms, curve.linked, curve.is_sample), -curve.v)
    for shared, apart in zip(
        downsample(upside_down, start, end, max_points), downsample(alone, start, end, max_points), strict=True
    ):
        np.testing.assert_array_equal(shared, apart)


@given(curves(min_size=1, max_size=60), moments, moments, st.integers(4, 60))
def test_bounded_true_to_the_curve_peaks_kept_and_gaps_never_bridged(curve, a, b, max_points):
    start, end = min(a, b), max(a, b)
    part = window(curve, start, end)
    t, v = downsample(curve, start, end, max_points)
    assert len(t) <= max_points
    assert np.all(np.diff(t) >= 0)
    if not len(part):
        assert not len(t)
        return
    real = ~np.isnan(v)
    np.testing.assert_array_equal(v[real], value_at(part, t[real]))
    assert np.nanmin(v) == part.v.min()
    assert np.nanmax(v) == part.v.max()
    assert real[0]
    assert real[-1]


@given(st.lists(st.integers(0, HOUR), min_size=1, max_size=80, unique=True).map(sorted), st.integers(100, 200))
def test_few_gaps_are_all_broken_at_their_edges(times, max_points):
    curve = from_samples(times, [float(x % 997) for x in times], 1000, 100_000)
    runs = int(np.count_nonzero(~curve.linked))
    if runs > max_points // 10:
        return
    t, v = downsample(curve, 0, 2 * HOUR, max_points)
    broken = np.flatnonzero(np.isnan(v))
    ends = curve.t_ms[~curve.linked]
    assert t[broken - 1].tolist() == ends[:-1].tolist()
    assert len(broken) == runs - 1
