"""Counters and integrals by hand."""

import math

import pytest

from collectors.nvml_exporter.energy import EnergyAccount, increment

NAN = math.nan
WRAP = 2.0**32 / 1000


@pytest.mark.parametrize(
    ("before", "now", "elapsed_s", "gained", "event"),
    [
        (1000.0, 1200.0, 0.5, 200.0, ""),
        (1000.0, 1000.0, 0.5, 0.0, ""),
        (WRAP - 100.0, 150.0, 0.5, 250.0, "counter_wrapped"),
        (1000.0, 10.0, 0.5, NAN, "counter_reset"),  # a driver reload: 4293977 J in half a second are not plausible
        (1000.0, 5000.0, 0.5, NAN, "counter_stepped"),  # 700 W allow 1.2 * 700 * (0.5 + 1) = 1260 J
        (1000.0, 2260.0, 0.5, 1260.0, ""),
        (NAN, 1000.0, 0.5, NAN, ""),
        (1000.0, NAN, 0.5, NAN, ""),
    ],
)
def test_an_increment(before, now, elapsed_s, gained, event):
    told = increment(before, now, elapsed_s, 700.0, WRAP)
    assert told.energy_j == pytest.approx(gained, nan_ok=True)
    assert told.event == event


def test_counter_and_integral_side_by_side():
    account = EnergyAccount(WRAP, 1.5)
    account.add(0.0, 100.0, 1000.0, 700.0)
    account.add(1.0, 300.0, 1190.0, 700.0)  # a trapezoid of 200 J beside 190 J
    account.add(2.0, 300.0, 1490.0, 700.0)
    assert (account.counter_j, account.integral_j) == (490.0, 500.0)
    assert account.difference == pytest.approx(10 / 490)


def test_a_missing_power_leaves_its_interval_to_the_counter():
    account = EnergyAccount(WRAP, 1.5)
    for at_s, power_w, counter_j in ((0, 100, 0), (1, NAN, 100), (2, 100, 200), (3, 100, 300)):
        account.add(at_s, power_w, counter_j, 700.0)
    assert (account.counter_j, account.integral_j) == (300.0, 100.0)
    assert (account.both_counter_j, account.both_integral_j) == (100.0, 100.0)
    assert account.difference == 0.0


def test_a_missing_counter_is_bridged_and_not_compared():
    account = EnergyAccount(WRAP, 1.5)
    for at_s, power_w, counter_j in ((0, 100, 0), (1, 100, NAN), (2, 100, 200)):
        account.add(at_s, power_w, counter_j, 700.0)
    assert (account.counter_j, account.integral_j) == (200.0, 200.0)
    assert math.isnan(account.difference)


def test_a_reset_interval_is_unknown_to_the_counter():
    account = EnergyAccount(WRAP, 1.5)
    for at_s, counter_j in ((0, 1000), (1, 1100), (2, 40), (3, 140)):
        account.add(at_s, 100.0, counter_j, 700.0)
    assert (account.counter_j, account.integral_j) == (200.0, 300.0)
    assert (account.both_counter_j, account.both_integral_j) == (200.0, 200.0)


def test_a_pause_is_not_integrated():
    account = EnergyAccount(WRAP, 1.5)
    for at_s, counter_j in ((0, 0), (10, 1000)):
        account.add(at_s, 100.0, counter_j, 700.0)
    assert (account.counter_j, account.integral_j) == (1000.0, 0.0)
