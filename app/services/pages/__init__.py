"""The data of each page."""

from __future__ import annotations

from app.services.pages.capacity import CapacityPage, read_capacity_page
from app.services.pages.facility import FacilityPage, read_facility_page
from app.services.pages.facility_day import FacilityDays
from app.services.pages.job_figures import (
    FigureWindow,
    JobFiguresData,
    interval_ms,
    metering_devices,
    read_job_figures,
)
from app.services.pages.job_list import JobListPage, read_job_list, read_job_rows
from app.services.pages.job_page import JobPage, JobReportData, read_job_page, read_job_report
from app.services.pages.my_energy import MyEnergyData, UserMonth, read_my_energy
from app.services.pages.node import NodePage, read_node_page
from app.services.pages.node_curve import NodeCurveView, node_curves
from app.services.pages.provenance import Provenance
from app.services.pages.rack import RackPage, read_rack_page
from app.services.pages.stores import PageStores

__all__ = [
    "CapacityPage",
    "FacilityDays",
    "FacilityPage",
    "FigureWindow",
    "JobFiguresData",
    "JobListPage",
    "JobPage",
    "JobReportData",
    "MyEnergyData",
    "NodeCurveView",
    "NodePage",
    "PageStores",
    "Provenance",
    "RackPage",
    "UserMonth",
    "interval_ms",
    "metering_devices",
    "node_curves",
    "read_capacity_page",
    "read_facility_page",
    "read_job_figures",
    "read_job_list",
    "read_job_page",
    "read_job_report",
    "read_job_rows",
    "read_my_energy",
    "read_node_page",
    "read_rack_page",
]
