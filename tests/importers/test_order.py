from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.importers.tables.order import in_order


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


def longest(times):
    """O(n²), from the definition."""
    best = []
    for i, t in enumerate(times):
        best.append(1 + max((best[j] for j in range(i) if times[j] < t), default=0))
    return max(best, default=0)


@given(st.lists(st.integers(0, 30), max_size=40))
def test_the_fewest_rows_are_left_out(times):
    kept, duplicates = in_order(np.array(times, dtype=np.int64))
    left = [t for t, keep in zip(times, kept, strict=True) if keep]
    assert all(a < b for a, b in pairwise(left))
    assert len(left) == longest(times)
    assert duplicates == sum(t in left for t, keep in zip(times, kept, strict=True) if not keep)
