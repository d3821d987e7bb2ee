"""Means of the minutes of many subjects over months, by subjects that are covered alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Engine, select

from app.models import RollupDaySeriesRow, table
from app.store.database import among_texts, raw, reading
from app.store.timeseries import Times, Values, decode_times, decode_values
from collectors.contract import DAY_MS

MINUTE = table(RollupDaySeriesRow)
_Coverage = tuple[tuple[int, int, bytes], ...]
"""Of each day: its start, the length of its steps and what of them is covered, as it is stored."""


class MinuteMeans(NamedTuple):
    """Means of n covered steps (minutes, or hours of days kept in hours) of subjects.

    Attributes
    ----------
    t_ms, step_ms: int64[n], when each step begins and how long it is [ms]. mean: subject → float64[n].
    """

    t_ms: Times
    step_ms: Times
    mean: Mapping[str, Values]


def minute_means(engine: Engine, subjects: Sequence[str], start_ms: int, end_ms: int) -> list[MinuteMeans]:
    """Return the means of the covered steps that overlap [start, end); a subject without any is in none."""
    query = select(MINUTE.c.subject, MINUTE.c.day_ms, MINUTE.c.step_ms, MINUTE.c.covered, MINUTE.c.integrals).where(
        MINUTE.c.day_ms >= start_ms // DAY_MS * DAY_MS, MINUTE.c.day_ms < end_ms, MINUTE.c.covered_ms > 0
    )
    days: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    with reading(engine) as connection:
        mine = query.where(among_texts(connection, MINUTE.c.subject, subjects))
        for subject, *day in raw(connection, mine.order_by(MINUTE.c.subject, MINUTE.c.day_ms)):
            days[subject].append(tuple(day))
    alike: dict[_Coverage, dict[str, list[bytes]]] = defaultdict(dict)
    for subject, each in days.items():
        alike[tuple((day_ms, step_ms, covered) for day_ms, step_ms, covered, _ in each)][subject] = [
            integrals for *_, integrals in each
        ]
    found = (_means(coverage, integrals, start_ms, end_ms) for coverage, integrals in alike.items())
    return [one for one in found if len(one.t_ms)]


def _means(coverage: _Coverage, integrals: Mapping[str, Sequence[bytes]], start_ms: int, end_ms: int) -> MinuteMeans:
    covered = [decode_times(packed) for _, _, packed in coverage]
    t_ms = np.concatenate(
        [
            day + step * np.arange(len(one), dtype=np.int64)
            for (day, step, _), one in zip(coverage, covered, strict=True)
        ]
    )
    step_ms = np.concatenate(
        [np.full(len(one), step, np.int64) for (_, step, _), one in zip(coverage, covered, strict=True)]
    )
    covered_ms = np.concatenate(covered)
    there = (covered_ms > 0) & (t_ms + step_ms > start_ms) & (t_ms < end_ms)
    rows = slice(None) if there.all() else np.flatnonzero(there)
    mean = {
        subject: 1000.0 * np.concatenate([decode_values(day) for day in days])[rows] / covered_ms[rows]
        for subject, days in integrals.items()
    }
    return MinuteMeans(t_ms[rows], step_ms[rows], mean)
