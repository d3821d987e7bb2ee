"""Register jobs and compute their figures."""

from __future__ import annotations

from app.services.jobs import registry
from app.services.jobs.checks import mistakes
from app.services.jobs.costs import cost_words
from app.services.jobs.curve import Drawn, NamedCurve, View, drawn, thinned, unit
from app.services.jobs.downloads import job_table
from app.services.jobs.energy_comparison import said_by_others
from app.services.jobs.power import JobPart, JobPower, divided_nodes, job_power, job_window
from app.services.jobs.registry import SUMMARIZED, listing, one, refresh, with_summary
from app.services.jobs.stores import JobStores
from app.services.jobs.table_files import FILES, FileFormat

__all__ = [
    "FILES",
    "SUMMARIZED",
    "Drawn",
    "FileFormat",
    "JobPart",
    "JobPower",
    "JobStores",
    "NamedCurve",
    "View",
    "cost_words",
    "divided_nodes",
    "drawn",
    "job_power",
    "job_table",
    "job_window",
    "listing",
    "mistakes",
    "one",
    "refresh",
    "registry",
    "said_by_others",
    "thinned",
    "unit",
    "with_summary",
]
