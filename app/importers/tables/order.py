"""Find the rows of a log that are in order of time."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray


def in_order(t_ms: NDArray[np.int64]) -> tuple[NDArray[np.bool_], int]:
    """Return the mask of the longest strictly increasing subsequence, and how many other rows repeat a kept time.

    The fewest rows are dropped: one row with a wrong time does not cost all rows after it. Of equal choices the earlier
    row is kept. Patience sorting, O(n log n) (Fredman 1975).
    """
    if len(t_ms) < 2 or bool(np.all(np.diff(t_ms) > 0)):
        return np.ones(len(t_ms), dtype=np.bool_), 0
    times = t_ms.tolist()
    ahead = _longest_from(times)
    kept = np.zeros(len(times), dtype=np.bool_)
    wanted, last = max(ahead), min(times) - 1
    for row, t in enumerate(times):
        if ahead[row] == wanted and t > last:
            kept[row], last, wanted = True, t, wanted - 1
    return kept, int(np.isin(t_ms[~kept], t_ms[kept]).sum())


def _longest_from(times: list[int]) -> list[int]:
    """Return the length of the longest strictly increasing subsequence that begins at each row."""
    tails: list[int] = []
    lengths = [0] * len(times)
    for row in range(len(times) - 1, -1, -1):
        place = bisect_left(tails, -times[row])
        tails[place : place + 1] = [-times[row]]
        lengths[row] = place + 1
    return lengths
