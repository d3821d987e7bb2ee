"""Totals of many subjects over months: whole days from day summaries, partial days from their minutes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, select

from app.domain.rollups import levels, sketch_quantiles
from app.models import RollupDaySeriesRow, table
from app.store.database import among_texts, raw, reading
from app.store.rollups.days import DAY, LEVEL
from app.store.timeseries import Times, Values, decode_times, decode_values
from collectors.contract import DAY_MS

MINUTE = table(RollupDaySeriesRow)
_AT_ONCE = 500


@dataclass(frozen=True)
class Observed:
    """The totals of one subject. `max_at_ms` is the start of the minute of the (first) maximum.

    `median` and `p99` are of the means of its minutes, weighted by covered time, within
    `app.domain.rollups.quantile_sketch.ACCURACY` (0.5 %) of them and never beyond the least and the greatest value.
    """

    integral: float
    covered_ms: int
    max: float
    max_at_ms: int
    median: float
    p99: float


class _Parts(NamedTuple):
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
    ms: Times

    def only(self, which: NDArray[np.bool_]) -> _Parts:
        """Some of the pieces."""
        if which.all():
            return self
        cells = np.repeat(which, self.n_levels)
        return _Parts._make([*(column[which] for column in self[:7]), self.level[cells], self.ms[cells]])


class _Cut(NamedTuple):
    """The part [start, end) of a day."""

    day_ms: int
    start_ms: int
    end_ms: int


@dataclass(frozen=True)
class _Steps:
    """Some equal steps of a day."""

    day_ms: int
    step_ms: int
    part: slice

    @property
    def start_ms(self) -> int:
        """Start of the first."""
        return self.day_ms + self.step_ms * int(self.part.start)

    @property
    def end_ms(self) -> int:
        """End of the last."""
        return self.day_ms + self.step_ms * int(self.part.stop)


class _Peaks(NamedTuple):
    """By subject: the maximum of a whole day and its time; the maximum of the days inside the window.

    Attributes
    ----------
    of_day: float64[u], NaN where unknown. at_ms: int[u]. elsewhere: float64[u], -inf where nothing is.
    """

    of_day: Values
    at_ms: Times
    elsewhere: Values


def observed(engine: Engine, subjects: Sequence[str], start_ms: int, end_ms: int) -> dict[str, Observed]:
    """Return the totals of each subject in [start, end). A step (a minute, or an hour of days kept in hours) that
    crosses an end is excluded, and so is a subject without data.
    """
    found: dict[str, Observed] = {}
    ends = [_Cut(day, max(start_ms, day), min(end_ms, day + DAY_MS)) for day in sorted({_day(start_ms), _day(end_ms)})]
    cuts = [cut for cut in ends if 0 < cut.end_ms - cut.start_ms < DAY_MS]
    for i in range(0, len(subjects), _AT_ONCE):
        some = subjects[i : i + _AT_ONCE]
        index = {subject: k for k, subject in enumerate(some)}
        with reading(engine) as connection:
            day_ms, days = _days(connection, index, _day(start_ms), end_ms)
            parts = [days.only((day_ms >= start_ms) & (day_ms + DAY_MS <= end_ms))]
            for cut in cuts:
                peaks = _peaks(days.only(day_ms == cut.day_ms), parts[0], len(some))
                parts += _cut_day(connection, index, cut, peaks)
        found |= _figures(some, _Parts._make(np.concatenate(column) for column in zip(*parts, strict=True)))
    return found


def _day(t_ms: int) -> int:
    return t_ms // DAY_MS * DAY_MS


def _days(connection: Connection, index: dict[str, int], start_ms: int, end_ms: int) -> tuple[Times, _Parts]:
    """Return the summaries of the days that begin in [start, end), and those days."""
    query = select(
        DAY.c.subject, DAY.c.integral, DAY.c.covered_ms, DAY.c.min_v, DAY.c.max_v, DAY.c.max_at_ms, DAY.c.levels
    ).where(DAY.c.day_ms >= start_ms, DAY.c.day_ms < end_ms, among_texts(connection, DAY.c.subject, list(index)))
    rows = raw(connection, query)
    subject, integral, covered, low, high, at, packed = ([row[i] for row in rows] for i in range(7))
    owner = np.array([index[each] for each in subject], np.intp)
    cells = np.frombuffer(b"".join(packed), LEVEL)
    at_ms = np.array(at, np.int64)
    found = _Parts(
        owner,
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


def _peaks(day: _Parts, others: _Parts, subjects: int) -> _Peaks:
    found = _Peaks(np.full(subjects, np.nan), np.zeros(subjects, np.int64), np.full(subjects, -np.inf))
    found.of_day[day.owner] = day.most
    found.at_ms[day.owner] = day.most_at_ms
    np.maximum.at(found.elsewhere, others.owner, others.most)
    return found


def _cut_day(connection: Connection, index: dict[str, int], cut: _Cut, peaks: _Peaks) -> Iterator[_Parts]:
    """Return the totals of the minutes of a day, or of its hours for subjects kept in hours."""
    mine = (MINUTE.c.day_ms == cut.day_ms, among_texts(connection, MINUTE.c.subject, list(index)))
    rows = raw(
        connection, select(MINUTE.c.subject, MINUTE.c.step_ms, MINUTE.c.integrals, MINUTE.c.covered).where(*mine)
    )
    for step_ms in {row[1] for row in rows}:
        first, last = -(-(cut.start_ms - cut.day_ms) // step_ms), (cut.end_ms - cut.day_ms) // step_ms
        if first < last:
            steps = _Steps(cut.day_ms, step_ms, slice(first, last))
            yield _steps(connection, [row for row in rows if row[1] == step_ms], index, steps, peaks)


def _steps(
    connection: Connection, rows: Sequence[tuple[Any, ...]], index: dict[str, int], steps: _Steps, peaks: _Peaks
) -> _Parts:
    """Some steps of many subjects at once."""
    owner = np.array([index[row[0]] for row in rows], np.intp)
    coverings = {packed: decode_times(packed)[steps.part] for packed in {row[3] for row in rows}}  # mostly the same
    covered = np.stack([coverings[row[3]] for row in rows])
    integral = np.stack([decode_values(row[2], steps.part) for row in rows])
    there = covered > 0
    mean = np.divide(1000.0 * integral, covered, out=np.full(covered.shape, np.nan), where=there)
    most, most_at_ms = _greatest(connection, [row[0] for row in rows], owner, steps, peaks)
    some = there.any(axis=1)
    return _Parts(
        owner[some],
        integral.sum(axis=1)[some],
        covered.sum(axis=1)[some],
        np.where(there, mean, np.inf).min(axis=1)[some],
        most[some],
        most_at_ms[some],
        there.sum(axis=1)[some],
        levels(mean[there]),
        covered[there],
    )


def _greatest(
    connection: Connection, subjects: Sequence[str], owner: NDArray[np.intp], steps: _Steps, peaks: _Peaks
) -> tuple[Values, Times]:
    """Return the maximum in the steps of each subject and its time; -inf where other days have a greater one.

    The steps are read only if the maximum of the whole day is outside of them and no other day has a greater one.
    """
    most, at_ms = peaks.of_day[owner], peaks.at_ms[owner]
    outside = ~((at_ms >= steps.start_ms) & (at_ms < steps.end_ms))
    most[outside] = np.where(most < peaks.elsewhere[owner], -np.inf, np.nan)[outside]
    unknown = np.flatnonzero(np.isnan(most)).tolist()
    mine = among_texts(connection, MINUTE.c.subject, [subjects[i] for i in unknown])
    query = select(MINUTE.c.subject, MINUTE.c.highs).where(MINUTE.c.day_ms == steps.day_ms, mine)
    found = dict(raw(connection, query)) if unknown else {}
    for i in unknown:
        high = decode_values(found[subjects[i]], steps.part)
        if not np.isnan(high).all():
            top = int(np.nanargmax(high))
            most[i], at_ms[i] = high[top], steps.start_ms + top * steps.step_ms
    return most, at_ms


def _figures(subjects: Sequence[str], parts: _Parts) -> dict[str, Observed]:
    """Return the totals of all pieces of each subject."""
    order = np.lexsort((parts.most_at_ms, -parts.most, parts.owner))  # the greatest of each first, then the earliest
    owner = parts.owner[order]
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    if not first.size:
        return {}
    whose = owner[first]
    level_of = np.repeat(parts.owner, parts.n_levels)
    quantiles = sketch_quantiles(level_of, parts.level, parts.ms, len(subjects), (0.5, 0.99))
    least, most = np.minimum.reduceat(parts.least[order], first), parts.most[order][first]
    median, p99 = np.clip(quantiles[whose].T, least, most).tolist()
    columns = (
        np.add.reduceat(parts.integral[order], first).tolist(),
        np.add.reduceat(parts.covered_ms[order], first).tolist(),
        most.tolist(),
        parts.most_at_ms[order][first].tolist(),
        median,
        p99,
    )
    return {subjects[i]: Observed(*row) for i, *row in zip(whose.tolist(), *columns, strict=True)}
