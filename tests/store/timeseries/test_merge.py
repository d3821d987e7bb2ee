import numpy as np

from app.store.timeseries.merge import merge
from app.store.timeseries.readings import WriteResult

NAN = np.nan


def run(slots, arriving, stored, exists):
    merged, result = merge(np.array(slots), np.array(arriving, float), np.array(stored, float), np.array(exists))
    return merged.tolist(), result


def test_new_moments_are_accepted():
    assert run([0, 1], [[1], [2]], [[NAN], [NAN]], [False, False]) == ([[1], [2]], WriteResult(2, 0, 0))


def test_the_same_again_is_a_duplicate():
    assert run([0], [[1, 2]], [[1, 2]], [True]) == ([[1, 2]], WriteResult(0, 1, 0))


def test_holes_are_filled():
    assert run([0], [[NAN, 2]], [[1, NAN]], [True]) == ([[1, 2]], WriteResult(1, 0, 0))


def test_another_value_is_a_conflict_and_what_stood_stays():
    assert run([0], [[9, 2]], [[1, NAN]], [True]) == ([[1, 2]], WriteResult(0, 0, 1))


def test_a_frame_without_values_is_new_once():
    merged, result = run([0, 0], [[NAN], [NAN]], [[NAN]], [False])
    assert np.isnan(merged).all()
    assert result == WriteResult(1, 1, 0)


def test_frames_of_one_batch_meet_each_other_in_order():
    # 1st brings a, 2nd fills b, 3rd contradicts a, 4th repeats
    arriving = [[1, NAN], [NAN, 2], [7, 2], [1, 2]]
    assert run([0, 0, 0, 0], arriving, [[NAN, NAN]], [False]) == ([[1, 2]], WriteResult(2, 1, 1))


def test_negative_zero_is_zero():
    assert run([0], [[-0.0]], [[0.0]], [True])[1] == WriteResult(0, 1, 0)
