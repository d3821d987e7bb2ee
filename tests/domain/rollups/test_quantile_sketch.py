"""Quantiles of sums of sketches, held against all values."""

import numpy as np
import pytest

from app.domain.rollups.quantile_sketch import ACCURACY, level_values, levels, sketch, sketch_quantiles


def test_a_level_counts_for_what_is_near() -> None:
    values = np.array([-1e9, -230.0, -0.0011, -1e-4, 0.0, 9e-4, 1e-3, 1.0, 411.7, 1e9])
    found = levels(values)
    assert (np.diff(found) >= 0).all()
    assert found[[3, 4, 5]].tolist() == [0, 0, 0]
    stands = level_values(found)
    assert stands[[3, 4, 5]].tolist() == [0.0, 0.0, 0.0]
    near = np.abs(values) >= 1e-3
    assert (np.abs(stands - values)[near] <= 1.000001 * ACCURACY * np.abs(values)[near]).all()


def test_quantiles_of_sums_are_near_those_of_all_values() -> None:
    rng = np.random.default_rng(5)
    values = np.concatenate([rng.normal(4000, 900, 5000), rng.uniform(-300, 0, 300), np.zeros(100)])
    ms = rng.integers(1, 60_001, len(values))
    parts = [sketch(values[i::7], ms[i::7]) for i in range(7)]
    owner = np.concatenate([np.full(len(found), 1) for found, _ in parts])
    found = sketch_quantiles(
        owner, np.concatenate([f for f, _ in parts]), np.concatenate([w for _, w in parts]), 3, (0.02, 0.5, 0.99, 1.0)
    )
    order = np.argsort(values)
    below = np.cumsum(ms[order])
    for told, q in zip(found[1], (0.02, 0.5, 0.99, 1.0), strict=True):
        exact = values[order][np.searchsorted(below, q * below[-1])]
        assert told == pytest.approx(exact, rel=ACCURACY)
    assert np.isnan(found[[0, 2]]).all()


def test_weights_decide() -> None:
    # 10 stands for a second, 30 for two, 40 for three: half of the time is at or below 30, the rest at 40
    found, ms = sketch(np.array([40.0, 30.0, 10.0, 40.0]), np.array([1000, 2000, 1000, 2000]))
    assert ms.tolist() == [1000, 2000, 3000]
    assert sketch_quantiles(np.zeros(3, int), found, ms, 1, (0.5, 0.51)) == pytest.approx(
        np.array([[30.0, 40.0]]), rel=ACCURACY
    )
    assert np.isnan(sketch_quantiles(np.zeros(0, int), found[:0], ms[:0], 1, (0.5,))).all()
