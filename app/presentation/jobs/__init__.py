"""The job pages and their figures."""

from __future__ import annotations

from app.presentation.jobs import job_power
from app.presentation.jobs.breakdown_chart import Split, job_split
from app.presentation.jobs.energy_comparison_text import comparison_facts, cost_facts
from app.presentation.jobs.gpu_heatmap import bucket_length_s, gpu_heat
from app.presentation.jobs.job_power import Axes, JobCurves
from app.presentation.jobs.job_title import hardware, kind, nodes_of, telling_tags
from app.presentation.jobs.load_duration import load_duration_figure
from app.presentation.jobs.sharing_text import sharing

__all__ = [
    "Axes",
    "JobCurves",
    "Split",
    "bucket_length_s",
    "comparison_facts",
    "cost_facts",
    "gpu_heat",
    "hardware",
    "job_power",
    "job_split",
    "kind",
    "load_duration_figure",
    "nodes_of",
    "sharing",
    "telling_tags",
]
