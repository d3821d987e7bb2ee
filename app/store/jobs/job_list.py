"""The SQL of job lists: filters, sorting, paging."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Engine, Select, TableValuedAlias, and_, exists, func, or_, select

from app.domain.access import EVERY_JOB, JobVisibility
from app.models import JobNodeRow, JobRow, JobSummaryRow, table
from app.store.database import reading
from app.store.jobs.job import BadCursor, JobFilter
from app.store.jobs.visible import shown_name, visible

JOB = table(JobRow)
PART = table(JobNodeRow)
SUMMARY = table(JobSummaryRow)

SORTS: dict[str, ColumnElement[Any]] = {
    "start": JOB.c.start_ms,
    "name": JOB.c.name,
    **{name: SUMMARY.c[name] for name in ("energy_j", "duration_s", "mean_w", "median_w", "max_w", "coverage")},
    "median_of_max": SUMMARY.c.median_w / func.nullif(SUMMARY.c.max_w, 0),
    "utilization": SUMMARY.c.content[("gpu", "utilization_mean_pct")].as_float(),
}


def conditions(which: JobFilter, dialect: str, view: JobVisibility = EVERY_JOB) -> list[ColumnElement[bool]]:
    """Return the conditions of a filter in an SQL dialect, of the jobs that are visible."""
    equal = {name: getattr(which, name) for name in ("cluster", "job_id", "user", "project", "state")}
    found: list[ColumnElement[bool]] = [JOB.c[name] == value for name, value in equal.items() if value is not None]
    found += visible(which, view)
    found += [_tagged(tag, value, dialect) for tag, value in which.tags.items()]
    if which.node is not None:
        found.append(JOB.c.id.in_(select(PART.c.job).where(PART.c.node == which.node)))
    if which.from_ms is not None:
        found.append(or_(JOB.c.end_ms.is_(None), JOB.c.end_ms > which.from_ms))
    if which.to_ms is not None:
        found.append(JOB.c.start_ms < which.to_ms)
    found += [_mentions(word, dialect) for word in (which.q or "").split()]
    if which.complete is not None:
        found.append(SUMMARY.c.coverage >= 1 if which.complete else SUMMARY.c.coverage < 1)
    if which.ended is not None:
        found.append(JOB.c.end_ms.is_not(None) if which.ended else JOB.c.end_ms.is_(None))
    if which.summarised is not None:
        found.append(SUMMARY.c.job.is_not(None) if which.summarised else SUMMARY.c.job.is_(None))
    if which.ids:
        found.append(JOB.c.id.in_(which.ids))
    return found


def _mentions(word: str, dialect: str) -> ColumnElement[bool]:
    texts = (JOB.c.name, JOB.c.user, JOB.c.id, JOB.c.job_id)
    pair = tag_pairs(dialect)
    in_tag = exists(select(1).select_from(pair).where(pair.c.value.icontains(word, autoescape=True)).correlate(JOB))
    on_node = exists().where(PART.c.job == JOB.c.id, PART.c.node.icontains(word, autoescape=True))
    return or_(*(column.icontains(word, autoescape=True) for column in texts), on_node, in_tag)


def _tagged(tag: str, value: str, dialect: str) -> ColumnElement[bool]:
    pair = tag_pairs(dialect)
    return exists(select(1).select_from(pair).where(pair.c.key == tag, pair.c.value == value).correlate(JOB))


def tag_pairs(dialect: str) -> TableValuedAlias:
    """Return the tags of a job as rows of `key` and `value`."""
    # not by JSON path: SQLite has no way to write a name that holds a quotation mark
    each = func.json_each if dialect == "sqlite" else func.json_each_text
    return each(JOB.c.tags).table_valued("key", "value")


@dataclass(frozen=True)
class JobOrder:
    """A sort key and its direction. Jobs without the value come last; equal ones are sorted by id."""

    name: str
    falling: bool
    view: JobVisibility = EVERY_JOB

    @property
    def column(self) -> ColumnElement[Any]:
        """The expression that jobs are sorted by; names as they are shown."""
        return shown_name(self.view) if self.name == "name" else SORTS[self.name]

    @property
    def always_there(self) -> bool:
        """Whether every job has the value, so that an index can be used."""
        return self.name in ("start", "name")

    @classmethod
    def parse(cls, sort: str, view: JobVisibility = EVERY_JOB) -> JobOrder:
        """Parse `energy_j` or `-energy_j`; raise BadCursor for a key that is not in SORTS."""
        name = sort.removeprefix("-")
        if name not in SORTS:
            known = ", ".join(SORTS)
            raise BadCursor(f"jobs cannot be sorted by {name!r}", f"one of {known}; falling with a leading -")
        return cls(name, sort.startswith("-"), view)

    def apply(self, query: Select[tuple[object, ...]]) -> Select[tuple[object, ...]]:
        """Sort a query."""
        column = self.column
        turned = (column.desc(), JOB.c.id.desc()) if self.falling else (column.asc(), JOB.c.id.asc())
        return query.order_by(*turned) if self.always_there else query.order_by(column.is_(None), *turned)

    def cursor(self, value: object, id_: str) -> str:
        """Return the cursor of the page after this row."""
        text = json.dumps([self.name, self.falling, value, id_])
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    def after(self, cursor: str) -> ColumnElement[bool]:
        """Return the condition of the rows after a cursor."""
        return self._behind(*self.position(cursor))

    def position(self, cursor: str) -> tuple[str | float | None, str]:
        """Return the sort value and the id of the last row before the page of a cursor. Raises BadCursor."""
        try:
            padded = cursor + "=" * (-len(cursor) % 4)
            name, falling, value, id_ = json.loads(base64.urlsafe_b64decode(padded))
        except (ValueError, TypeError, binascii.Error):
            raise BadCursor(f"{cursor!r} is not a cursor of this list") from None
        if (name, falling) != (self.name, self.falling):
            raise BadCursor("the cursor belongs to another sort order")
        kinds = (str,) if name == "name" else (int, float, type(None))
        if not isinstance(id_, str) or not isinstance(value, kinds) or isinstance(value, bool):
            raise BadCursor(f"{cursor!r} is not a cursor of this list")
        return value, id_

    def _behind(self, value: object, id_: str) -> ColumnElement[bool]:
        column = self.column
        tie = JOB.c.id < id_ if self.falling else JOB.c.id > id_
        if value is None:
            return and_(column.is_(None), tie)
        further = column < value if self.falling else column > value
        if self.always_there:
            return and_(column <= value if self.falling else column >= value, or_(further, tie))
        return or_(further, and_(column == value, tie), column.is_(None))


def sorted_jobs(
    engine: Engine, which: JobFilter, order: JobOrder, limit: int, cursor: str | None
) -> list[tuple[object, str]]:
    """Return the sort value and the id of up to `limit` jobs of a filter after a cursor, in order. Raises BadCursor."""
    chosen = select(JOB.c.id, order.column.label("sorted_by"))
    query = chosen.outerjoin_from(JOB, SUMMARY, SUMMARY.c.job == JOB.c.id)
    query = query.where(*conditions(which, engine.dialect.name, order.view))
    if cursor:
        query = query.where(order.after(cursor))
    with reading(engine) as connection:
        return [(row.sorted_by, row.id) for row in connection.execute(order.apply(query).limit(limit))]
