"""Totals of days of many subjects, as arrays, and those of months merged into one piece per subject."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from app.store.database import among_texts, raw
from app.store.rollups.days import DAY, LEVEL
from app.store.timeseries import Times, Values
from collectors.contract import DAY_MS

_MOST_U32 = (1 << 32) - 1


class Parts(NamedTuple):
    """n pieces of time of subjects, and the levels of their minutes.

    Attributes
    ----------
    owner: int[n], index of the subject. integral [v·s], covered_ms, least, most, most_at_ms: [n].
    n_levels: int[n], number of levels of each. level, ms: all levels in this order, and the time at each.
    """

    owner: NDArray[np.intp]
    integral: Values
    covered_ms: Times
    least: Values
    most: Values
    most_at_ms: Times
    n_levels: NDArray[np.intp]
    level: NDArray[np.int16]
    ms: NDArray[np.integer]

    def only(self, which: NDArray[np.bool_]) -> Parts:
        """Some of the pieces."""
        if which.all():
            return self
        cells = np.repeat(which, self.n_levels)
        return Parts._make([*(column[which] for column in self[:7]), self.level[cells], self.ms[cells]])


def joined_parts(parts: Iterable[Parts]) -> Parts:
    """Return all pieces, in the order given."""
    return Parts._make(np.concatenate(column) for column in zip(*parts, strict=True))


def days_between(connection: Connection, index: Mapping[str, int], start_ms: int, end_ms: int) -> tuple[Times, Parts]:
    """Return the summaries of the days that begin in [start, end), and those days."""
    query = select(
        DAY.c.subject, DAY.c.integral, DAY.c.covered_ms, DAY.c.min_v, DAY.c.max_v, DAY.c.max_at_ms, DAY.c.levels
    ).where(DAY.c.day_ms >= start_ms, DAY.c.day_ms < end_ms, among_texts(connection, DAY.c.subject, list(index)))
    rows = raw(connection, query)
    subject, integral, covered, low, high, at, packed = ([row[i] for row in rows] for i in range(7))
    cells = np.frombuffer(b"".join(packed), LEVEL)
    at_ms = np.array(at, np.int64)
    found = Parts(
        np.array([index[each] for each in subject], np.intp),
        np.array(integral, np.float64),
        np.array(covered, np.int64),
        np.array(low, np.float64),
        np.array(high, np.float64),
        at_ms,
        np.array([len(each) for each in packed], np.intp) // LEVEL.itemsize,
        cells["level"],
        cells["ms"].astype(np.int64),
    )
    return at_ms // DAY_MS * DAY_MS, found


class Totals(NamedTuple):
    """The totals of u subjects over all of their pieces; the first of several equal maxima counts."""

    owner: NDArray[np.intp]
    integral: Values
    covered_ms: Times
    least: Values
    most: Values
    most_at_ms: Times


def totals(parts: Parts) -> Totals:
    """Return the totals of each subject that has a piece."""
    order = np.lexsort((parts.most_at_ms, -parts.most, parts.owner))  # the greatest of each first, then the earliest
    owner = parts.owner[order]
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    if not first.size:
        return Totals(*parts[:6])
    return Totals(
        owner[first],
        np.add.reduceat(parts.integral[order], first),
        np.add.reduceat(parts.covered_ms[order], first),
        np.minimum.reduceat(parts.least[order], first),
        parts.most[order][first],
        parts.most_at_ms[order][first],
    )


def merged(parts: Parts, subjects: int) -> Parts:
    """Return all pieces of each subject as one: what is computed from it is the same."""
    found = totals(parts)
    lowest = int(parts.level.min(initial=0))
    span = int(parts.level.max(initial=0)) - lowest + 1
    cells = np.repeat(parts.owner, parts.n_levels) * span + (parts.level.astype(np.int64) - lowest)
    ms = np.bincount(cells, parts.ms, subjects * span)
    known = np.flatnonzero(ms)
    return Parts(
        *found,
        np.bincount(known // span, minlength=subjects)[found.owner],
        (known % span + lowest).astype(np.int16),
        ms[known].astype(np.uint32 if ms.max() <= _MOST_U32 else np.int64),
    )
