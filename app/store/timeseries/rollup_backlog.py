"""Stale minute rollups: marked in the transaction that stores the readings that change them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, delete, select, tuple_, update

from app.models import FacilityChangeRow, RollupBacklogRow, StreamRow, table
from app.store.database import upsert
from app.store.timeseries.layouts import lock_streams
from app.store.timeseries.readings import Times
from collectors.contract import DAY_MS

DIRTY = table(RollupBacklogRow)
CHANGE = table(FacilityChangeRow)
STREAM = table(StreamRow)
PLACES = ("rack", "device", "node", "supply")
"""Kinds of objects whose change may change minutes."""


@dataclass(frozen=True)
class StaleRange:
    """Readings of a device in [from, to) of a day arrived since its minutes were computed."""

    stream_id: int
    device: str
    day_ms: int
    from_ms: int
    to_ms: int
    token: int


@dataclass(frozen=True)
class Due:
    """A change of the facility that the minutes from `due_ms` on do not include."""

    id: int
    kind: str
    key: str
    action: str
    due_ms: int


def mark_stale(connection: Connection, stored: Mapping[int, tuple[Times, int]]) -> None:
    """Mark ranges as stale: by stream the times of new readings (increasing) and how far each is effective [ms]."""
    rows = [(stream_id, *span) for stream_id, (t_ms, reach_ms) in stored.items() for span in _by_day(t_ms, reach_ms)]
    if rows:
        token = secrets.randbits(62)
        columns = dict(zip(("stream_id", "day_ms", "from_ms", "to_ms"), zip(*rows, strict=True), strict=True))
        upsert(connection, DIRTY, {**columns, "token": [token] * len(rows)}, least="from_ms", greatest="to_ms")


def _by_day(t_ms: Times, reach_ms: int) -> list[tuple[int, int, int]]:
    """Return (day, from, to) of every day that the readings affect."""
    first_ms, last_ms = int(t_ms.min()) - reach_ms, int(t_ms.max()) + reach_ms + 1
    if (day := first_ms // DAY_MS * DAY_MS) == (last_ms - 1) // DAY_MS * DAY_MS:
        return [(day, first_ms, last_ms)]
    start, end = t_ms - reach_ms, t_ms + reach_ms + 1
    days = np.unique(np.concatenate([_days(a, b) for a, b in _runs(start, end)]))
    found = []
    for day in days.tolist():
        inside = (end > day) & (start < day + DAY_MS)
        found.append((day, max(day, int(start[inside].min())), min(day + DAY_MS, int(end[inside].max()))))
    return found


def _runs(start: Times, end: Times) -> list[tuple[int, int]]:
    """Join overlapping ranges."""
    last = np.flatnonzero(np.append(start[1:] > end[:-1], True))
    return list(zip(start[np.append(0, last[:-1] + 1)].tolist(), end[last].tolist(), strict=True))


def _days(start_ms: int, end_ms: int) -> Times:
    return np.arange(start_ms // DAY_MS, (end_ms - 1) // DAY_MS + 1, dtype=np.int64) * DAY_MS


def stale_ranges(connection: Connection, day_ms: int) -> list[StaleRange]:
    """Return the stale ranges of a day."""
    query = select(DIRTY, STREAM.c.device).join(STREAM, STREAM.c.id == DIRTY.c.stream_id)
    rows = connection.execute(query.where(DIRTY.c.day_ms == day_ms).order_by(DIRTY.c.stream_id))
    return [StaleRange(r.stream_id, r.device, r.day_ms, r.from_ms, r.to_ms, r.token) for r in rows]


def stale_days(connection: Connection) -> list[int]:
    """Return the days with stale ranges, newest first."""
    return list(connection.scalars(select(DIRTY.c.day_ms).distinct().order_by(DIRTY.c.day_ms.desc())))


def clear(connection: Connection, done: Sequence[StaleRange]) -> None:
    """Delete stale ranges that were not renewed since they were read."""
    lock_streams(connection, sorted({m.stream_id for m in done}))  # writers of many streams hold several marks
    each = [(m.stream_id, m.day_ms, m.token) for m in done]
    for i in range(0, len(each), 500):
        keys = tuple_(DIRTY.c.stream_id, DIRTY.c.day_ms, DIRTY.c.token).in_(each[i : i + 500])
        connection.execute(delete(DIRTY).where(keys))


def changes_due(connection: Connection) -> list[Due]:
    """Return the changes of the facility that not all minutes include yet, oldest first."""
    query = select(CHANGE).where(CHANGE.c.due_ms.is_not(None)).order_by(CHANGE.c.id)
    return [Due(r.id, r.kind, r.key, r.action, r.due_ms) for r in connection.execute(query)]


def settle(connection: Connection, up_to_id: int, due_ms: int | None) -> None:
    """Record that the minutes before `due_ms` (None: all) include the changes up to one."""
    pending = update(CHANGE).where(CHANGE.c.due_ms.is_not(None), CHANGE.c.id <= up_to_id)
    if due_ms is not None:
        pending = pending.where(CHANGE.c.due_ms < due_ms)
    connection.execute(pending.values(due_ms=due_ms))
