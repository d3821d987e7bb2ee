"""Minute rollups: power of nodes, PDUs, lines, racks, rooms and sites, kept for months."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, Engine, delete, func, select

from app.domain.rollups import MinuteMatrix, Minutes, coarser
from app.models import ChunkRow, FrameRow, RollupDaySeriesRow, StreamRow, table
from app.store.database import among_texts, raw, reading, upsert
from app.store.rollups.day_revisions import renew_days
from app.store.rollups.days import DAY
from app.store.rollups.minute_means import MinuteMeans, minute_means
from app.store.rollups.observed import Observed, ObservedReader
from app.store.timeseries import decode_times, decode_values, encode
from collectors.contract import DAY_MS, MINUTE_MS

MINUTE = table(RollupDaySeriesRow)
STREAM = table(StreamRow)
FRAME = table(FrameRow)
CHUNK = table(ChunkRow)


class MinuteStore:
    """Minute rollups by subject: `kind/key:quantity`, such as `node/hgx-01:power`. Safe to share."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._observed = ObservedReader(engine)

    def read(self, subjects: Sequence[str], start_ms: int, end_ms: int) -> dict[str, Minutes]:
        """Return the covered steps of each subject that overlap [start, end): minutes, or hours on older days.

        An unknown subject has none.
        """
        query = select(MINUTE).where(
            MINUTE.c.day_ms >= start_ms // DAY_MS * DAY_MS, MINUTE.c.day_ms < end_ms, MINUTE.c.covered_ms > 0
        )
        days: dict[str, list[Minutes]] = defaultdict(list)
        with reading(self.engine) as connection:
            among = among_texts(connection, MINUTE.c.subject, subjects)
            for row in connection.execute(query.where(among).order_by(MINUTE.c.subject, MINUTE.c.day_ms)).mappings():
                days[row["subject"]].append(decode_day(row))
        return {subject: _covered(days.get(subject, []), start_ms, end_ms) for subject in subjects}

    def means(self, subjects: Sequence[str], start_ms: int, end_ms: int) -> list[MinuteMeans]:
        """Return the means of the covered steps that overlap [start, end), by subjects that are covered alike."""
        return minute_means(self.engine, subjects, start_ms, end_ms)

    def observed(self, subjects: Sequence[str], start_ms: int, end_ms: int) -> Mapping[str, Observed]:
        """Return the totals of each subject in [start, end): whole days from summaries, partial days from minutes.

        A step that crosses an end is excluded, and so is a subject without data.
        """
        return self._observed.read(subjects, start_ms, end_ms)

    def measured(self, subjects: Sequence[str], start_ms: int, end_ms: int) -> set[str]:
        """Return the subjects with a covered step that overlaps [start, end)."""
        inside = (MINUTE.c.day_ms >= -(start_ms // -DAY_MS) * DAY_MS, MINUTE.c.day_ms <= end_ms - DAY_MS)
        with reading(self.engine) as connection:
            among = among_texts(connection, MINUTE.c.subject, subjects)
            query = select(MINUTE.c.subject).where(*inside, MINUTE.c.covered_ms > 0, among).distinct()
            found = set(connection.scalars(query))
        rest = [subject for subject in subjects if subject not in found]
        return found.union(*(one.mean for one in self.means(rest, start_ms, end_ms)) if rest else ())

    def day_peaks(self, subjects: Sequence[str], start_ms: int, end_ms: int) -> dict[str, dict[int, float]]:
        """Return by subject the maximum of each day that begins in [start, end)."""
        within = (DAY.c.day_ms >= start_ms, DAY.c.day_ms < end_ms)
        found: dict[str, dict[int, float]] = defaultdict(dict)
        with reading(self.engine) as connection:
            query = select(DAY.c.subject, DAY.c.day_ms, DAY.c.max_v).where(
                *within, among_texts(connection, DAY.c.subject, subjects)
            )
            for subject, day_ms, peak in raw(connection, query):
                found[subject][day_ms] = peak
        return dict(found)

    def days(self, subjects: Sequence[str], day_ms: int) -> dict[str, Minutes]:
        """Return every step of a day of the subjects that have one."""
        with reading(self.engine) as connection:
            query = select(MINUTE).where(MINUTE.c.day_ms == day_ms, among_texts(connection, MINUTE.c.subject, subjects))
            return {row["subject"]: decode_day(row) for row in connection.execute(query).mappings()}

    def matrix(self, subjects: Sequence[str], start_ms: int, end_ms: int) -> MinuteMatrix:
        """Return the minutes of [start, end) of each subject, blank where it has none; days kept in hours are blank."""
        days = range(start_ms // DAY_MS * DAY_MS, end_ms, DAY_MS)
        index = {subject: i for i, subject in enumerate(subjects)}
        t_ms = np.arange(start_ms, end_ms, MINUTE_MS, dtype=np.int64)
        integral = np.zeros((len(subjects), len(t_ms)))
        covered_ms = np.zeros((len(subjects), len(t_ms)), np.int64)
        stored = np.zeros(len(subjects), np.int64)
        query = select(MINUTE.c.subject, MINUTE.c.day_ms, MINUTE.c.integrals, MINUTE.c.covered).where(
            MINUTE.c.day_ms >= days.start, MINUTE.c.day_ms < end_ms, MINUTE.c.step_ms == MINUTE_MS
        )
        with reading(self.engine) as connection:
            rows = raw(connection, query.where(among_texts(connection, MINUTE.c.subject, subjects)))
        coverings = {packed: decode_times(packed) for packed in {row[3] for row in rows}}  # mostly the same
        for subject, day_ms, integrals, covered in rows:
            first, last = max(0, start_ms - day_ms) // MINUTE_MS, min(DAY_MS, end_ms - day_ms) // MINUTE_MS
            at = (day_ms - start_ms) // MINUTE_MS
            part = slice(at + first, at + last)
            integral[index[subject], part] = decode_values(integrals, slice(first, last))
            covered_ms[index[subject], part] = coverings[covered][first:last]
            stored[index[subject]] += 1
        return MinuteMatrix(t_ms, integral, covered_ms, stored == len(days))

    def energies(self, subjects: Sequence[str], since_ms: int) -> dict[str, dict[int, float]]:
        """Return the integral of each subject [v·s] on each day from a day on; a day without data is missing."""
        found: dict[str, dict[int, float]] = defaultdict(dict)
        with reading(self.engine) as connection:
            query = select(DAY.c.subject, DAY.c.day_ms, DAY.c.integral).where(
                DAY.c.day_ms >= since_ms, among_texts(connection, DAY.c.subject, subjects)
            )
            for subject, day_ms, integral in connection.execute(query):
                found[subject][day_ms] = integral
        return found

    def covered_outside(self, subjects: Sequence[str], day_ms: int, start_ms: int, end_ms: int) -> dict[str, bool]:
        """Return, of the subjects with minutes of a day, whether any outside of [start, end) is covered."""
        query = select(MINUTE.c.subject, MINUTE.c.step_ms, MINUTE.c.covered).where(MINUTE.c.day_ms == day_ms)
        with reading(self.engine) as connection:
            rows = raw(connection, query.where(among_texts(connection, MINUTE.c.subject, subjects)))
        found = {}
        for kind in {(step_ms, covered) for _, step_ms, covered in rows}:  # mostly the same
            covered_ms = decode_times(kind[1])
            t_ms = day_ms + kind[0] * np.arange(len(covered_ms), dtype=np.int64)
            found[kind] = bool(covered_ms[(t_ms + kind[0] <= start_ms) | (t_ms >= end_ms)].any())
        return {subject: found[step_ms, covered] for subject, step_ms, covered in rows}

    def of_kind(self, kind: str, day_ms: int) -> set[str]:
        """Return the subjects of a kind with minutes of a day."""
        mine = MINUTE.c.subject.between(f"{kind}/", f"{kind}0")
        with reading(self.engine) as connection:
            return set(connection.scalars(select(MINUTE.c.subject).where(MINUTE.c.day_ms == day_ms, mine)))

    def are_known(self, subjects: Sequence[str], day_ms: int) -> bool:
        """Return whether each of some subjects has minutes of a day."""
        with reading(self.engine) as connection:
            query = select(func.count()).where(
                MINUTE.c.day_ms == day_ms, among_texts(connection, MINUTE.c.subject, subjects)
            )
            return connection.scalar(query) == len(subjects)

    def known(self, day_ms: int) -> set[str]:
        """Return the subjects that have a summary of any day."""
        with reading(self.engine) as connection:
            return set(connection.scalars(select(MINUTE.c.subject).where(MINUTE.c.day_ms == day_ms)))


def first_reading(connection: Connection, devices: Container[str]) -> int | None:
    """Return the time of the oldest stored reading of some devices."""
    streams = [row.id for row in connection.execute(select(STREAM.c.id, STREAM.c.device)) if row.device in devices]
    firsts = [
        connection.scalar(select(func.min(column)).where(column.table.c.stream_id == stream_id))
        for stream_id in streams
        for column in (FRAME.c.t_ms, CHUNK.c.first_ms)
    ]
    return min((first for first in firsts if first is not None), default=None)


def save(connection: Connection, day_ms: int, rows: Mapping[str, Mapping[str, object]]) -> None:
    """Store days encoded by `packed`; delete those that are None."""
    gone = [subject for subject, row in rows.items() if not row]
    for i in range(0, len(gone), 500):
        connection.execute(delete(MINUTE).where(MINUTE.c.day_ms == day_ms, MINUTE.c.subject.in_(gone[i : i + 500])))
    kept = {subject: row for subject, row in rows.items() if row}
    names = [column.name for column in MINUTE.c]
    given = [{"subject": subject, "day_ms": day_ms} | dict(row) for subject, row in kept.items()]
    upsert(connection, MINUTE, {name: [row[name] for row in given] for name in names} if given else {})
    renew_days(connection, [day_ms])


def packed(day: Minutes) -> Mapping[str, object]:
    """Return a day as columns of its row; empty if nothing is covered."""
    if day.is_blank:
        return {}
    return {
        "step_ms": int(day.step_ms[0]),
        "integrals": encode(day.integral),
        "lows": encode(day.low),
        "highs": encode(day.high),
        "covered": encode(day.covered_ms),
        "covered_ms": int(day.covered_ms.sum()),
    }


def patched(before: Minutes | None, part: Minutes, day_ms: int) -> Minutes:
    """Return a day with some of its minutes replaced. A day kept in hours stays as it is."""
    day = before or Minutes.blank(day_ms, day_ms + DAY_MS)
    if int(day.step_ms[0]) != MINUTE_MS:
        return day
    first = int(part.t_ms[0] - day_ms) // MINUTE_MS
    for name in ("integral", "low", "high", "covered_ms"):
        getattr(day, name)[first : first + len(part)] = getattr(part, name)
    return day


def in_hours(day: Minutes, step_ms: int) -> Mapping[str, object]:
    """Return a day in longer steps, as columns of its row."""
    return packed(coarser(day, step_ms))


def decode_day(row: Mapping[Any, Any]) -> Minutes:
    """Return every step of a stored day, or of what `packed` made of steps from `day_ms` on."""
    integral = decode_values(row["integrals"])
    step_ms, n = row["step_ms"], len(integral)
    return Minutes(
        t_ms=row["day_ms"] + step_ms * np.arange(n, dtype=np.int64),
        step_ms=np.full(n, step_ms, np.int64),
        integral=integral,
        low=decode_values(row["lows"]),
        high=decode_values(row["highs"]),
        covered_ms=decode_times(row["covered"]),
    )


def _covered(days: Iterable[Minutes], start_ms: int, end_ms: int) -> Minutes:
    parts = [d.part((d.covered_ms > 0) & (d.t_ms + d.step_ms > start_ms) & (d.t_ms < end_ms)) for d in days]
    if not parts:
        return Minutes.blank(0, 0)
    return Minutes(*(np.concatenate([getattr(part, name) for part in parts]) for name in Minutes.__slots__))
