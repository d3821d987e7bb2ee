"""The Welch interval, by tables and by hand."""

import math

import pytest

from app.domain.studies import Spread, difference
from app.domain.studies.significance import student_t

TABLE = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 8: 2.306, 10: 2.228, 20: 2.086, 30: 2.042, 100: 1.984}
"""Two-sided 95 %: NIST/SEMATECH e-Handbook, 1.3.6.7.2, column 0.975."""


@pytest.mark.parametrize(("degrees", "t"), TABLE.items())
def test_t_of_the_table(degrees: int, t: float) -> None:
    assert student_t(degrees) == pytest.approx(t, abs=6e-4)


def test_a_difference_by_hand() -> None:
    # means 90 and 100, s = 2 and 4, n = 4 each: a = 1, b = 4, ν = 25 / (1/3 + 16/3) = 4.41, t(4) = 2.776,
    # half = 2.776 · √5 = 6.208
    found = difference(Spread(4, 90.0, 2.0), Spread(4, 100.0, 4.0))
    assert (found.pct, found.degrees) == (pytest.approx(-10.0), pytest.approx(75 / 17))
    assert (found.low_pct, found.high_pct) == (pytest.approx(-16.208, abs=2e-3), pytest.approx(-3.792, abs=2e-3))
    assert found.is_significant


def test_scatter_that_covers_the_difference() -> None:
    assert not difference(Spread(3, 99.0, 5.0), Spread(3, 100.0, 5.0)).is_significant


def test_one_run_tells_nothing_of_scatter() -> None:
    found = difference(Spread(1, 90.0, math.nan), Spread(3, 100.0, 1.0))
    assert found.pct == pytest.approx(-10.0)
    assert math.isnan(found.low_pct)
    assert not found.is_significant


def test_runs_without_scatter() -> None:
    found = difference(Spread(2, 90.0, 0.0), Spread(2, 100.0, 0.0))
    assert (found.low_pct, found.high_pct, found.is_significant) == (-10.0, -10.0, True)
