"""A table of readings: one row per moment, one column per series, made slice by slice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.store.timeseries import Times, Values
from collectors.contract import DAY_MS

ROWS_PER_SLICE = 20_000
_LONGEST_SLICE_MS = DAY_MS
_SHORTEST_SLICE_MS = 60_000


@dataclass(frozen=True)
class TableColumn:
    """One column: `title` names the thing and the unit; `unit` as people write it."""

    title: str
    unit: str


@dataclass(frozen=True)
class TableSlice:
    """Rows of a stretch of time: t int64[n] [ms] rising, values float64[n, columns], NaN = missing."""

    t_ms: Times
    values: Values


@dataclass(frozen=True)
class ReadingTable:
    """Columns, and their rows slice by slice, each read in a short transaction of its own."""

    columns: Sequence[TableColumn]
    slices: Iterator[TableSlice]


def in_slices(rows: Callable[[int, int, int], TableSlice], start_ms: int, end_ms: int) -> Iterator[TableSlice]:
    """Yield the rows of [start, end] in slices of about `ROWS_PER_SLICE` rows.

    Parameters
    ----------
    rows: (start, end, before) → the rows of [start, before), from curves of [start, end] [ms].
    """
    at, length = start_ms, _SHORTEST_SLICE_MS
    while at < end_ms:
        until = min(at + length, end_ms)
        part = rows(at, until, until + int(until == end_ms))
        yield part
        density = max(len(part.t_ms), 1) / (until - at)
        length = int(min(max(ROWS_PER_SLICE / density, _SHORTEST_SLICE_MS), _LONGEST_SLICE_MS, 8 * length))
        at = until


def aligned(columns: Sequence[tuple[Times, Values]]) -> TableSlice:
    """Return columns of (times, values) as rows; a value is in the row of its time."""
    t_ms = np.unique(np.concatenate([t for t, _ in columns])) if columns else np.empty(0, np.int64)
    values = np.full((len(t_ms), len(columns)), np.nan)
    for i, (t, v) in enumerate(columns):
        values[np.searchsorted(t_ms, t), i] = v
    return TableSlice(t_ms, values)
