"""Power from registers, reckoned by hand: 1 Wh = 3600 J, read every 5 s."""

import math

import numpy as np
import pytest

from app.domain.energy import (
    counted_power,
    derived_now,
    derived_power,
    energy_j,
    is_coarse,
    register,
    span_at,
    statistics,
)
from app.domain.timeseries import coverage, value_at

WH = 3600.0
QUARTER = 900_000


def meter(watts, seconds, start_ms=0, every_s=5, step_j=WH):
    """A register of a constant load: it shows whole steps only."""
    t = start_ms + 1000 * np.arange(0, seconds + 1, every_s)
    return register(t, np.floor(watts * np.arange(0, seconds + 1, every_s) / step_j) * step_j, step_j=step_j)


def test_a_span_is_the_shortest_with_a_hundred_steps():
    # 7.2 kW are 2 Wh in 1 s, 100 Wh in 50 s: 18 spans in a quarter of an hour
    curve = derived_power(meter(7200.0, 3600))
    assert value_at(curve, [0, 25_000, 1_000_000]).tolist() == pytest.approx([7200.0] * 3)
    assert [span_at(curve, t) for t in (0, 49_000, 50_000, 899_000)] == [50_000] * 4
    assert (int(curve.t_ms[0]), int(curve.t_ms[-1])) == (0, 3_600_000)


def test_the_rest_of_a_quarter_of_an_hour_belongs_to_its_last_span():
    # 1.2 kW: 100 Wh take 300 s; 1.3 kW: 100 Wh are full at 280 s (101 Wh), twice in 560 s; the 340 s left hold 123
    curve = derived_power(meter(1200.0, 900))
    assert span_at(curve, 0) == 300_000
    rest = derived_power(meter(1000.0, 900))  # 100 Wh in 360 s, 200 in 720 s; 50 Wh are left
    assert [span_at(rest, t) for t in (0, 360_000, 800_000)] == [360_000, 540_000, 540_000]


def test_the_integral_over_each_span_is_its_increment():
    t = 1000 * np.arange(0, 901, 5)
    v = WH * np.floor(np.cumsum(np.concatenate([[0.0], np.where(np.arange(180) < 90, 2.0, 30.0)])))
    curve = derived_power(register(t, v, step_j=WH))
    assert energy_j(curve, 0, QUARTER) == pytest.approx(float(v[-1]), rel=1e-14)
    assert energy_j(curve, 0, 250_000) == pytest.approx(100 * WH, rel=1e-14)  # 2 Wh in 5 s: 100 Wh in 250 s
    assert energy_j(counted_power(register(t, v, step_j=WH)), 0, 5_000) == pytest.approx(2 * WH, rel=1e-14)


def test_the_curve_does_not_depend_on_what_was_read():
    rng = np.random.default_rng(1)
    t = np.cumsum(rng.integers(4_000, 6_000, 3000))
    v = WH * np.floor(np.cumsum(rng.uniform(0, 20, 3000)))
    whole, part = derived_power(register(t, v, step_j=WH)), derived_power(register(t[700:], v[700:], step_j=WH))
    later = (int(t[700]) // QUARTER + 1) * QUARTER
    at = np.arange(later, int(t[-1]), 10_000)
    assert value_at(part, at).tolist() == pytest.approx(value_at(whole, at).tolist(), rel=1e-12)


def test_fewer_than_a_hundred_steps_in_a_quarter_of_an_hour_are_one_coarse_span():
    # 396 W are 99 Wh in 900 s, 400 W are 100 Wh
    low, enough = derived_power(meter(396.0, 1800)), derived_power(meter(400.0, 1800))
    assert [span_at(low, 0), span_at(low, 1_000_000)] == [900_000, 900_000]
    assert is_coarse(statistics(low, 0, 1_800_000).max, WH)
    assert not is_coarse(statistics(enough, 0, 1_800_000).max, WH)
    assert is_coarse(1e6, math.nan)  # a register whose step is not known


def test_silence_of_more_than_a_quarter_of_an_hour_and_resets_are_not_covered():
    t = [0, 600_000, 1_500_001, 2_000_000]
    curve = derived_power(register(t, [0.0, 360_000.0, 720_000.0, 1_080_000.0], step_j=1.0))
    assert coverage(curve, 0, 2_000_000) == pytest.approx((600_000 + 499_999) / 2_000_000, abs=1e-6)
    assert energy_j(counted_power(register(t, [0.0, 3.6e5, 7.2e5, 1.08e6], step_j=1.0)), 0, 2_000_000) == pytest.approx(
        1_080_000.0
    )
    reset = derived_power(register([0, 10_000, 20_000, 30_000], [5000.0, 6000.0, 50.0, 1050.0], step_j=1.0))
    assert value_at(reset, [5_000, 15_000, 25_000])[[0, 2]].tolist() == [100.0, 100.0]
    assert math.isnan(value_at(reset, [15_000])[0])


def test_one_reading_or_none_is_no_curve():
    assert len(derived_power(register([], []))) == 0
    assert len(derived_power(register([1000], [5.0]))) == 0
    assert len(counted_power(register([1000], [5.0]))) == 0


def test_the_power_now_is_the_mean_of_the_shortest_span_before_the_last_reading():
    # 7.2 kW: 100 Wh in 50 s; 111 W: 27.75 Wh in a quarter of an hour, of which the register shows 27 or 28
    assert derived_now(meter(7200.0, 3600)) == (pytest.approx(7200.0), 50_000)
    low = derived_now(meter(111.0, 3600))
    assert low is not None
    assert low[1] == 900_000
    assert low[0] == pytest.approx(111.0, abs=4.0)
    t = 1000 * np.arange(0, 901, 5)
    rises = WH * np.cumsum(np.concatenate([[0.0], np.where(np.arange(180) < 90, 2.0, 30.0)]))
    assert derived_now(register(t, rises, step_j=WH)) == (pytest.approx(21_600.0), 20_000)  # 30 Wh in 5 s


def test_the_power_now_does_not_reach_across_a_reset_or_a_silence():
    reset = register([0, 10_000, 20_000, 30_000], [5000.0, 6000.0, 50.0, 1050.0], step_j=1.0)
    assert derived_now(reset) == (pytest.approx(100.0), 10_000)
    assert derived_now(register([0, 900_001], [0.0, 3.6e5], step_j=1.0)) is None
    assert derived_now(register([0, 10_000, 20_000], [0.0, 3.6e5, 0.0], step_j=1.0)) is None
    assert derived_now(register([], [])) is None
