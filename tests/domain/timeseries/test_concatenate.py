"""Pieces one after the other, and sums whose members come and go, reckoned by hand."""

import numpy as np
import pytest

from app.domain.energy.energy import energy_j
from app.domain.timeseries.concatenate import Member, concatenate_curves, concatenate_steps, filled, sum_while_present
from app.domain.timeseries.curve import Curve, from_samples, gaps, value_at, window


def level(v, start_s, end_s):
    """A curve of v from start to end, read every 10 s; the last reading holds 10 s."""
    t = range(1000 * start_s, 1000 * end_s, 10_000)
    return from_samples(list(t), [v] * len(t), 10_000, 30_000)


def test_pieces_that_touch_step_within_a_millisecond_and_cover_everything():
    whole = concatenate_curves([level(100.0, 0, 100), level(300.0, 100, 200)])
    assert (whole.start_ms, whole.end_ms, whole.covered_ms) == (0, 200_000, 200_000)
    assert value_at(whole, [99_999, 100_000, 100_001]).tolist() == [100.0, 100.0, 300.0]
    # the step is a line from 100 W to 300 W within 1 ms
    assert energy_j(whole, 0, 200_000) == pytest.approx(100 * 100 + 300 * 100 - 0.1, abs=1e-6)


def test_pieces_apart_leave_a_gap():
    whole = concatenate_curves([level(100.0, 0, 100), level(300.0, 150, 200)])
    assert whole.covered_ms == 150_000
    assert str(value_at(whole, [120_000])[0]) == "nan"


def test_pieces_that_overlap_are_refused():
    with pytest.raises(ValueError, match="follow"):
        concatenate_curves([level(100.0, 0, 100), level(300.0, 50, 200)])


def test_nothing_is_nothing():
    assert len(concatenate_curves([])) == 0
    assert len(concatenate_curves([Curve.empty(), Curve.empty()])) == 0
    assert len(sum_while_present([])) == 0
    assert filled(Curve.empty(), Curve.empty(), 0, 1000)[1] == []


def test_members_count_while_they_are_present():
    total = sum_while_present([Member(level(100.0, 0, 200), 0, 200_000), Member(level(50.0, 0, 200), 100_000, 150_000)])
    assert value_at(total, [50_000, 120_000, 180_000]).tolist() == [100.0, 150.0, 100.0]
    assert total.covered_ms == 200_000
    assert energy_j(total, 0, 200_000) == pytest.approx(100 * 200 + 50 * 50, abs=0.1)


def test_a_member_that_is_silent_leaves_a_gap_only_while_it_is_present():
    total = sum_while_present([Member(level(100.0, 0, 200), 0, 200_000), Member(level(50.0, 0, 50), 0, 100_000)])
    assert value_at(total, [25_000, 150_000]).tolist() == [150.0, 100.0]
    assert total.covered_ms == pytest.approx(150_000, abs=2)


def test_a_single_member_is_left_as_it_is():
    curve = window(level(100.0, 0, 200), 0, 200_000)
    total = sum_while_present([Member(curve, 0, 200_000)])
    assert total.t_ms.tolist() == curve.t_ms.tolist()
    assert total.is_sample.tolist() == curve.is_sample.tolist()


def test_gaps_are_filled_and_named():
    curve = concatenate_curves([level(100.0, 0, 100), level(100.0, 200, 300)])
    whole, taken = filled(curve, level(90.0, 0, 300), 0, 300_000)
    assert taken == [(100_001, 200_000)]
    assert whole.covered_ms == 300_000
    assert value_at(whole, [50_000, 150_000, 250_000]).tolist() == [100.0, 90.0, 100.0]


def test_what_the_other_does_not_cover_stays_a_gap():
    whole, taken = filled(Curve.empty(), level(90.0, 50, 100), 0, 300_000)
    assert taken == [(50_000, 100_000)]
    assert whole.covered_ms == 50_000


def test_steps_are_level_and_begin_with_a_sample():
    edges = np.array([0, 1000, 2000, 3000, 4000])
    curve = concatenate_steps(edges, np.array([10.0, 30.0, 99.0, 50.0]), np.array([True, True, False, True]))
    assert curve.t_ms.tolist() == [0, 999, 1000, 2000, 3000, 4000]
    assert curve.v.tolist() == [10.0, 10.0, 30.0, 30.0, 50.0, 50.0]
    assert curve.is_sample.tolist() == [True, False, True, False, True, False]
    assert (curve.covered_ms, gaps(curve, 0, 4000)) == (3000, [(2000, 3000)])
    # half a millisecond of 30 W less 10 W over what touches
    assert energy_j(curve, 0, 4000) == pytest.approx(10 + 30 + 50 + 0.0005 * 20, abs=1e-12)


def test_a_step_of_a_millisecond_is_its_begin_alone():
    curve = concatenate_steps(np.array([0, 10, 11, 20]), np.array([1.0, 2.0, 3.0]), np.array([True, True, True]))
    assert curve.t_ms.tolist() == [0, 9, 10, 11, 20]
    assert curve.linked.tolist() == [True, True, True, True, False]
    assert not len(concatenate_steps(np.array([0, 10]), np.array([1.0]), np.array([False])))
