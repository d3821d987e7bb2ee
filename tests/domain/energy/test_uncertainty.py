"""Uncertainty. Numbers by hand: u = limit / √3, k = 2."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.energy.uncertainty import (
    Part,
    added,
    clock_j,
    expanded_pct,
    ratio_expanded_pct,
    standard,
    standard_parts,
)

one_percent = 2 / math.sqrt(3)  # 1.1547


def test_one_meter_of_one_percent():
    assert standard([Part(1000, 1)]) == pytest.approx(5.7735, abs=1e-4)
    assert expanded_pct([Part(1000, 1)]) == pytest.approx(1.1547, abs=1e-4)
    assert expanded_pct([Part(1000, 1)], k=1) == pytest.approx(0.57735, abs=1e-5)


def test_reading_and_range_add_before_the_root():
    # ± 0.5 % of 1000 J ± 1 J: 6 / √3 = 3.4641
    assert standard([Part(1000, 0.5, limit_abs=1)]) == pytest.approx(3.4641, abs=1e-4)


def test_meters_of_one_model_add_linearly():
    assert expanded_pct([Part(600, 1, group="apc"), Part(400, 1, group="apc")]) == pytest.approx(one_percent)


def test_models_combine_in_quadrature():
    # √(6² + 4²) / √3 = 4.16333 of 1000
    assert expanded_pct([Part(600, 1, group="apc"), Part(400, 1, group="raritan")]) == pytest.approx(0.83267, abs=1e-5)


def test_runs_add_linearly_by_meter_and_in_quadrature_otherwise():
    # docs/semantics.md: 3 MJ and 1 MJ, ±1 % each, of one model: (30 + 10) kJ / √3 = 23.1 kJ, U = 1.15 % of 4 MJ
    runs = [standard_parts([Part(joules, 1, group="apc")]) for joules in (3e6, 1e6)]
    assert added([(1.0, run) for run in runs]).total_j == pytest.approx(23_094.0, abs=0.1)
    # of two models √(30² + 10²) kJ / √3 = 18.257 kJ
    mixed = [runs[0], standard_parts([Part(1e6, 1, group="raritan")])]
    assert added([(1.0, run) for run in mixed]).total_j == pytest.approx(18_257.4, abs=0.1)
    # half of the first run, and time resolutions of 3 and 4 kJ: (15 + 10) kJ / √3 = 14.434 kJ; √(14.434² + 1.5² + 4²)
    timed = [standard_parts([Part(3e6, 1, group="apc")], 3e3), standard_parts([Part(1e6, 1, group="apc")], 4e3)]
    assert added(zip((0.5, 1.0), timed, strict=True)).total_j == pytest.approx(15_052.7, abs=0.1)


def test_a_tenth_of_a_kilowatt_hour_on_two_minutes_is_worth_nothing():
    # 6 kW for 120 s = 720 kJ; 360 kJ / √12 at each end = 146 969 J together
    part = Part(720_000, 0, step=360_000)
    assert standard([part]) == pytest.approx(146_969.4, abs=0.1)
    assert expanded_pct([part]) == pytest.approx(40.825, abs=1e-3)


def test_counters_of_one_model_round_independently():
    parts = [Part(1000, 0, group="apc", step=12)] * 2
    assert standard(parts) == pytest.approx(math.sqrt(48))  # four ends of 12²/12


def test_a_clock_moves_the_two_ends():
    assert clock_j(3000, 4000, 0.01) == pytest.approx(50)
    assert standard([Part(1000, 1)], clock_j(3000, 4000, 0.01)) == pytest.approx(math.hypot(5.7735, 50), abs=1e-4)


def test_a_meter_that_states_nothing_makes_the_sum_unknown():
    assert math.isnan(expanded_pct([Part(1000, math.nan, group="a"), Part(1000, 1, group="b")]))
    assert math.isnan(expanded_pct([]))
    assert math.isnan(expanded_pct([Part(5, 1), Part(-5, 1)]))


class TestRatio:
    def test_the_gain_of_the_same_meter_cancels(self):
        assert ratio_expanded_pct([Part(750, 1, group="wt310")], [Part(1000, 1, group="wt310")]) == pytest.approx(0)

    def test_different_meters_do_not(self):
        result = ratio_expanded_pct([Part(750, 1, group="a")], [Part(1000, 1, group="b")])
        assert result == pytest.approx(one_percent * math.sqrt(2))

    def test_what_is_not_shared_stays(self):
        # steps of 12: √24 per run, relative to 750 and 1000
        result = ratio_expanded_pct([Part(750, 1, step=12)], [Part(1000, 1, step=12)])
        assert result == pytest.approx(200 * math.hypot(math.sqrt(24) / 750, math.sqrt(24) / 1000))

    def test_nothing_to_divide_by(self):
        assert math.isnan(ratio_expanded_pct([Part(1, 1)], []))
        assert math.isnan(ratio_expanded_pct([], [Part(1, 1)]))


@given(
    st.lists(st.tuples(st.floats(1, 1e6), st.floats(0, 5), st.sampled_from("abc")), min_size=1, max_size=10),
)
def test_groups_lie_between_full_correlation_and_none(rows):
    parts = [Part(value, limit, group=group) for value, limit, group in rows]
    u = standard(parts)
    assert u <= math.fsum(part.gain for part in parts) * (1 + 1e-12)
    assert u >= math.hypot(*(part.gain for part in parts)) * (1 - 1e-12)
