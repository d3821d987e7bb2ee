"""The data of each page."""

from __future__ import annotations

from app.services.pages.capacity import capacity_view
from app.services.pages.compare import (
    CompareView,
    bars,
    cap_panel,
    compare_view,
    label,
    overlay_of,
    overlay_view,
    run_name,
)
from app.services.pages.facility import facility_view
from app.services.pages.job import JobView, job_view
from app.services.pages.job_power_figures import job_figures
from app.services.pages.jobs import JobListRow, all_rows, jobs_view
from app.services.pages.node import node_view
from app.services.pages.node_curve import NodeCurveView, node_curves
from app.services.pages.rack import rack_view
from app.services.pages.stores import PageStores

__all__ = [
    "CompareView",
    "JobListRow",
    "JobView",
    "NodeCurveView",
    "PageStores",
    "all_rows",
    "bars",
    "cap_panel",
    "capacity_view",
    "compare_view",
    "facility_view",
    "job_figures",
    "job_view",
    "jobs_view",
    "label",
    "node_curves",
    "node_view",
    "overlay_of",
    "overlay_view",
    "rack_view",
    "run_name",
]
