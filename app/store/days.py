"""Whole days of the minute tier in a few figures each: what months of thousands of things are asked from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from sqlalchemy import Connection, Engine, delete, select

from app.domain.minutes import Minutes
from app.domain.sketch import sketch, sketch_quantiles
from app.models import DayRow, table
from app.store.bulk import among_texts, raw, upsert
from app.store.engine import reading

DAY = table(DayRow)
_LEVEL = np.dtype([("level", "<i2"), ("ms", "<u4")])
_AT_ONCE = 2000


@dataclass(frozen=True)
class Observed:
    """What one subject drew. `max_at_ms` is when the minute of the maximum begins.

    `median` and `p99` are of the means of its minutes, each standing for its covered time, within
    `app.domain.sketch.ACCURACY` (0.5 %) of them and never beyond min and max.
    """

    integral: float
    covered_ms: int
    min: float
    max: float
    max_at_ms: int
    median: float
    p99: float


def day_figures(day: Minutes) -> Mapping[str, object]:
    """What is kept of some minutes; empty when nothing is covered."""
    if day.is_blank:
        return {}
    there = day.covered_ms > 0
    part = day.part(there)
    top = int(np.argmax(part.high))
    found, ms = sketch(part.mean, part.covered_ms)
    cells = np.empty(len(found), _LEVEL)
    cells["level"], cells["ms"] = found, ms
    return {
        "integral": float(part.integral.sum()),
        "covered_ms": int(part.covered_ms.sum()),
        "min_v": float(part.low.min()),
        "max_v": float(part.high[top]),
        "max_at_ms": int(part.t_ms[top]),
        "levels": cells.tobytes(),
    }


def save_days(connection: Connection, day_ms: int, figures: Mapping[str, Mapping[str, object]]) -> None:
    """Store the figures of a day by subject; what is empty there is not kept."""
    gone = [subject for subject, row in figures.items() if not row]
    for i in range(0, len(gone), 500):
        connection.execute(delete(DAY).where(DAY.c.day_ms == day_ms, DAY.c.subject.in_(gone[i : i + 500])))
    rows = [{"subject": subject, "day_ms": day_ms} | dict(row) for subject, row in figures.items() if row]
    upsert(connection, DAY, {column.name: [row[column.name] for row in rows] for column in DAY.c} if rows else {})


def observed_days(
    engine: Engine, subjects: Sequence[str], start_ms: int, end_ms: int, more: Mapping[str, Sequence[Minutes]]
) -> dict[str, Observed]:
    """What each subject drew on the days of [start, end), both midnights (UTC), and in some minutes more."""
    found: dict[str, Observed] = {}
    for i in range(0, len(subjects), _AT_ONCE):
        some = subjects[i : i + _AT_ONCE]
        with reading(engine) as connection:
            query = select(
                DAY.c.subject, DAY.c.integral, DAY.c.covered_ms, DAY.c.min_v, DAY.c.max_v, DAY.c.max_at_ms, DAY.c.levels
            ).where(DAY.c.day_ms >= start_ms, DAY.c.day_ms < end_ms, among_texts(connection, DAY.c.subject, some))
            rows = raw(connection, query)
        parts = [(subject, day_figures(part)) for subject in some for part in more.get(subject, ())]
        rows += [(subject, *row.values()) for subject, row in parts if row]
        found |= _observed(sorted(rows, key=itemgetter(0, 5)))
    return found


def _observed(rows: Sequence[tuple[Any, ...]]) -> dict[str, Observed]:
    """Figures of the subjects of some rows, sorted by subject and the time of their maximum."""
    each = [(subject, list(own)) for subject, own in groupby(rows, itemgetter(0))]
    cells = np.frombuffer(b"".join(row[6] for row in rows), _LEVEL)
    lengths = [sum(len(row[6]) for row in own) // _LEVEL.itemsize for _, own in each]
    owner = np.repeat(np.arange(len(each)), lengths)
    quantiles = sketch_quantiles(owner, cells["level"], cells["ms"], len(each), (0.5, 0.99)).tolist()
    return {subject: _sum(own, *pair) for (subject, own), pair in zip(each, quantiles, strict=True)}


def _sum(rows: Sequence[tuple[Any, ...]], median: float, p99: float) -> Observed:
    _, integral, covered, low, high, at, _ = zip(*rows, strict=True)
    least, most = min(low), max(high)
    return Observed(
        integral=sum(integral),
        covered_ms=sum(covered),
        min=least,
        max=most,
        max_at_ms=at[high.index(most)],
        median=min(max(median, least), most),
        p99=min(max(p99, least), most),
    )
