"""Store day summaries of rollups, from which months of thousands of subjects are read."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sqlalchemy import Connection, delete

from app.domain.rollups import Minutes, sketch
from app.models import RollupDaySummaryRow, table
from app.store.database import upsert
from app.store.rollups.day_revisions import renew_days

DAY = table(RollupDaySummaryRow)
LEVEL = np.dtype([("level", "<i2"), ("ms", "<u4")])


def day_figures(day: Minutes) -> Mapping[str, object]:
    """Return the summary of some minutes; empty if nothing is covered."""
    if day.is_blank:
        return {}
    there = day.covered_ms > 0
    part = day.part(there)
    top = int(np.argmax(part.high))
    found, ms = sketch(part.mean, part.covered_ms)
    cells = np.empty(len(found), LEVEL)
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
    """Store the summaries of a day by subject; empty ones are deleted."""
    gone = [subject for subject, row in figures.items() if not row]
    for i in range(0, len(gone), 500):
        connection.execute(delete(DAY).where(DAY.c.day_ms == day_ms, DAY.c.subject.in_(gone[i : i + 500])))
    rows = [{"subject": subject, "day_ms": day_ms} | dict(row) for subject, row in figures.items() if row]
    upsert(connection, DAY, {column.name: [row[column.name] for row in rows] for column in DAY.c} if rows else {})
    renew_days(connection, [day_ms])
