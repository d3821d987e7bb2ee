import math
import struct

import numpy as np
import pytest

from app.store.timeseries.codec import (
    decode_times,
    decode_values,
    encode,
    encode_times,
    figures,
    pack,
    unpack,
    window_ms,
)


def test_values_come_back_bit_for_bit():
    quiet_nan_with_payload = struct.unpack("<d", bytes.fromhex("efbeadde0000f87f"))[0]
    v = np.array([0.0, -0.0, 1.5, math.nan, quiet_nan_with_payload, 5e-324, 1.7976931348623157e308, -273.15])
    assert decode_values(encode(v)).tobytes() == v.tobytes()


@pytest.mark.parametrize(
    "values",
    [
        [120.0, 121.0, 0.0, 4096.0],  # whole watts
        [120.4, 120.5, 1e6 / 10, 0.1],  # tenths, divided
        [1204 * 0.1, 3 * 0.1, 17 * 0.1],  # tenths, multiplied: 0.30000000000000004
        [0.001, 1.234, 17.999, 98.765],
        [7 * 0.001, 1103 * 0.001],
        [230.0, math.nan, -5.0],
        [math.nan] * 3,
        [-2147483647.0, 2147483647.0],
        [-2147483648.0, 1.0],  # the number that stands for missing
        [2147483648.0, 1.0],
        [1.0] * 20 + [-0.0],  # a first look finds whole numbers
        [1.0] * 20 + [1.00049],
        [math.inf, 1.0, -math.inf],
    ],
)
def test_whole_numbers_of_a_resolution_come_back_bit_for_bit(values):
    v = np.array(values, float)
    assert decode_values(encode(v)).tobytes() == v.tobytes()


def test_a_resolution_costs_nothing_of_the_float_it_came_in():
    whole = np.random.default_rng(1).integers(0, 1000, 8640)
    assert len(encode(whole / 1000)) == len(encode(whole * 0.001)) == len(encode(whole.astype(float)))
    assert len(encode(whole / 1000)) < 8640 * 1.26  # log2(1000) = 9.97 bits a value


@pytest.mark.parametrize(
    "t",
    [
        [0, 1_754_000_000_000, 1_754_000_000_100, 1_754_000_010_003],
        [1_754_000_000_000],
        [1_754_000_000_000, 1_754_000_000_500],
        [-3, 10_001, 20_002, 29_999, 70_000, 70_001],
        [0, 1, 1 << 60],
    ],
)
def test_times_come_back(t):
    assert decode_times(encode(np.array(t))).tolist() == t
    assert decode_times(encode_times(np.array(t))).tolist() == t


def test_times_beside_a_beat_cost_what_they_are_late():
    late = np.random.default_rng(1).integers(-3, 4, 86_400)
    t = 1_754_000_000_000 + 1000 * np.arange(86_400) + late
    assert decode_times(encode_times(t)).tolist() == t.tolist()
    assert len(encode_times(t)) < 86_400 * 0.36  # log2(7) = 2.81 bits each


def test_a_row_is_packed_little_endian():
    assert pack(np.array([[1.0, -2.0]])) == [bytes.fromhex("000000000000f03f00000000000000c0")]


def test_packed_rows_come_back():
    rows = np.array([[1.0, math.nan, 3.0], [4.0, 5.0, 6.0]])
    np.testing.assert_array_equal(unpack(b"".join(pack(rows)), 2), rows)


@pytest.mark.parametrize(
    ("interval_ms", "expected_ms"),
    [(10_000, 86_400_000), (1_000, 8_640_000), (100, 864_000), (60_000, 518_400_000), (3_600_000, 604_800_000)],
)
def test_a_window_is_8640_frames_and_at_most_a_week(interval_ms, expected_ms):
    assert window_ms(interval_ms, width=200) == expected_ms


@pytest.mark.parametrize(
    ("interval_ms", "width", "expected_ms"),
    [(1_000, 1, 86_400_000), (1_000, 16, 21_600_000), (500, 16, 10_800_000), (10_000, 1, 86_400_000),
     (60_000, 1, 518_400_000), (1_000, 400, 8_640_000)],
)  # fmt: skip
def test_a_window_of_few_series_is_longer_and_at_most_a_day(interval_ms, width, expected_ms):
    assert window_ms(interval_ms, width) == expected_ms


def test_figures_follow_the_curve_rule():
    # τ = 10 s, max_gap = 30 s. 100→200 W linked over 10 s: 1500 J. 200→200 linked over 30 s: 6000 J.
    # Then 40 s apart: 200 W hold for 10 s: 2000 J, 30 s are not covered. The last value stands alone.
    t = np.array([0, 10_000, 40_000, 80_000])
    found = figures(t, np.array([100.0, 200.0, 200.0, 50.0]), 10_000, 30_000)
    assert (found.integral, found.covered_ms) == (9500.0, 50_000)
    assert (found.count, found.min_v, found.max_v) == (4, 50.0, 200.0)
    assert (found.first_t_ms, found.first_v, found.last_t_ms, found.last_v) == (0, 100.0, 80_000, 50.0)


def test_a_hold_ends_at_the_next_sample():
    # max_gap 5 s is shorter than the 8 s between the samples, which is shorter than τ = 10 s
    found = figures(np.array([0, 8_000]), np.array([100.0, 0.0]), 10_000, 5_000)
    assert (found.integral, found.covered_ms) == (800.0, 8_000)


def test_figures_of_one_sample():
    found = figures(np.array([7]), np.array([3.0]), 10_000, 30_000)
    assert (found.count, found.integral, found.covered_ms, found.first_t_ms, found.last_t_ms) == (1, 0.0, 0, 7, 7)
