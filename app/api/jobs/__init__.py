"""Routes of jobs, their figures and curves."""

from __future__ import annotations

from app.api.jobs import curve, job_figures, jobs
from app.api.jobs.curve import series_wire
from app.api.jobs.jobs import job_filter
from app.api.jobs.models import job_to_wire

__all__ = ["curve", "job_figures", "job_filter", "job_to_wire", "jobs", "series_wire"]
