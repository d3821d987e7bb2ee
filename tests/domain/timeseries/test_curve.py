"""The curve: what is joined, held, missing; windows, sums and gaps. Numbers by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.energy.energy import energy_j
from app.domain.timeseries.curve import (
    Curve,
    add,
    coverage,
    from_samples,
    from_series,
    gaps,
    scale,
    subtract,
    value_at,
    window,
)
from app.domain.timeseries.time_base import TimeBase
from tests.domain.timeseries.strategies import HOUR, area_j, curves, moments, watts

NAN = float("nan")


def three_and_one() -> Curve:
    """Samples 100, 200, 300 W at 0, 10, 20 s; silence; 400 W at 100 s. τ = 10 s, max_gap = 30 s."""
    return from_samples([0, 10_000, 20_000, 100_000], [100, 200, 300, 400], 10_000, 30_000)


def same(a: Curve, b: Curve) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("t_ms", "v", "linked", "is_sample"))


class TestFromSamples:
    def test_neighbours_are_joined_and_each_run_holds_one_interval(self):
        curve = three_and_one()
        assert curve.t_ms.tolist() == [0, 10_000, 20_000, 30_000, 100_000, 110_000]
        assert curve.v.tolist() == [100, 200, 300, 300, 400, 400]
        assert curve.linked.tolist() == [True, True, True, False, True, False]
        assert curve.is_sample.tolist() == [True, True, True, False, True, False]
        assert (curve.start_ms, curve.end_ms, curve.covered_ms, curve.n_samples) == (0, 110_000, 40_000, 4)

    def test_max_gap_itself_still_joins_and_a_millisecond_more_does_not(self):
        assert from_samples([0, 30_000], [1, 2], 10_000, 30_000).covered_ms == 40_000
        assert from_samples([0, 30_001], [1, 2], 10_000, 30_000).covered_ms == 20_000

    def test_the_earlier_sample_of_two_decides_when_the_interval_changes(self):
        t, v = [0, 60_000, 120_000], [1, 2, 3]
        tau, gap = [60_000, 10_000, 10_000], [180_000, 30_000, 30_000]
        curve = from_samples(t, v, tau, gap)
        assert gaps(curve, 0, 130_000) == [(70_000, 120_000)]

    def test_missing_values_are_dropped_not_zero(self):
        curve = from_samples([0, 10_000, 20_000], [100, NAN, 300], 10_000, 30_000)
        assert value_at(curve, [10_000]).tolist() == [200]
        assert curve.n_samples == 2
        lonely = from_samples([0, 10_000, 20_000], [100, NAN, 300], 10_000, 10_000)
        assert gaps(lonely, 0, 30_000) == [(10_000, 20_000)]
        assert not len(from_samples([0, 1], [NAN, np.inf], 10, 30))

    def test_order_does_not_matter_and_of_duplicates_the_first_counts(self):
        curve = from_samples([20_000, 0, 10_000, 10_000], [3, 1, 2, 99], 10_000, 30_000)
        assert curve.v.tolist() == [1, 2, 3, 3]

    def test_a_hold_never_reaches_the_next_sample(self):
        curve = from_samples([0, 10_000], [1, 2], 60_000, 5_000)
        assert curve.t_ms.tolist() == [0, 9_999, 10_000, 70_000]
        assert curve.linked.tolist() == [True, False, True, False]

    def test_nothing_makes_the_empty_curve(self):
        curve = from_samples([], [], 10, 30)
        assert (len(curve), curve.start_ms, curve.end_ms, curve.covered_ms) == (0, None, None, 0)

    @pytest.mark.parametrize(
        ("t", "v", "tau", "gap"), [([0], [1], 0, 30), ([0], [1], 10, 0), ([0, 1], [1], 10, 30), (0, 1, 10, 30)]
    )
    def test_contradictions_are_refused(self, t, v, tau, gap):
        with pytest.raises(ValueError, match="must be"):
            from_samples(t, v, tau, gap)

    def test_a_curve_cannot_be_linked_into_nothing(self):
        t, v, yes = np.array([0, 1]), np.array([1.0, 2.0]), np.array([True, True])
        with pytest.raises(ValueError, match="last point"):
            Curve(TimeBase(t, yes, yes), v)
        with pytest.raises(ValueError, match="equally long"):
            Curve(TimeBase(t, np.array([True, False]), yes), v[:1])

    @given(curves())
    def test_times_rise_and_no_knot_is_alone(self, curve: Curve):
        assert np.all(np.diff(curve.t_ms) > 0)
        assert np.all(curve.linked | np.append(False, curve.linked[:-1]))


class TestFromSeries:
    def test_series_of_the_same_moments_share_their_knots(self):
        t, tau, gap = (np.array(x) for x in ([0, 10_000, 50_000], [10_000] * 3, [30_000] * 3))
        one, other = from_series(t, [np.array([1.0, 2, 3]), np.array([4.0, 5, 6])], tau, gap)
        assert one.time_base is other.time_base
        assert one.t_ms.tolist() == [0, 10_000, 20_000, 50_000, 60_000]
        assert one.v.tolist() == [1, 2, 2, 3, 3]
        assert other.v.tolist() == [4, 5, 5, 6, 6]

    @given(st.lists(st.lists(watts | st.sampled_from([NAN, np.inf]), min_size=6, max_size=6), max_size=4), st.data())
    def test_each_is_the_curve_of_its_samples(self, series: list[list[float]], data: st.DataObject):
        t = np.array(data.draw(st.lists(st.integers(0, 90_000), min_size=6, max_size=6)))
        tau, gap = np.full(6, 10_000), np.full(6, 30_000)
        found = from_series(t, [np.array(v) for v in series], tau, gap)
        assert all(same(a, from_samples(t, v, tau, gap)) for a, v in zip(found, series, strict=True))


class TestKnots:
    def test_what_follows_from_time_alone_is_found_once(self):
        asked, time_base = [], three_and_one().time_base

        def count(of: TimeBase, n: int) -> int:
            asked.append(n)
            return len(of) + n

        assert [time_base.once(count, n) for n in (3, 3, 4)] == [9, 9, 10]
        assert asked == [3, 4]

    def test_few_findings_are_kept(self):
        curve = three_and_one()
        for end_ms in range(1_000, 101_000, 1_000):
            assert energy_j(curve, 0, end_ms) > 0
        assert len(curve.time_base._found) <= 8


class TestValueAt:
    def test_between_at_and_beyond(self):
        at = [-1, 0, 5_000, 10_000, 25_000, 30_000, 30_001, 99_999, 100_000, 110_000, 110_001]
        expected = [NAN, 100, 150, 200, 300, 300, NAN, NAN, 400, 400, NAN]
        np.testing.assert_array_equal(value_at(three_and_one(), at), expected)

    def test_nothing_is_covered_by_the_empty_curve(self):
        np.testing.assert_array_equal(value_at(Curve.empty(), [0, 1]), [NAN, NAN])

    @given(curves(), moments, moments, st.lists(moments, max_size=20))
    def test_a_window_does_not_change_the_curve(self, curve: Curve, a: int, b: int, at: list[int]):
        start, end = min(a, b), max(a, b)
        inside = [t for t in at if start < t < end]
        np.testing.assert_allclose(
            value_at(window(curve, start, end), inside), value_at(curve, inside), rtol=1e-9, atol=1e-6
        )


class TestWindow:
    def test_ends_are_interpolated_and_no_samples(self):
        part = window(three_and_one(), 5_000, 15_000)
        assert part.t_ms.tolist() == [5_000, 10_000, 15_000]
        assert part.v.tolist() == [150, 200, 250]
        assert part.linked.tolist() == [True, True, False]
        assert part.is_sample.tolist() == [False, True, False]

    def test_between_two_samples_only_the_ends_remain(self):
        part = window(three_and_one(), 12_000, 14_000)
        assert part.v.tolist() == [220, 240]
        assert part.n_samples == 0

    def test_a_sample_on_the_edge_stays_a_sample(self):
        part = window(three_and_one(), 10_000, 20_000)
        assert part.t_ms.tolist() == [10_000, 20_000]
        assert part.is_sample.tolist() == [True, True]

    def test_over_a_gap(self):
        part = window(three_and_one(), 25_000, 105_000)
        assert part.t_ms.tolist() == [25_000, 30_000, 100_000, 105_000]
        assert part.linked.tolist() == [True, False, True, False]

    @pytest.mark.parametrize(
        ("start", "end"),
        [(30_000, 100_000), (-5, 0), (110_000, 120_000), (40, 40), (50_000, 40_000), (200_000, 300_000)],
    )
    def test_what_only_touches_the_curve_is_empty(self, start, end):
        assert not len(window(three_and_one(), start, end))

    def test_the_whole_is_unchanged(self):
        curve = three_and_one()
        assert same(window(curve, 0, 110_000), curve)
        assert same(window(curve, -10, 200_000), curve)

    @given(curves(), moments, moments, moments, moments)
    def test_a_window_of_a_window_is_the_inner_window(self, curve, a, b, c, d):
        start, first, second, end = sorted((a, b, c, d))
        direct = window(curve, first, second)
        nested = window(window(curve, start, end), first, second)
        assert direct.t_ms.tolist() == nested.t_ms.tolist()
        assert direct.linked.tolist() == nested.linked.tolist()
        np.testing.assert_allclose(nested.v, direct.v, rtol=1e-9, atol=1e-6)


class TestAdd:
    def test_on_the_union_of_times(self):
        a = from_samples([0, 10_000], [100, 200], 10_000, 30_000)
        b = from_samples([5_000, 15_000], [10, 30], 10_000, 30_000)
        total = add([a, b])
        assert total.t_ms.tolist() == [5_000, 10_000, 15_000, 20_000]
        assert total.v.tolist() == [160, 220, 230, 230]
        assert total.is_sample.tolist() == [True, True, True, False]
        assert total.linked.tolist() == [True, True, True, False]

    def test_one_silent_member_silences_the_sum(self):
        steady = from_samples(range(0, 100_001, 10_000), [50] * 11, 10_000, 30_000)
        total = add([steady, three_and_one()])
        assert gaps(total, 0, 120_000) == [(30_000, 100_000), (110_000, 120_000)]
        assert value_at(total, [0, 20_000, 60_000, 100_000]).tolist()[:2] == [150, 350]

    def test_members_that_only_touch_share_nothing(self):
        early = from_samples([0], [1], 10_000, 30_000)
        late = from_samples([10_000], [1], 10_000, 30_000)
        assert not len(add([early, late]))

    def test_equal_times_add_without_new_knots(self):
        curve = three_and_one()
        six = add([curve] * 6)
        assert six.t_ms.tolist() == curve.t_ms.tolist()
        assert six.v.tolist() == [600, 1200, 1800, 1800, 2400, 2400]

    def test_a_sample_of_any_member_is_a_sample_of_the_sum(self):
        held = from_samples([0], [1], 10_000, 30_000)
        sampled = window(from_samples([0, 10_000, 20_000], [1, 2, 3], 10_000, 30_000), 0, 20_000)
        assert add([held, sampled]).is_sample.tolist() == [True, True]
        assert add([sampled, held]).is_sample.tolist() == [True, True]
        ends_in_hold = from_samples([0, 10_000], [1, 2], 10_000, 30_000)
        assert add([ends_in_hold, sampled]).is_sample.tolist() == [True, True, True]

    def test_none_and_one(self):
        assert not len(add([]))
        assert same(add([three_and_one()]), three_and_one())
        assert not len(add([three_and_one(), Curve.empty()]))
        assert not len(add([three_and_one(), Curve.empty(), three_and_one()]))

    def test_difference(self):
        curve = three_and_one()
        assert subtract(curve, scale(curve, 0.25)).v.tolist() == [75, 150, 225, 225, 300, 300]

    @given(st.lists(curves(min_size=1), min_size=2, max_size=5), st.lists(moments, min_size=1, max_size=20))
    def test_the_sum_is_the_sum_of_values_exactly_where_all_are_covered(self, members, at):
        total = add(members)
        parts = np.array([value_at(member, at) for member in members])
        value = value_at(total, at)
        touching = ~np.isnan(parts).any(axis=0) & np.isnan(value)
        known = ~np.isnan(value)
        np.testing.assert_allclose(value[known], parts.sum(axis=0)[known], rtol=1e-9, atol=1e-6)
        for t in np.asarray(at)[touching]:  # covered by every member at a single instant only
            for start in (t - 1, t):
                assert not all(window(member, start, start + 1).covered_ms for member in members)

    @given(st.lists(curves(min_size=1), min_size=2, max_size=5))
    def test_samples_of_the_sum_are_samples_of_members(self, members):
        total = add(members)
        sampled = set().union(*(member.t_ms[member.is_sample].tolist() for member in members))
        assert set(total.t_ms[total.is_sample].tolist()) == sampled & set(total.t_ms.tolist())

    @given(st.lists(curves(min_size=1), min_size=1, max_size=5))
    def test_sum_of_parts_is_the_whole_over_common_time(self, members):
        total = add(members)
        runs = np.split(total.t_ms, np.flatnonzero(~total.linked)[:-1] + 1)
        for run in runs:
            if run.size:
                start, end = int(run[0]), int(run[-1])
                parts = sum(energy_j(member, start, end) for member in members)
                scale_j = sum(area_j(member, start, end) for member in members)
                assert energy_j(total, start, end) == pytest.approx(parts, abs=1e-11 * scale_j + 1e-9)


class TestGapsAndCoverage:
    def test_what_is_not_covered(self):
        curve = three_and_one()
        assert gaps(curve, -5_000, 120_000) == [(-5_000, 0), (30_000, 100_000), (110_000, 120_000)]
        assert gaps(curve, 0, 30_000) == []
        assert gaps(curve, 40_000, 50_000) == [(40_000, 50_000)]
        assert gaps(Curve.empty(), 1, 2) == [(1, 2)]
        assert gaps(curve, 5, 5) == []
        assert coverage(curve, 0, 100_000) == 0.3
        assert coverage(curve, 20_000, 60_000) == 0.25
        assert np.isnan(coverage(curve, 5, 5))

    @given(curves(), moments, moments, moments)
    def test_covered_time_is_additive_and_gaps_are_the_rest(self, curve, a, b, c):
        start, middle, end = sorted((a, b, c))
        covered = window(curve, start, end).covered_ms
        assert covered == window(curve, start, middle).covered_ms + window(curve, middle, end).covered_ms
        assert covered + sum(b - a for a, b in gaps(curve, start, end)) == end - start

    @given(st.lists(st.tuples(st.integers(0, HOUR), watts), unique_by=lambda s: s[0], min_size=2).map(sorted))
    def test_later_samples_change_nothing_before_the_last_run_end(self, samples):
        t, v = zip(*samples, strict=True)
        whole = from_samples(t, v, 10_000, 30_000)
        early = from_samples(t[:-1], v[:-1], 10_000, 30_000)
        before = t[-2]
        assert same(window(whole, 0, before), window(early, 0, before))
