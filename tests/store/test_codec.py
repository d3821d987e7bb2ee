import math
import struct

import numpy as np
import pytest

from app.store.codec import decode_times, decode_values, encode, figures, pack, unpack, window_ms


def test_values_come_back_bit_for_bit():
    quiet_nan_with_payload = struct.unpack("<d", bytes.fromhex("efbeadde0000f87f"))[0]
    v = np.array([0.0, -0.0, 1.5, math.nan, quiet_nan_with_payload, 5e-324, 1.7976931348623157e308, -273.15])
    assert decode_values(encode(v)).tobytes() == v.tobytes()


def test_times_come_back():
    t = np.array([0, 1_754_000_000_000, 1_754_000_000_100, 1_754_000_010_003])
    assert decode_times(encode(t)).tolist() == t.tolist()


def test_a_row_is_packed_little_endian():
    assert pack(np.array([[1.0, -2.0]])) == [bytes.fromhex("000000000000f03f00000000000000c0")]


def test_packed_rows_come_back():
    rows = np.array([[1.0, math.nan, 3.0], [4.0, 5.0, 6.0]])
    np.testing.assert_array_equal(unpack(pack(rows)), rows)


@pytest.mark.parametrize(
    ("interval_ms", "expected_ms"),
    [(10_000, 86_400_000), (1_000, 8_640_000), (100, 864_000), (60_000, 518_400_000), (3_600_000, 604_800_000)],
)
def test_a_window_is_8640_frames_and_at_most_a_week(interval_ms, expected_ms):
    assert window_ms(interval_ms) == expected_ms


def test_figures_follow_the_curve_rule():
    # τ = 10 s, max_gap = 30 s. 100→200 W linked over 10 s: 1500 J. 200→200 linked over 30 s: 6000 J.
    # Then 40 s apart: 200 W hold for 10 s: 2000 J, 30 s are not covered. The last value stands alone.
    t = np.array([0, 10_000, 40_000, 80_000])
    found = figures(t, np.array([100.0, 200.0, 200.0, 50.0]), 10_000, 30_000)
    assert (found.integral, found.covered_ms) == (9500.0, 50_000)
    assert (found.n, found.min_v, found.max_v) == (4, 50.0, 200.0)
    assert (found.first_t_ms, found.first_v, found.last_t_ms, found.last_v) == (0, 100.0, 80_000, 50.0)


def test_a_hold_ends_at_the_next_sample():
    # max_gap 5 s is shorter than the 8 s between the samples, which is shorter than τ = 10 s
    found = figures(np.array([0, 8_000]), np.array([100.0, 0.0]), 10_000, 5_000)
    assert (found.integral, found.covered_ms) == (800.0, 8_000)


def test_figures_of_one_sample():
    found = figures(np.array([7]), np.array([3.0]), 10_000, 30_000)
    assert (found.n, found.integral, found.covered_ms, found.first_t_ms, found.last_t_ms) == (1, 0.0, 0, 7, 7)
