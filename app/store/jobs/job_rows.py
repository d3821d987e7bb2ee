"""Rows of jobs as values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from sqlalchemy import Connection, Row, Select, false, func, select

from app.domain.access import JobVisibility
from app.store.jobs.job import Job, JobNode, summary_of
from app.store.jobs.job_list import JOB, PART, SUMMARY
from app.store.jobs.visible import masked

_OUTDATED = func.coalesce(JOB.c.touched_ms >= JOB.c.summarised_at_ms, false())
EVERYTHING = select(
    JOB, *(c.label(f"summary_{c.name}") for c in SUMMARY.c), _OUTDATED.label("summary_outdated")
).outerjoin(SUMMARY, SUMMARY.c.job == JOB.c.id)
PLAIN = tuple(f.name for f in fields(Job) if f.name not in ("nodes", "summary", "is_foreign"))
ABSENT = {"cluster": "", "submit_ms": 0}


def shown(connection: Connection, query: Select[Any], view: JobVisibility) -> list[Job]:
    """Return the jobs of a query as a user sees them."""
    return masked(read_jobs(connection, connection.execute(query)), view)


def read_jobs(connection: Connection, rows: Iterable[Row[Any]]) -> list[Job]:
    """Return rows of EVERYTHING as jobs with their nodes."""
    found = [(row, dict(row._mapping)) for row in rows]
    parts: dict[str, list[JobNode]] = defaultdict(list)
    query = select(PART).where(PART.c.job.in_([row.id for row, _ in found])).order_by(PART.c.id)
    for part in connection.execute(query).mappings() if found else ():
        values = {f.name: part[f.name] for f in fields(JobNode)}
        values["gpus"] = None if values["gpus"] is None else tuple(values["gpus"])
        parts[part["job"]].append(JobNode(**values))
    return [_job(values, tuple(parts[row.id])) for row, values in found]


def _job(row: dict[str, Any], nodes: tuple[JobNode, ...]) -> Job:
    values = {name: row[name] for name in PLAIN}
    values |= {name: None for name, absent in ABSENT.items() if values[name] == absent}
    return Job(**values, nodes=nodes, summary=summary_of(row))
