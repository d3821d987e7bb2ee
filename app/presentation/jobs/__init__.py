"""The job pages and their figures."""

from __future__ import annotations

from app.presentation.jobs import job_power
from app.presentation.jobs.breakdown_chart import Split, job_split
from app.presentation.jobs.gpu_heatmap import bucket_length_s, gpu_heat
from app.presentation.jobs.job_figures import JobFigures, present_job_figures
from app.presentation.jobs.job_list import JobListRow, JobsView, job_row, present_jobs
from app.presentation.jobs.job_page import JobView, present_job
from app.presentation.jobs.job_power import Axes, JobCurves
from app.presentation.jobs.job_title import hardware, kind, nodes_of, telling_tags
from app.presentation.jobs.load_duration import load_duration_figure
from app.presentation.jobs.sharing_text import sharing

__all__ = [
    "Axes",
    "JobCurves",
    "JobFigures",
    "JobListRow",
    "JobView",
    "JobsView",
    "Split",
    "bucket_length_s",
    "gpu_heat",
    "hardware",
    "job_power",
    "job_row",
    "job_split",
    "kind",
    "load_duration_figure",
    "nodes_of",
    "present_job",
    "present_job_figures",
    "present_jobs",
    "sharing",
    "telling_tags",
]
