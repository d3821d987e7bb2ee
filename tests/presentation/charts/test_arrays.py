"""Typed arrays: what goes out is what comes back, and gaps stay gaps."""

import numpy as np

from app.domain.timeseries.curve import Curve
from app.presentation.charts.arrays import polyline, times, values
from tests.presentation.charts.curves import curve, decode, steady


def test_times_are_offsets_of_four_bytes() -> None:
    encoded = times([1_763_640_000_000, 1_763_640_010_000])
    assert encoded["dtype"] == "i4"
    assert encoded["x0_ms"] == 1_763_640_000_000
    assert decode(encoded).tolist() == [1_763_640_000_000, 1_763_640_010_000]


def test_times_beyond_24_days_need_eight_bytes() -> None:
    encoded = times([0, 30 * 86_400_000])
    assert encoded["dtype"] == "f8"
    assert decode(encoded).tolist() == [0, 2_592_000_000]


def test_no_times() -> None:
    assert decode(times([])).size == 0


def test_a_matrix_keeps_its_shape() -> None:
    assert values([[1, 2, 3], [4, 5, 6]])["shape"] == [2, 3]


def test_missing_is_nan() -> None:
    assert np.isnan(decode(values([1.0, np.nan]))[1])


def test_a_line_breaks_at_a_gap() -> None:
    t, v = polyline(curve({0: 1.0, 10: 2.0, 200: 3.0}), 0, 300_000)
    # covered 0…20 s (held 10 s) and 200…210 s
    assert np.isnan(v).tolist() == [False, False, False, True, False, False]
    assert t[[0, 2, 4, 5]].tolist() == [0, 20_000, 200_000, 210_000]


def test_at_most_two_thousand_points_and_the_peak_among_them() -> None:
    samples = dict.fromkeys(range(0, 200000, 10), 100.0) | {77_770: 999.0}
    t, v = polyline(curve(samples), 0, 200_000_000)
    assert len(t) <= 2000
    assert v.max() == 999.0
    assert t[v.argmax()] == 77_770_000


def test_nothing() -> None:
    assert polyline(Curve.empty(), 0, 1000)[0].size == 0
    assert polyline(steady(0, 10, 1.0), 500_000, 600_000)[0].size == 0
