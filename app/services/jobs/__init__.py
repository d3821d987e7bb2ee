"""Register jobs and compute their figures."""

from __future__ import annotations

from app.services.jobs import registry
from app.services.jobs.checks import mistakes
from app.services.jobs.curve import Drawn, NamedCurve, View, drawn, thinned, unit
from app.services.jobs.downloads import job_table
from app.services.jobs.energy_comparison import number
from app.services.jobs.file_summary import FileSummary, FileTable, file_summary
from app.services.jobs.masking import with_shown_names
from app.services.jobs.power import (
    JobInputs,
    JobPart,
    JobPower,
    divided_nodes,
    job_power,
    job_window,
    power_of,
    read_job,
)
from app.services.jobs.registry import SUMMARIZED, listing, one, refresh, with_summary
from app.services.jobs.stores import JobStores

__all__ = [
    "SUMMARIZED",
    "Drawn",
    "FileSummary",
    "FileTable",
    "JobInputs",
    "JobPart",
    "JobPower",
    "JobStores",
    "NamedCurve",
    "View",
    "divided_nodes",
    "drawn",
    "file_summary",
    "job_power",
    "job_table",
    "job_window",
    "listing",
    "mistakes",
    "number",
    "one",
    "power_of",
    "read_job",
    "refresh",
    "registry",
    "thinned",
    "unit",
    "with_shown_names",
    "with_summary",
]
