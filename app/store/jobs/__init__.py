"""Jobs, tags and allocations."""

from __future__ import annotations

from app.store.jobs.allocations import Allocation, held_around, held_nodes
from app.store.jobs.job import BadCursor, DuplicateJob, Job, JobFilter, JobNode, Summary
from app.store.jobs.job_changes import record_changes
from app.store.jobs.job_keys import JOB_KEYS, job_keys, users_of_jobs
from app.store.jobs.job_list import SORTS, JobOrder
from app.store.jobs.job_tags import TagCount, TaggedJob, tag_counts, tagged_jobs
from app.store.jobs.jobs import JobStore
from app.store.jobs.list_totals import JobChoices, JobTotals, job_choices, job_totals
from app.store.jobs.visible import ANOTHER_JOB

__all__ = [
    "ANOTHER_JOB",
    "JOB_KEYS",
    "SORTS",
    "Allocation",
    "BadCursor",
    "DuplicateJob",
    "Job",
    "JobChoices",
    "JobFilter",
    "JobNode",
    "JobOrder",
    "JobStore",
    "JobTotals",
    "Summary",
    "TagCount",
    "TaggedJob",
    "held_around",
    "held_nodes",
    "job_choices",
    "job_keys",
    "job_totals",
    "record_changes",
    "tag_counts",
    "tagged_jobs",
    "users_of_jobs",
]
