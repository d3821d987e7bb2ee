"""By what jobs are grouped: users, projects, tags, …; from the copy in memory, or by SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Engine, Row, select

from app.domain.access import EVERY_JOB, JobVisibility
from app.store.database import among_texts, reading
from app.store.jobs.job import Job, JobFilter
from app.store.jobs.job_columns import JobColumns
from app.store.jobs.job_index import job_index
from app.store.jobs.job_list import JOB
from app.store.jobs.job_rows import ABSENT, PLAIN
from app.store.jobs.visible import in_full, masked, rows_in_full, visible

JOB_KEYS = ("user", "project", "partition", "cluster", "name", "job")
_LABELS = select(*(JOB.c[name] for name in PLAIN))
_OWN = "own"
_MOST = 200


def job_keys(engine: Engine, ids: Sequence[str], by: str, view: JobVisibility = EVERY_JOB) -> Mapping[str, str | None]:
    """Return what `by` (of `JOB_KEYS`, or `tag:NAME`) says of each job, as a user sees the job; None for nothing."""
    with job_index(engine).current(engine) as columns:
        if columns is not None:
            return _keys(columns, ids, by, view)
    labels = job_labels(engine, ids, view)
    return {id_: job_key(labels[id_], by) if id_ in labels else None for id_ in ids}


def job_labels(engine: Engine, ids: Sequence[str], view: JobVisibility = EVERY_JOB) -> dict[str, Job]:
    """Return jobs by id without nodes and summaries, which are most of a job; unknown and hidden ones are omitted."""
    with reading(engine) as connection:
        query = _LABELS.where(among_texts(connection, JOB.c.id, sorted(ids)), *visible(JobFilter(), view))
        return {job.id: job for job in masked(map(_labelled, connection.execute(query)), view)}


def _labelled(row: Row[Any]) -> Job:
    values = dict(zip(PLAIN, row, strict=True))
    return Job(**values | {name: None for name, absent in ABSENT.items() if values[name] == absent})


def job_key(job: Job, by: str) -> str | None:
    """Return what `by` says of a job; None for nothing."""
    if by.startswith("tag:"):
        return job.tags.get(by.removeprefix("tag:"))
    found: str | None = getattr(job, "id" if by == "job" else by) or None
    return found


def _keys(columns: JobColumns, ids: Sequence[str], by: str, view: JobVisibility) -> dict[str, str | None]:
    found = dict.fromkeys(ids)
    known = columns.rows_of(ids)
    own = zip((columns.ids[row] for row in known), _own_keys(columns, known, by), strict=True)
    if view.is_open:
        return found | dict(own)
    foreign = Job(start_ms=0, id=_OWN, cluster=_OWN, partition=_OWN, name=_OWN)
    others = None if view.policy == "hidden" else job_key(masked([foreign], view)[0], by)
    shown = rows_in_full(columns, view)[known].tolist() if others != _OWN else [True] * len(known)
    return found | {id_: key if is_shown else others for (id_, key), is_shown in zip(own, shown, strict=True)}


def _own_keys(columns: JobColumns, rows: Sequence[int], by: str) -> list[str | None]:
    if by == "job":
        return [columns.ids[row] for row in rows]
    if by.startswith("tag:"):
        name = by.removeprefix("tag:")
        return [next((value for tag, value in columns.tags[row] if tag == name), None) for row in rows]
    texts: list[str | None] = [text or None for text in columns.codes[by].texts]
    texts.append(None)  # at NONE, the last
    return [texts[code] for code in columns.column(by)[rows].tolist()]


def users_of_jobs(engine: Engine, words: Sequence[str], view: JobVisibility = EVERY_JOB) -> list[str]:
    """Return the first users whose name contains every word, among the jobs that are shown in full."""
    with job_index(engine).current(engine) as columns:
        if columns is not None:
            return _users(columns, words, view)
    meets = [JOB.c.user.icontains(word, autoescape=True) for word in words]
    query = select(JOB.c.user).where(JOB.c.user.is_not(None), in_full(view), *meets).distinct()
    with reading(engine) as connection:
        return [str(name) for name in connection.scalars(query.order_by(JOB.c.user).limit(_MOST))]


def _users(columns: JobColumns, words: Sequence[str], view: JobVisibility) -> list[str]:
    codes = columns.column("user")[rows_in_full(columns, view)]
    jobs = np.bincount(codes[codes >= 0], minlength=1)
    texts = columns.codes["user"].texts
    names = (texts[code] for code in np.flatnonzero(jobs).tolist())
    return sorted(name for name in names if all(word.lower() in name.lower() for word in words))[:_MOST]
