"""Fractional run time: by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.domain.studies.run_profile import band, fractions, profile
from app.domain.timeseries.curve import Curve, from_samples


def test_parts_of_a_ramp():
    # 0 → 400 W over 40 s in 4 parts: means 50, 150, 250, 350 W, at 1/8, 3/8, 5/8, 7/8 of the run
    ramp = from_samples([0, 10_000, 20_000, 30_000, 40_000], [0, 100, 200, 300, 400], 10_000, 30_000)
    assert profile(ramp, 0, 40_000, 4).tolist() == [50, 150, 250, 350]
    assert fractions(4).tolist() == [0.125, 0.375, 0.625, 0.875]


def test_runs_of_different_length_share_the_axis():
    short = from_samples([0, 1000, 2000, 3000], [100, 100, 300, 300], 1000, 3000)  # 4 s with its hold
    long = from_samples([50_000, 60_000, 70_000, 80_000], [100, 100, 300, 300], 10_000, 30_000)  # 40 s
    assert profile(short, 0, 4000, 4).tolist() == profile(long, 50_000, 90_000, 4).tolist() == [100, 200, 300, 300]


def test_a_gap_stays_a_gap():
    # nothing between 10 s and 30 s: of four parts the second and the third are not covered
    curve = from_samples([0, 30_000], [100, 200], 10_000, 10_000)
    found = profile(curve, 0, 40_000, 4)
    assert found[[0, 3]].tolist() == [100, 200]
    assert np.isnan(found[[1, 2]]).all()
    assert np.isnan(profile(Curve.empty(), 0, 1000, 2)).all()


def test_a_run_without_length():
    with pytest.raises(ValueError, match="no length"):
        profile(Curve.empty(), 5, 5)


def test_the_mean_of_a_group_and_its_scatter():
    # 90, 100, 110: mean 100 ± 10; then 100 and 104 with one missing: 102 ± √8; then one alone; then none
    nan = math.nan
    found = band([np.array(row) for row in ([90.0, 100, 7, nan], [100.0, 104, nan, nan], [110.0, nan, nan, nan])])
    assert found.n.tolist() == [3, 2, 1, 0]
    assert found.mean[:3].tolist() == [100, 102, 7]
    assert found.std[:2] == pytest.approx([10, math.sqrt(8)])
    assert np.isnan(found.std[2:]).all()
    assert math.isnan(found.mean[3])
