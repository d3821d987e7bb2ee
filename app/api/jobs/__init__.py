"""Routes of jobs, their figures and curves."""

from __future__ import annotations

from app.api.jobs import curve, job_figures, jobs
from app.api.jobs.curve import CurveAnswer, curve_series
from app.api.jobs.jobs import KNOWN_JOB, job_filter
from app.api.jobs.models import JobAnswer, job_answer, job_state

__all__ = [
    "KNOWN_JOB",
    "CurveAnswer",
    "JobAnswer",
    "curve",
    "curve_series",
    "job_answer",
    "job_figures",
    "job_filter",
    "job_state",
    "jobs",
]
