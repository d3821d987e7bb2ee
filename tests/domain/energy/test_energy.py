"""Energy by integral and by counter. Numbers by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.energy.energy import energy_j, mean_w
from app.domain.energy.registers import CounterEvent, counter_energy
from app.domain.timeseries.curve import Curve, add, from_samples, window
from app.domain.timeseries.time_base import TimeBase
from tests.domain.timeseries.strategies import HOUR, area_j, curves, moments, watts
from tests.domain.timeseries.test_curve import three_and_one

KWH = 3.6e6


class TestIntegral:
    def test_trapezoids_a_hold_and_a_gap(self):
        # 0-10 s: 1500 J, 10-20 s: 2500 J, hold 20-30 s: 3000 J, hold 100-110 s: 4000 J
        curve = three_and_one()
        assert energy_j(curve, 0, 110_000) == 11_000
        assert energy_j(curve, 0, 20_000) == 4_000
        assert energy_j(curve, 30_000, 100_000) == 0
        assert mean_w(curve, 0, 110_000) == 275  # over the 40 s that are covered

    def test_ends_cut_a_line_at_its_value(self):
        # 150 W to 250 W over 10 s
        assert energy_j(three_and_one(), 5_000, 15_000) == 2_000
        # 210 W to 220 W over 1 s
        assert energy_j(three_and_one(), 11_000, 12_000) == 215

    def test_one_kilowatt_for_an_hour_is_a_kilowatt_hour(self):
        curve = from_samples(range(0, HOUR, 10_000), [1000] * 360, 10_000, 30_000)
        assert energy_j(curve, 0, HOUR) == KWH

    def test_negative_power_counts_negative(self):
        assert energy_j(from_samples([0, 10_000], [-100, 100], 10_000, 30_000), 0, 10_000) == 0

    def test_nothing_covered(self):
        assert energy_j(Curve.empty(), 0, 1000) == 0
        assert math.isnan(mean_w(Curve.empty(), 0, 1000))
        assert energy_j(three_and_one(), 20_000, 10_000) == 0

    @given(curves(), st.lists(moments, min_size=2, max_size=12).map(sorted))
    def test_additive_over_any_split(self, curve: Curve, cuts: list[int]):
        """The parts of a window sum to the whole to 1e-12 of ∫|p| dt, gaps included."""
        whole = energy_j(curve, cuts[0], cuts[-1])
        parts = math.fsum(energy_j(curve, a, b) for a, b in itertools.pairwise(cuts))
        assert abs(whole - parts) <= 1e-12 * area_j(curve, cuts[0], cuts[-1])

    def test_additive_over_a_hundred_thousand_samples_at_every_thousandth_second(self):
        rng = np.random.default_rng(7)
        t = np.cumsum(rng.integers(1, 40_000, 100_000))
        curve = from_samples(t, rng.uniform(0, 1e4, t.size), 10_000, 30_000)
        cuts = range(0, int(t[-1]) + 20_000, 1_000_003)
        whole = energy_j(curve, 0, cuts[-1])
        parts = math.fsum(energy_j(curve, a, b) for a, b in itertools.pairwise(cuts))
        assert parts == pytest.approx(whole, rel=1e-12)

    @given(curves(min_size=1), st.lists(st.integers(0, HOUR), max_size=10), moments, moments)
    def test_collinear_points_change_nothing(self, curve: Curve, extra: list[int], a: int, b: int):
        start, end = min(a, b), max(a, b)
        cuts = sorted({0, *extra, 2 * HOUR})
        pieces = [window(curve, x, y) for x, y in itertools.pairwise(cuts)]
        t = np.concatenate([piece.t_ms for piece in pieces])
        first = np.append(True, np.diff(t) > 0)
        is_sample = np.concatenate([piece.is_sample for piece in pieces])[first]
        v = np.concatenate([piece.v for piece in pieces])[first]
        refined = Curve(TimeBase(t[first], _joined(curve, t[first]), is_sample), v)
        scale = area_j(curve, start, end)
        assert abs(energy_j(refined, start, end) - energy_j(curve, start, end)) <= 1e-11 * scale + 1e-9

    @given(st.lists(watts, min_size=2, max_size=20), st.integers(0, 18), st.floats(0.1, 0.9))
    def test_a_sample_inserted_on_the_line_changes_nothing(self, values, at, where):
        at = min(at, len(values) - 2)
        t = [10_000 * i for i in range(len(values))]
        before = energy_j(from_samples(t, values, 10_000, 30_000), 0, t[-1] + 10_000)
        extra_t = t[at] + round(10_000 * where)
        extra_v = values[at] + (values[at + 1] - values[at]) * (extra_t - t[at]) / 10_000
        t.insert(at + 1, extra_t)
        values = [*values[: at + 1], extra_v, *values[at + 1 :]]
        after = energy_j(from_samples(t, values, 10_000, 30_000), 0, t[-1] + 10_000)
        assert after == pytest.approx(before, rel=1e-11, abs=1e-11 * 1e5 * t[-1] / 1000)

    @given(st.lists(st.tuples(st.integers(0, HOUR), st.one_of(watts, st.just(math.nan))), unique_by=lambda s: s[0]))
    def test_missing_is_never_counted(self, samples):
        known = [(t, v) for t, v in samples if not math.isnan(v)]
        with_nan = from_samples([t for t, _ in samples], [v for _, v in samples], 10_000, 30_000)
        without = from_samples([t for t, _ in known], [v for _, v in known], 10_000, 30_000)
        assert energy_j(with_nan, 0, HOUR) == energy_j(without, 0, HOUR)
        assert with_nan.covered_ms == without.covered_ms

    @given(curves(min_size=1), moments, moments)
    def test_energy_of_a_doubled_curve_is_twice_the_energy(self, curve, a, b):
        assert energy_j(add([curve, curve]), a, b) == 2 * energy_j(curve, a, b)


def _joined(curve: Curve, t: np.ndarray) -> np.ndarray:
    i = np.searchsorted(curve.t_ms, t, "right") - 1
    return curve.linked[i]


class TestCounter:
    def test_increments_between_readings_interpolated_at_the_ends(self):
        # 1000 J per 10 s; the window takes half of the first and half of the last interval
        result = counter_energy([0, 10_000, 20_000, 30_000], [0, 1000, 2000, 4000], 5_000, 25_000)
        assert result.energy_j == 500 + 1000 + 1000
        assert result.covered_ms == 20_000
        assert result.events == ()
        assert result.step_j == 1000

    def test_bridges_silence(self):
        result = counter_energy([0, HOUR], [0, KWH], 0, HOUR, rated_w=1500)
        assert (result.energy_j, result.covered_ms) == (KWH, HOUR)

    def test_readings_that_do_not_reach_the_ends_cover_less(self):
        result = counter_energy([10_000, 20_000], [0, 1000], 0, 40_000)
        assert (result.energy_j, result.covered_ms) == (1000, 10_000)

    def test_wraps_where_the_width_is_known_and_the_rest_plausible(self):
        # 2^32 mJ = 4294967.296 J; 900 J to the top and 100 J beyond = 100 W over 10 s
        top = 2**32 / 1000
        result = counter_energy([0, 10_000], [top - 900, 100], 0, 10_000, modulus=top, rated_w=300)
        assert result.energy_j == pytest.approx(1000, abs=1e-6)
        assert result.events == ()

    def test_plausible_ends_at_a_fifth_above_rated(self):
        # 10 s at 100 W rated: at most 1200 J
        assert counter_energy([0, 10_000], [900, 100], 0, 10_000, modulus=2000, rated_w=100).energy_j == 1200
        beyond = counter_energy([0, 10_000], [900, 101], 0, 10_000, modulus=2000, rated_w=100)
        assert (beyond.energy_j, beyond.covered_ms, beyond.events[0].kind) == (0, 0, "reset")

    @pytest.mark.parametrize(("modulus", "rated_w"), [(None, 100.0), (None, None), (1e6, None)])
    def test_any_other_decrease_is_a_reset_and_its_interval_unknown(self, modulus, rated_w):
        t, v = [0, 10_000, 20_000, 30_000], [5000, 6000, 50, 1050]
        result = counter_energy(t, v, 0, 30_000, modulus, rated_w)
        assert result.energy_j == 2000
        assert result.covered_ms == 20_000
        assert result.events == (CounterEvent(10_000, 20_000, "reset", 6000, 50),)

    def test_a_jump_beyond_the_load_is_a_set_meter(self):
        result = counter_energy([0, 10_000, 20_000, 30_000], [0, 900, 90_000, 91_000], 0, 30_000, None, 100, 1.0)
        assert (result.energy_j, result.covered_ms) == (1900, 20_000)
        assert [event.kind for event in result.events] == ["implausible"]

    def test_a_single_jump_does_not_pass_as_the_step(self):
        result = counter_energy([0, 10_000, 20_000], [0, 0, 90_000], 0, 20_000, rated_w=100)
        assert result.energy_j == 0
        assert [event.kind for event in result.events] == ["implausible"]
        assert math.isnan(result.step_j)

    def test_a_coarse_counter_may_tick_a_whole_step_at_once(self):
        # 0.1 kWh steps at 9 kW: one tick every 40 s, read every 10 s
        t = range(0, 410_000, 10_000)
        v = [0.1 * KWH * (i // 4) for i in range(41)]
        result = counter_energy(t, v, 0, 400_000, rated_w=10_000)
        assert result.energy_j == pytest.approx(KWH, rel=1e-12)
        assert result.step_j == 360_000
        assert result.events == ()

    def test_an_event_outside_the_window_is_none_of_its_business(self):
        result = counter_energy([0, 10_000, 20_000], [500, 0, 100], 10_000, 20_000)
        assert (result.energy_j, result.events) == (100, ())

    def test_missing_readings_and_order(self):
        result = counter_energy([20_000, 10_000, 0], [2000, math.nan, 0], 0, 20_000)
        assert (result.energy_j, result.covered_ms) == (2000, 20_000)
        nothing = counter_energy([], [], 0, 20_000)
        assert (nothing.energy_j, nothing.covered_ms, nothing.events) == (0, 0, ())

    def test_readings_inside_the_window_are_counted(self):
        t, v = [0, 10_000, 20_000, 30_000], [0, 1000, 2000, 4000]
        assert [counter_energy(t, v, *span).readings for span in ((0, 30_000), (1, 29_999), (12_000, 13_000))] == [
            4,
            2,
            0,
        ]

    @given(
        st.lists(st.tuples(st.integers(1, 60_000), st.integers(0, 10**7)), min_size=1, max_size=20),
        st.lists(st.integers(-1000, 1_000_000), min_size=2, max_size=6).map(sorted),
    )
    def test_additive_over_any_split(self, increments, cuts):
        t = np.cumsum([0] + [dt for dt, _ in increments])
        v = np.cumsum([0] + [dj for _, dj in increments])
        whole = counter_energy(t, v, cuts[0], cuts[-1], rated_w=2e5)
        parts = [counter_energy(t, v, a, b, rated_w=2e5) for a, b in itertools.pairwise(cuts)]
        assert math.fsum(part.energy_j for part in parts) == pytest.approx(whole.energy_j, rel=1e-12)
        assert sum(part.covered_ms for part in parts) == whole.covered_ms
