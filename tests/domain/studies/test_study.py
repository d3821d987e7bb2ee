"""Repeats and power caps. The published table and numbers by hand."""

from __future__ import annotations

import math

import pytest

from app.domain.studies.study import Configuration, Spread, compare, ratio, spread

REFERENCE = Configuration(1.0, 85.6)


class TestPublishedCap:
    """93.6 against 85.6 time units, and 24.4 % less energy."""

    result = compare(Configuration(1.0 - 0.244, 93.6), REFERENCE)

    def test_gain_minus_loss(self):
        assert self.result.energy_gain_pct == pytest.approx(24.4)
        assert self.result.performance_loss_pct == pytest.approx(9.3458, abs=1e-4)
        assert self.result.net_points == pytest.approx(15.0, abs=0.06)

    def test_products_and_sums(self):
        assert round(self.result.edp_gain_pct, 1) == 17.3
        assert round(self.result.eds_gain_pct(2.0), 1) == 7.5


def test_the_reference_is_its_own_measure():
    result = compare(REFERENCE, REFERENCE, ks=(1.0, 1.5, 2.0, 3.0))
    assert (result.energy_gain_pct, result.performance_loss_pct, result.edp) == (0, 0, 1)
    assert result.eds == pytest.approx({1.0: 1, 1.5: 1, 2.0: 1, 3.0: 1})


def test_k_weighs_energy_against_time():
    # half the energy, twice the time; k = 1.5: (0.5 · 0.5 + 2) / 1.5 = 1.5, k = 3: (2 · 0.5 + 2) / 3 = 1
    result = compare(Configuration(50, 20), Configuration(100, 10), ks=(1.5, 3.0))
    assert result.eds == pytest.approx({1.5: 1.5, 3.0: 1.0})
    assert result.eds_gain_pct(1.5) == pytest.approx(-50)


@pytest.mark.parametrize(("run", "ks"), [((0, 1), (2,)), ((1, -1), (2,)), ((1, 1), (0.5,))])
def test_what_cannot_be_compared(run, ks):
    with pytest.raises(ValueError, match="must be positive"):
        compare(Configuration(*run), REFERENCE, ks)


def test_spread_is_the_sample_standard_deviation():
    assert spread([2, 4, 4, 4, 5, 5, 7, 9]) == (8, 5, pytest.approx(2.13809, abs=1e-5))  # √(32/7)
    assert spread([1, math.nan, 3]) == (2, 2, pytest.approx(math.sqrt(2)))
    one = spread([5])
    assert (one.n, one.mean) == (1, 5)
    assert math.isnan(one.std)
    assert math.isnan(spread([]).mean)


def test_a_ratio_carries_the_scatter_of_both():
    # relative standard deviations of 3 and 4 % make 5 %: 200/100 ± 0.05 · 2
    value, std = ratio(Spread(5, 200.0, 6.0), Spread(5, 100.0, 4.0))
    assert (value, std) == (2.0, pytest.approx(0.1))


def test_published_ratios():
    # Caspart et al. 2022, tables 2 and 3: CPU-mix / CPU-only 1.7 (Energy), CPU-only / GPU 86 (Health)
    assert ratio(Spread(5, 4856.0, 43.6), Spread(5, 2821.5, 70.8)).value == pytest.approx(1.7, abs=0.03)
    assert ratio(Spread(5, 65_796.7, 4899.4), Spread(5, 761.7, 17.0)).value == pytest.approx(86, abs=0.5)


@pytest.mark.parametrize("reference", [Spread(0, math.nan, math.nan), Spread(1, 0.0, math.nan)])
def test_no_ratio_to_nothing(reference):
    assert all(math.isnan(x) for x in ratio(Spread(5, 1.0, 0.1), reference))


def test_the_scatter_of_single_runs_is_not_known():
    found = ratio(Spread(1, 3.0, math.nan), Spread(5, 2.0, 0.1))
    assert found.value == 1.5
    assert math.isnan(found.std)
