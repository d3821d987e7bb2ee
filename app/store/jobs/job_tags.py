"""Count the tags of jobs by name and value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Engine, func, select

from app.domain.access import EVERY_JOB, JobVisibility
from app.store.database import reading
from app.store.jobs.job import JobFilter
from app.store.jobs.job_list import JOB, SUMMARY, conditions, tag_pairs
from app.store.jobs.visible import in_full

MOST_PAIRS = 20_000


@dataclass(frozen=True)
class TagCount:
    """The number of jobs with a value of a tag."""

    tag: str
    value: str
    jobs: int


@dataclass(frozen=True)
class TaggedJob:
    """An ended job and its tags."""

    id: str
    tags: Mapping[str, str]


def tag_counts(engine: Engine, which: JobFilter, view: JobVisibility = EVERY_JOB) -> list[TagCount]:
    """Return the tags and values of the jobs of a filter, by name, the most used value first; at most 20,000."""
    pair = tag_pairs(engine.dialect.name)
    among = JOB.c.id.in_(
        select(JOB.c.id)
        .select_from(JOB.outerjoin(SUMMARY, SUMMARY.c.job == JOB.c.id))
        .where(*conditions(which, engine.dialect.name, view), in_full(view))
    )
    query = (
        select(pair.c.key, pair.c.value, func.count())
        .select_from(JOB.join(pair, among))
        .group_by(pair.c.key, pair.c.value)
        .order_by(pair.c.key, func.count().desc(), pair.c.value)
        .limit(MOST_PAIRS)
    )
    with reading(engine) as connection:
        return [TagCount(str(tag), str(value), int(n)) for tag, value, n in connection.execute(query)]


def tagged_jobs(engine: Engine, limit: int, view: JobVisibility = EVERY_JOB) -> list[TaggedJob]:
    """Return the newest ended jobs with their tags."""
    query = (
        select(JOB.c.id, JOB.c.tags)
        .where(JOB.c.end_ms.is_not(None), in_full(view))
        .order_by(JOB.c.start_ms.desc(), JOB.c.id)
        .limit(limit)
    )
    with reading(engine) as connection:
        return [
            TaggedJob(str(id_), {str(k): str(v) for k, v in tags.items()}) for id_, tags in connection.execute(query)
        ]
