"""The data of each page."""

from __future__ import annotations

from app.services.pages.capacity import capacity_view
from app.services.pages.facility import facility_view
from app.services.pages.job import JobView, job_view
from app.services.pages.job_power_figures import job_figures
from app.services.pages.jobs import JobListRow, all_rows, jobs_view
from app.services.pages.node import node_view
from app.services.pages.node_curve import NodeCurveView, node_curves
from app.services.pages.rack import rack_view
from app.services.pages.stores import PageStores

__all__ = [
    "JobListRow",
    "JobView",
    "NodeCurveView",
    "PageStores",
    "all_rows",
    "capacity_view",
    "facility_view",
    "job_figures",
    "job_view",
    "jobs_view",
    "node_curves",
    "node_view",
    "rack_view",
]
