"""The one rule of which jobs are shown to a user: as conditions of a query, and as what is left of a job."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, case, or_, true

from app.domain.access import JobVisibility
from app.models import JobRow, table
from app.store.jobs.job import Job, JobFilter

JOB = table(JobRow)
ANOTHER_JOB = "another job"


def in_full(view: JobVisibility) -> ColumnElement[bool]:
    """Return the condition of the jobs that are shown in full."""
    if view.is_open:
        return true()
    own: list[ColumnElement[bool]] = []
    if view.user is not None:
        own.append(JOB.c.user == view.user)
    if view.projects:
        own.append(JOB.c.project.in_(sorted(view.projects)))
    return or_(*own) if own else JOB.c.id.is_(None)


def visible(which: JobFilter, view: JobVisibility) -> list[ColumnElement[bool]]:
    """Return the conditions of the jobs that a list may contain.

    Whoever asks for a user or a tag must not learn from the answer which of the masked jobs have it.
    """
    if view.is_open:
        return []
    asked = (which.job_id, which.user, which.project, which.q)
    asks_for_masked = bool(which.tags) or any(value is not None for value in asked)
    if asks_for_masked or which.in_full or (view.policy == "hidden" and not which.with_others):
        return [in_full(view)]
    return []


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
