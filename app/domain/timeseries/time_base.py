"""The points of a curve in time, without its values: series that are read together share them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, TypeVarTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_MOST_FOUND = 8

Found = TypeVar("Found")
Given = TypeVarTuple("Given")


@dataclass(frozen=True, eq=False)
class TimeBase:
    """Times, and which neighbours a straight line joins. Covered exactly between joined points (ends included).

    Attributes
    ----------
    t_ms: int64[n], strictly increasing [ms].
    linked: bool[n]; point i is joined to point i + 1. The last is False, and no point is isolated.
    is_sample: bool[n]; False at the end of a hold and at interpolated ends of a window.
    """

    t_ms: IntArray
    linked: BoolArray
    is_sample: BoolArray
    _found: dict[tuple[Any, ...], Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        n = self.t_ms.shape
        if len(n) != 1 or not (n == self.linked.shape == self.is_sample.shape):
            raise ValueError("a curve's arrays are one-dimensional and equally long")
        if n[0] and self.linked[-1]:
            raise ValueError("the last point of a curve cannot be linked")

    @staticmethod
    def none() -> TimeBase:
        """Return an empty time base."""
        no = np.empty(0, np.bool_)
        return TimeBase(np.empty(0, np.int64), no, no)

    def __len__(self) -> int:
        return len(self.t_ms)

    def once(self, find: Callable[[TimeBase, *Given], Found], *given: *Given) -> Found:
        """Return the cached result of a function of this time base, computed once for all curves that share it.

        Its arguments are hashable, and its results must not be changed. Only the last few results are kept.
        """
        key = (find, *given)
        if key in (known := self._found):
            found: Found = known[key]
            return found
        found = find(self, *given)
        if len(known) >= _MOST_FOUND:
            known.clear()
        known[key] = found
        return found


def joined_ms(time_base: TimeBase) -> IntArray:
    """int64[n - 1]: covered time between neighbours [ms]."""
    return np.diff(time_base.t_ms) * time_base.linked[:-1]


def covered_ms(time_base: TimeBase) -> int:
    """Covered time [ms]."""
    return int(joined_ms(time_base).sum())


def reach_ms(time_base: TimeBase) -> FloatArray:
    """float64[n]: covered time on both sides of each point [ms]; Σ v · reach / 2 is the trapezoidal integral."""
    joined = joined_ms(time_base)
    reach = np.zeros(len(time_base))
    reach[:-1] += joined
    reach[1:] += joined
    return reach


def without_lone(time_base: TimeBase) -> tuple[TimeBase, BoolArray] | None:
    """Return the points joined to a neighbour, and which these are: bool[n]; None if all are."""
    keep = time_base.linked.copy()
    keep[1:] |= time_base.linked[:-1]
    return (
        None
        if keep.all()
        else (TimeBase(time_base.t_ms[keep], time_base.linked[keep], time_base.is_sample[keep]), keep)
    )


def sampled(t: IntArray, tau: IntArray, gap: IntArray) -> TimeBase:
    """Return the time base of n ≥ 1 samples and of the hold after every run: see `curve.from_samples`."""
    linked = np.append(np.diff(t) <= gap[:-1], False)
    last = np.flatnonzero(~linked)
    held = t[last] + tau[last]
    held[:-1] = np.minimum(held[:-1], t[last[:-1] + 1] - 1)
    linked[last] = True
    at = last + 1
    is_sample = np.insert(np.ones(t.size, np.bool_), at, False)
    return TimeBase(np.insert(t, at, held), np.insert(linked, at, False), is_sample)


def sample_before(time_base: TimeBase) -> IntArray:
    """Return int64[n]: the sample at or before each point."""
    return np.cumsum(time_base.is_sample) - 1


@dataclass(frozen=True, eq=False)
class Cut:
    """The time base inside a window, cut out of that of a whole curve.

    Attributes
    ----------
    `time_base`: the time base, with ends where the window cuts a line.
    rows: which points of the whole are inside. start_ms, end_ms: the ends inside a line [ms], else None.
    """

    time_base: TimeBase
    rows: slice
    start_ms: int | None
    end_ms: int | None


def cut(time_base: TimeBase, start_ms: int, end_ms: int) -> Cut:
    """Return the time base inside [start_ms, end_ms]. Ends inside a line are not samples; a point may be isolated."""
    t, n = time_base.t_ms, len(time_base)
    first, stop = int(np.searchsorted(t, start_ms)), int(np.searchsorted(t, end_ms, "right"))
    cut_start = 0 < first < n and bool(time_base.linked[first - 1] and t[first] > start_ms)
    cut_end = 0 < stop < n and bool(time_base.linked[stop - 1] and t[stop - 1] < end_ms)
    ends = (start_ms if cut_start else None, end_ms if cut_end else None)
    linked = time_base.linked[first:stop].copy()
    if linked.size:
        linked[-1] = cut_end
    inside = TimeBase(
        framed(t[first:stop], *ends),
        framed(linked, cut_start or None, False if cut_end else None),
        framed(time_base.is_sample[first:stop], *(None if end is None else False for end in ends)),
    )
    return Cut(inside, slice(first, stop), *ends)


def framed(array: NDArray[Any], before: float | None, after: float | None) -> NDArray[Any]:
    """Return an array with a number before it and one after it, where given."""
    if before is None and after is None:
        return array
    ends = ([] if end is None else [end] for end in (before, after))
    head, tail = (np.array(end, array.dtype) for end in ends)
    return np.concatenate([head, array, tail])
