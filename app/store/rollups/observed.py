"""Totals of many subjects over months: whole days from day summaries, partial days from their minutes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, select

from app.domain.rollups import levels, sketch_quantiles
from app.models import RollupDaySeriesRow, table
from app.store.database import among_texts, raw, reading
from app.store.rollups.day_parts import Parts, days_between, joined_parts, merged, totals
from app.store.rollups.day_revisions import day_revisions
from app.store.rollups.kept import KeptByRevision
from app.store.timeseries import Times, Values, decode_times, decode_values
from collectors.contract import DAY_MS, MINUTE_MS

MINUTE = table(RollupDaySeriesRow)
CHANGING_DAYS = 2
"""The last whole days of a window, which late readings mostly change, are read each time."""
LEAST_MERGED = 5
MOST_MERGED_BYTES = 64_000_000
MOST_TOTALS_BYTES = 16_000_000
_BYTES_OF_TOTALS = 300
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
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


class ObservedReader:
    """Reads totals from a database, and keeps in memory what was merged. Safe to share between threads.

    All but the last whole days of a window are merged once for the same subjects. Totals are kept, too: what is asked
    next is often of the same minute.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._merged = KeptByRevision[Parts](MOST_MERGED_BYTES)
        self._totals = KeptByRevision[Mapping[str, Observed]](MOST_TOTALS_BYTES)

    def read(self, subjects: Sequence[str], start_ms: int, end_ms: int) -> Mapping[str, Observed]:
        """Return the totals of each subject in [start, end). A step (a minute, or an hour of days kept in hours) that
        crosses an end is excluded, and so is a subject without data.
        """
        key = tuple(subjects), -(start_ms // -MINUTE_MS), end_ms // MINUTE_MS
        with reading(self._engine) as connection:
            revisions = day_revisions(connection, _day(start_ms), end_ms)
        found = self._totals.get(key, revisions)
        if found is None:
            found = {}
            for i in range(0, len(subjects), _AT_ONCE):
                found |= self._read(tuple(subjects[i : i + _AT_ONCE]), start_ms, end_ms)
            self._totals.put(key, revisions, found, _BYTES_OF_TOTALS * len(subjects))
        return found

    def _read(self, subjects: tuple[str, ...], start_ms: int, end_ms: int) -> dict[str, Observed]:
        ends = (_Cut(day, max(start_ms, day), min(end_ms, day + DAY_MS)) for day in {_day(start_ms), _day(end_ms)})
        long_ago = range(-(start_ms // -DAY_MS) * DAY_MS, _day(end_ms) - CHANGING_DAYS * DAY_MS, DAY_MS)
        index = {subject: k for k, subject in enumerate(subjects)}
        with reading(self._engine) as connection:
            if len(long_ago) < LEAST_MERGED:
                before, spans = [], [(_day(start_ms), end_ms)]
            else:
                before = [self._merged_days(connection, index, subjects, long_ago)]
                spans = [(_day(start_ms), long_ago.start), (long_ago.stop, end_ms)]
            each = [days_between(connection, index, *span) for span in spans]
            day_ms, days = np.concatenate([t for t, _ in each]), joined_parts(part for _, part in each)
            parts = [joined_parts([*before, days.only((day_ms >= start_ms) & (day_ms + DAY_MS <= end_ms))])]
            for cut in (cut for cut in sorted(ends) if 0 < cut.end_ms - cut.start_ms < DAY_MS):
                peaks = _peaks(days.only(day_ms == cut.day_ms), parts[0], len(subjects))
                parts += _cut_day(connection, index, cut, peaks)
        return _figures(subjects, joined_parts(parts))

    def _merged_days(
        self, connection: Connection, index: dict[str, int], subjects: tuple[str, ...], days: range
    ) -> Parts:
        key, revisions = (subjects, days.start, days.stop), day_revisions(connection, days.start, days.stop)
        found = self._merged.get(key, revisions)
        if found is None:
            found = merged(days_between(connection, index, days.start, days.stop)[1], len(index))
            self._merged.put(key, revisions, found, sum(column.nbytes for column in found))
        return found


def _day(t_ms: int) -> int:
    return t_ms // DAY_MS * DAY_MS


def _peaks(day: Parts, others: Parts, subjects: int) -> _Peaks:
    found = _Peaks(np.full(subjects, np.nan), np.zeros(subjects, np.int64), np.full(subjects, -np.inf))
    found.of_day[day.owner] = day.most
    found.at_ms[day.owner] = day.most_at_ms
    np.maximum.at(found.elsewhere, others.owner, others.most)
    return found


def _cut_day(connection: Connection, index: dict[str, int], cut: _Cut, peaks: _Peaks) -> Iterator[Parts]:
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
) -> Parts:
    """Some steps of many subjects at once."""
    owner = np.array([index[row[0]] for row in rows], np.intp)
    coverings = {packed: decode_times(packed)[steps.part] for packed in {row[3] for row in rows}}  # mostly the same
    covered = np.stack([coverings[row[3]] for row in rows])
    integral = np.stack([decode_values(row[2], steps.part) for row in rows])
    there = covered > 0
    mean = np.divide(1000.0 * integral, covered, out=np.full(covered.shape, np.nan), where=there)
    most, most_at_ms = _greatest(connection, [row[0] for row in rows], owner, steps, peaks)
    some = there.any(axis=1)
    return Parts(
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


def _figures(subjects: Sequence[str], parts: Parts) -> dict[str, Observed]:
    """Return the totals of all pieces of each subject."""
    one = totals(parts)
    level_of = np.repeat(parts.owner, parts.n_levels)
    quantiles = sketch_quantiles(level_of, parts.level, parts.ms, len(subjects), (0.5, 0.99))
    median, p99 = np.clip(quantiles[one.owner].T, one.least, one.most).tolist()
    columns = (one.integral.tolist(), one.covered_ms.tolist(), one.most.tolist(), one.most_at_ms.tolist(), median, p99)
    return {subjects[i]: Observed(*row) for i, *row in zip(one.owner.tolist(), *columns, strict=True)}
