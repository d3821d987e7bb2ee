"""Which jobs are shown to a user, by `JobVisibility`: for SQL and the copy in memory, and what is left of a job."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import ColumnElement, case, or_, true

from app.domain.access import JobVisibility
from app.models import JobRow, table
from app.store.jobs.job import Job, JobFilter
from app.store.jobs.job_columns import JobColumns

JOB = table(JobRow)
ANOTHER_JOB = "another job"


def in_full(view: JobVisibility) -> ColumnElement[bool]:
    """Return the condition of the jobs that are shown in full."""
    own = [JOB.c[name].in_(sorted(values)) for name, values in view.shown_by.items()]
    return true() if view.is_open else or_(*own) if own else JOB.c.id.is_(None)


def rows_in_full(columns: JobColumns, view: JobVisibility) -> npt.NDArray[np.bool_]:
    """Return which entries of the copy in memory are shown in full: bool[n]."""
    found = np.full(len(columns), view.is_open)
    for name, values in () if view.is_open else view.shown_by.items():
        found |= np.isin(columns.column(name), [columns.codes[name].find(value) for value in values])
    return found


def visible(which: JobFilter, view: JobVisibility) -> list[ColumnElement[bool]]:
    """Return the conditions of the jobs that a list may contain."""
    return [in_full(view)] if only_in_full(which, view) else []


def only_in_full(which: JobFilter, view: JobVisibility) -> bool:
    """Return whether a list may contain only jobs that are shown in full.

    Whoever asks for a user or a tag must not learn from the answer which of the masked jobs have it.
    """
    if view.is_open:
        return False
    asked = (which.job_id, which.user, which.project, which.q)
    asks_for_masked = bool(which.tags) or any(value is not None for value in asked)
    return asks_for_masked or which.in_full or (view.policy == "hidden" and not which.with_others)


def shown_name(view: JobVisibility) -> ColumnElement[str]:
    """Return the name of a job as it is shown, to sort by."""
    return JOB.c.name if view.is_open else case((in_full(view), JOB.c.name), else_=ANOTHER_JOB)


def masked(jobs: Iterable[Job], view: JobVisibility) -> list[Job]:
    """Return jobs as they are shown: of those of other people what the site's policy leaves."""
    return [job if view.shows(job.user, job.project) else _masked(job, view) for job in jobs]


def _masked(job: Job, view: JobVisibility) -> Job:
    kept: dict[str, Any] = {} if view.policy == "hidden" else {"id": job.id, "cluster": job.cluster}
    summary = job.summary if view.policy == "totals" else None
    return Job(
        name=ANOTHER_JOB,
        start_ms=job.start_ms,
        end_ms=job.end_ms,
        state=job.state,
        nodes=job.nodes,
        partition=job.partition if view.policy == "totals" else None,
        summary=None if summary is None else replace(summary, sparkline=None),
        is_foreign=True,
        **kept,
    )
