"""Merge arriving frames into stored values. Pure: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from app.store.timeseries.readings import Values, WriteResult

ACCEPTED, DUPLICATE, CONFLICT = range(3)


def merge(
    slots: NDArray[np.intp], arriving: Values, stored: Values, exists: NDArray[np.bool_]
) -> tuple[Values, WriteResult]:
    """Fill missing values, keep stored ones, and count both.

    Parameters
    ----------
    slots: int[n], index of the time of each arriving frame; several frames may have the same time.
    arriving: float64[n, m]. stored: float64[u, m], stored values at each time. NaN is missing in both.
    exists: bool[u], whether a frame is stored at the time.

    Returns
    -------
    float64[u, m], stored with its holes filled, and the fate of the frames.
    """
    merged, seen = stored.copy(), exists.copy()
    fate = np.empty(len(slots), np.int8)
    for rows in _rounds(slots):
        at, new = slots[rows], arriving[rows]
        old = merged[at]
        given, standing = ~np.isnan(new), ~np.isnan(old)
        conflict = (given & standing & (new != old)).any(axis=1)
        brings = (given & ~standing).any(axis=1) | ~seen[at]
        fate[rows] = np.where(conflict, CONFLICT, np.where(brings, ACCEPTED, DUPLICATE))
        merged[at] = np.where(standing, old, new)
        seen[at] = True
    return merged, WriteResult(*np.bincount(fate, minlength=3).tolist())


def _rounds(slots: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """Rows in rounds that meet each moment at most once, in the order they arrived."""
    order = np.argsort(slots, kind="stable")
    ordered = slots[order]
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    if len(first) == len(slots):
        yield order
        return
    rank = np.arange(len(slots)) - np.repeat(first, np.diff(np.r_[first, len(slots)]))
    by_rank = order[np.argsort(rank, kind="stable")]
    yield from np.split(by_rank, np.cumsum(np.bincount(rank))[:-1])
