"""Totals of a job list, and the choices of its filters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Engine, Select, func, select

from app.domain.access import EVERY_JOB, JobVisibility
from app.store.database import reading
from app.store.jobs.job import JobFilter
from app.store.jobs.job_list import JOB, PART, SUMMARY, conditions, tag_pairs
from app.store.jobs.visible import ANOTHER_JOB, in_full, shown_name

NEWEST = 5000
"""Choices are taken from the newest jobs."""
MOST_CHOICES = 200


@dataclass(frozen=True)
class JobTotals:
    """Sums over jobs.

    Attributes
    ----------
    energy_j, summarised: energy and number of the ended jobs with a summary; None if there is none.
    inside_j: the part of it in runs inside the allocation of another job, which includes the same energy.
    node_s: node time of the ended jobs.
    top_name, top_energy_j: the job name with the most energy in total. names: number of job names with energy.
    """

    jobs: int
    running: int
    summarised: int
    energy_j: float | None
    node_s: float
    names: int
    top_name: str | None
    top_energy_j: float | None
    inside_j: float = 0.0


@dataclass(frozen=True)
class JobChoices:
    """Values of the newest jobs to filter by, sorted; tags as (name, value), only those of several jobs."""

    states: tuple[str, ...]
    users: tuple[str, ...]
    nodes: tuple[str, ...]
    tags: tuple[tuple[str, str], ...]


def job_totals(engine: Engine, which: JobFilter, view: JobVisibility = EVERY_JOB) -> JobTotals:
    """Return sums over all jobs of a filter."""
    meets = conditions(which, engine.dialect.name, view)
    whole = (
        select(func.count(), func.count().filter(JOB.c.end_ms.is_(None)))
        .select_from(JOB.outerjoin(SUMMARY, SUMMARY.c.job == JOB.c.id))
        .where(*meets)
    )
    part = PART.alias()  # the filter asks for nodes too
    held = func.coalesce(part.c.end_ms, JOB.c.end_ms) - func.coalesce(part.c.start_ms, JOB.c.start_ms)
    source = JOB.join(part, part.c.job == JOB.c.id).outerjoin(SUMMARY, SUMMARY.c.job == JOB.c.id)
    with reading(engine) as connection:
        jobs, running = connection.execute(whole).one()
        node_ms = connection.scalar(select(func.sum(held)).select_from(source).where(*meets)) or 0
        names = _names(connection, meets, view)
    named = [name for name in names if view.is_open or name.name != ANOTHER_JOB]
    top, top_j = (named[0].name, named[0].energy_j) if named else (None, None)
    return JobTotals(
        jobs,
        running,
        sum(name.jobs for name in names),
        math.fsum(name.energy_j for name in names) if names else None,
        float(node_ms) / 1000,
        len(names),
        top,
        top_j,
        math.fsum(name.inside_j for name in names),
    )


class _Name(NamedTuple):
    """Totals of all jobs with one name."""

    name: str
    jobs: int
    energy_j: float
    inside_j: float


def _names(connection: Connection, meets: list[ColumnElement[bool]], view: JobVisibility) -> list[_Name]:
    energy, name = func.sum(SUMMARY.c.energy_j), shown_name(view)
    query = (
        select(name, func.count(), energy, func.coalesce(func.sum(SUMMARY.c.inside_j), 0.0))
        .join(SUMMARY, SUMMARY.c.job == JOB.c.id)
        .where(*meets, SUMMARY.c.energy_j.is_not(None))
        .group_by(name)
        .order_by(energy.desc(), name)
    )
    return [_Name(*row) for row in connection.execute(query)]


def job_choices(engine: Engine, view: JobVisibility = EVERY_JOB) -> JobChoices:
    """Return the choices of the filters."""
    newest = select(JOB.c.id).where(in_full(view)).order_by(JOB.c.start_ms.desc()).limit(NEWEST)
    among = JOB.c.id.in_(newest)
    pair = tag_pairs(engine.dialect.name)
    tags = (
        select(pair.c.key, pair.c.value)
        .select_from(JOB.join(pair, among))
        .group_by(pair.c.key, pair.c.value)
        .having(func.count() > 1)
        .order_by(func.count().desc(), pair.c.key, pair.c.value)
        .limit(MOST_CHOICES)
    )
    with reading(engine) as connection:
        return JobChoices(
            _distinct(connection, select(JOB.c.state).where(among, JOB.c.end_ms.is_not(None))),
            _distinct(connection, select(JOB.c.user).where(among)),
            _distinct(connection, select(PART.c.node).where(PART.c.job.in_(newest))),
            tuple(sorted((str(name), str(value)) for name, value in connection.execute(tags))),
        )


def _distinct(connection: Connection, query: Select[Any]) -> tuple[str, ...]:
    found = connection.scalars(query.distinct().limit(MOST_CHOICES * 5))
    return tuple(sorted(str(text) for text in found if text))
