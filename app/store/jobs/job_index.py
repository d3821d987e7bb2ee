"""A copy in memory of what lists of jobs need, brought up to date before each use.

Lists, searches and their totals look at every job: 100,000 of them in milliseconds here, in a second by SQL. The SQL in
`job_list` and `list_totals` defines what they answer, and answers itself where there are too many jobs.
"""

from __future__ import annotations

import math
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, func, select

from app.store.database import among_texts, reading
from app.store.jobs.job_changes import changes_since
from app.store.jobs.job_columns import CODED, FIGURES, JobColumns, JobEntry
from app.store.jobs.job_list import JOB, PART, SUMMARY

MOST_JOBS = 200_000
MOST_PARTS = 2_000_000
"""Some 150 MB; beyond either, lists are answered by the database."""
READ_AT_ONCE = 2000
"""More jobs are read in the background, seconds of work; until then the database answers."""
_AT_ONCE = 2000
_ABSENT = math.nan

# fmt: off
_FIELDS = select(
    JOB.c.id, JOB.c.job_id, JOB.c.start_ms, JOB.c.end_ms, JOB.c.tags, SUMMARY.c.job.is_not(None).label("is_summarised"),
    *(JOB.c[name] for name in CODED), *(SUMMARY.c[name] for name in FIGURES),
).outerjoin_from(JOB, SUMMARY, SUMMARY.c.job == JOB.c.id)
# fmt: on


class JobIndex:
    """The copy of one database. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._columns: JobColumns | None = None
        self._position = 0
        self._is_too_large = False

    @contextmanager
    def current(self, engine: Engine) -> Iterator[JobColumns | None]:
        """Hold the copy as it is now; None if there are too many jobs, or if it is not made yet."""
        with self._lock:
            if not self._is_too_large:
                with reading(engine) as connection:  # after the lock: never older than what was read before
                    self._refresh(connection)
            yield self._columns

    def prepare(self, engine: Engine) -> None:
        """Make the copy, or bring it up to date, without keeping others waiting."""
        with self.current(engine) as columns:
            is_made = columns is not None or self._is_too_large
        if is_made:
            return
        with reading(engine) as connection:
            position, made = changes_since(connection, 0).position, _all(connection)
        with self._lock:
            self._columns, self._position = made, position
            self._bound()

    def _refresh(self, connection: Connection) -> None:
        changes = changes_since(connection, self._position)
        if changes.jobs is None:
            self._columns = None
        if self._columns is None:
            jobs = connection.scalar(select(func.count()).select_from(JOB)) or 0
            self._is_too_large = jobs > MOST_JOBS
            self._columns = _all(connection) if jobs <= READ_AT_ONCE else None
        elif changes.jobs:
            entries = list(_entries(connection, sorted(changes.jobs)))
            self._columns.drop(changes.jobs - {entry.id for entry in entries})
            self._columns.put(entries)
        self._position = changes.position
        self._bound()

    def _bound(self) -> None:
        columns = self._columns
        if columns and (len(columns) > MOST_JOBS or columns.parts > MOST_PARTS):
            self._is_too_large, self._columns = True, None


_INDICES: WeakKeyDictionary[Engine, JobIndex] = WeakKeyDictionary()
_MAKING = threading.Lock()


def job_index(engine: Engine) -> JobIndex:
    """Return the one copy of a database in this process."""
    with _MAKING:
        return _INDICES.setdefault(engine, JobIndex())


def _all(connection: Connection) -> JobColumns:
    columns = JobColumns()
    columns.put(_entries(connection, connection.scalars(select(JOB.c.id).order_by(JOB.c.id)).all()))
    return columns


def _entries(connection: Connection, ids: Sequence[str]) -> Iterator[JobEntry]:
    each = iter(ids)
    while some := list(islice(each, _AT_ONCE)):
        rows = connection.execute(_FIELDS.where(among_texts(connection, JOB.c.id, some))).mappings().all()
        parts = _parts(connection, some)
        yield from (_entry(row, parts.get(row["id"], ())) for row in rows)


def _parts(connection: Connection, ids: Sequence[str]) -> Mapping[str, Sequence[tuple[str, int | None, int | None]]]:
    found: dict[str, list[tuple[str, int | None, int | None]]] = defaultdict(list)
    query = select(PART.c.job, PART.c.node, PART.c.start_ms, PART.c.end_ms)
    for job, *part in connection.execute(query.where(among_texts(connection, PART.c.job, ids)).order_by(PART.c.id)):
        found[job].append(tuple(part))
    return found


def _entry(row: Mapping[Any, Any], parts: Sequence[tuple[str, int | None, int | None]]) -> JobEntry:
    spans = ((begin, row["end_ms"] if end is None else end) for _, begin, end in parts)
    node_ms = sum(end - (row["start_ms"] if begin is None else begin) for begin, end in spans if end is not None)
    return JobEntry(
        id=row["id"],
        job_id=row["job_id"],
        start_ms=row["start_ms"],
        end_ms=row["end_ms"],
        node_ms=node_ms,
        is_summarised=row["is_summarised"],
        coded=tuple(row[name] for name in CODED),
        figures=tuple(_ABSENT if row[name] is None else row[name] for name in FIGURES),
        nodes=tuple(node for node, _, _ in parts),
        tags=tuple((str(name), str(value)) for name, value in row["tags"].items()),
    )
