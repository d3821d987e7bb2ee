"""The data of each report."""

from __future__ import annotations

from app.services.reports.run_report import job_report
from app.services.reports.stores import ReportStores

__all__ = ["ReportStores", "job_report"]
