"""The data of each page."""

from __future__ import annotations

from app.services.pages.capacity import CapacityPage, read_capacity_page
from app.services.pages.facility import FacilityPage, read_facility_page
from app.services.pages.job import JobView, job_view
from app.services.pages.job_power_figures import job_figures
from app.services.pages.jobs import JobListRow, all_rows, jobs_view
from app.services.pages.node import NodePage, read_node_page
from app.services.pages.node_curve import NodeCurveView, node_curves
from app.services.pages.rack import RackPage, read_rack_page
from app.services.pages.stores import PageStores

__all__ = [
    "CapacityPage",
    "FacilityPage",
    "JobListRow",
    "JobView",
    "NodeCurveView",
    "NodePage",
    "PageStores",
    "RackPage",
    "all_rows",
    "job_figures",
    "job_view",
    "jobs_view",
    "node_curves",
    "read_capacity_page",
    "read_facility_page",
    "read_node_page",
    "read_rack_page",
]
