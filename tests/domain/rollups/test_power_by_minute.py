"""The power of racks by minute, worked out by hand: two racks over three minutes."""

import numpy as np
import pytest

from app.domain.rollups import MinuteMatrix, power_by_minute, whole_power

T = np.array([0, 60_000, 120_000])


def matrix(watts: list[list[float]], covered_s: list[list[int]]) -> MinuteMatrix:
    """Minutes of a constant power while covered."""
    covered_ms = 1000 * np.array(covered_s, np.int64)
    return MinuteMatrix(T, np.array(watts) * covered_ms / 1000, covered_ms, np.array([True] * len(watts)))


NOTHING = matrix([[0.0] * 3] * 2, [[0] * 3] * 2)


def test_what_is_whole_is_the_sum():
    racks = matrix([[1000.0, 1000.0, 2000.0], [500.0, 500.0, 500.0]], [[60] * 3] * 2)
    found = power_by_minute(["a", "b"], racks, NOTHING, [2, 3])
    assert found.mean_w.tolist() == found.known_w.tolist() == found.held_w.tolist() == [1500.0, 1500.0, 2500.0]
    assert found.energy_j == 60 * (1500.0 + 1500.0 + 2500.0)
    assert (found.coverage, found.missing) == (1.0, {})


def test_a_silent_rack_leaves_the_known_part_and_is_held_at_its_last_minute():
    racks = matrix([[1000.0, 0.0, 0.0], [500.0, 500.0, 600.0]], [[60, 0, 0], [60, 60, 60]])
    found = power_by_minute(["a", "b"], racks, NOTHING, [1, 1])
    assert found.mean_w.tolist()[:1] == [1500.0]
    assert np.isnan(found.mean_w[1:]).all()
    assert found.known_w.tolist() == [1500.0, 500.0, 600.0]
    assert found.held_w.tolist() == [1500.0, 1500.0, 1600.0]
    assert found.energy_j == 60 * (1500.0 + 500.0 + 600.0)
    assert found.coverage == pytest.approx(4 / 6)
    assert {rack: rows.tolist() for rack, rows in found.missing.items()} == {"a": [False, True, True]}


def test_of_a_partly_covered_rack_what_its_meters_measured_counts():
    # Rack a has four meters of 250 W; one is silent in the second minute, and in the third until its half.
    racks = matrix([[1000.0, 0.0, 1000.0], [500.0, 500.0, 500.0]], [[60, 0, 30], [60, 60, 60]])
    known = MinuteMatrix(
        T,
        np.array([[0.0, 750.0 * 60, 750.0 * 60 + 250.0 * 30], [0.0, 0.0, 0.0]]),
        np.array([[0, 45_000, 52_500], [0, 0, 0]]),
        np.array([True, True]),
    )
    found = power_by_minute(["a", "b"], racks, known, [4, 1])
    assert found.known_w.tolist() == [1500.0, 1250.0, 1375.0]
    assert found.energy_j == 60 * (1500.0 + 1250.0 + 1375.0)
    assert found.coverage == pytest.approx((4 * (60 + 45 + 52.5) + 180) / (5 * 180))
    assert np.isnan(found.mean_w[1:]).all()


def test_nothing_known_is_missing_not_zero():
    found = power_by_minute(["a"], matrix([[0.0] * 3], [[0] * 3]), matrix([[0.0] * 3], [[0] * 3]), [2])
    assert np.isnan(found.known_w).all()
    assert np.isnan(found.held_w).all()
    assert (found.energy_j, found.coverage) == (0.0, 0.0)


def test_a_whole_site():
    found = whole_power(T, np.array([60e3, 120e3, 60e3]), np.array([900.0, 1900, 900]), np.array([1100.0, 2100, 1100]))
    assert found.mean_w.tolist() == [1000.0, 2000.0, 1000.0]
    assert (found.energy_j, found.coverage) == (240e3, 1.0)
