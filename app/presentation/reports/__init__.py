"""Stand-alone HTML reports."""

from __future__ import annotations

from app.presentation.reports import report_page
from app.presentation.reports.job_report import job_report
from app.presentation.reports.report_page import PageFiles
from app.presentation.reports.report_text import METHODS, energy_with_uncertainty, method_of, product, source_of, when
from app.presentation.reports.study_report import study_report

__all__ = [
    "METHODS",
    "PageFiles",
    "energy_with_uncertainty",
    "job_report",
    "method_of",
    "product",
    "report_page",
    "source_of",
    "study_report",
    "when",
]
