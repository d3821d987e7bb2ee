import numpy as np

from app.importers.order import in_order


def mask(*times):
    kept, duplicates = in_order(np.array(times, dtype=np.int64))
    return kept.tolist(), duplicates


def test_increasing_times_are_all_kept():
    assert mask(1, 2, 3) == ([True, True, True], 0)
    assert mask() == ([], 0)


def test_of_equal_times_the_first_stays():
    assert mask(1, 2, 2, 2, 3) == ([True, True, False, False, True], 2)


def test_one_wild_time_costs_only_itself():
    assert mask(1, 2, 9000, 3, 4) == ([True, True, False, True, True], 0)
    assert mask(5, 1, 6, 7) == ([True, False, True, True], 0)


def test_a_clock_set_back_costs_the_fewest_rows():
    # five rows, then the clock is set back by three: 3 and 4 come twice
    kept, duplicates = mask(1, 2, 3, 4, 5, 3, 4, 5, 6, 7)
    assert sum(kept) == 7
    assert duplicates == 3
