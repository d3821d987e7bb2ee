from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.energy.energy import mean_w
from app.domain.timeseries.buckets import bucket_means
from app.domain.timeseries.curve import Curve, from_samples
from tests.domain.timeseries.strategies import curves


def test_a_ramp_has_the_mean_of_its_middle():
    # 0 W at 0 s up to 40 W at 40 s, then held for 10 s: stretches of 10 s have 5, 15, 25, 35 and 40 W
    ramp = from_samples([0, 40_000], [0.0, 40.0], 10_000, 40_000)
    assert bucket_means(ramp, np.arange(0, 60_000, 10_000)) == pytest.approx([5.0, 15.0, 25.0, 35.0, 40.0])


def test_what_is_not_covered_has_no_mean_and_does_not_lower_it():
    # 100 W until 10 s (held to 12 s), nothing until 30 s, 200 W from there to 42 s
    curve = from_samples([0, 10_000, 30_000, 40_000], [100.0, 100.0, 200.0, 200.0], 2_000, 10_000)
    found = bucket_means(curve, [-5_000, 5_000, 15_000, 25_000, 35_000, 50_000])
    assert found == pytest.approx([100.0, 100.0, np.nan, 200.0, 200.0], nan_ok=True)


def test_an_empty_curve_has_no_means():
    assert np.isnan(bucket_means(Curve.empty(), [0, 1, 2])).all()


@given(curves(), st.integers(1, 9))
def test_each_mean_is_the_mean_of_its_stretch(curve, n):
    if not len(curve):
        return
    edges = np.linspace(curve.t_ms[0] - 1000, curve.t_ms[-1] + 1000, n + 1).astype(np.int64)
    edges = np.unique(edges)
    expected = [mean_w(curve, int(a), int(b)) for a, b in pairwise(edges)]
    assert bucket_means(curve, edges) == pytest.approx(expected, rel=1e-6, abs=1e-3, nan_ok=True)
