"""Read what the page and the report of a job are made from."""

from __future__ import annotations

from dataclasses import dataclass

from app.services.jobs import JobPower, JobStores, job_power, one, with_summary
from app.services.pages.job_figures import JobFiguresData, read_job_figures
from app.services.pages.provenance import Provenance, provenance_of
from app.store.facility import Facility
from app.store.jobs import Job, Summary


@dataclass(frozen=True)
class JobPage:
    """What the page of a job is made from; `facility` is the one at its start."""

    now_ms: int
    job: Job
    summary: Summary
    power: JobPower
    facility: Facility
    provenance: Provenance


@dataclass(frozen=True)
class JobReportData:
    """What the report of a job is made from."""

    page: JobPage
    figures: JobFiguresData


def read_job_page(stores: JobStores, id_: str) -> JobPage:
    """Read what the page of a job is made from.

    Raises
    ------
    NotFound
        There is no such job.
    """
    return _page(stores, with_summary(stores, one(stores, id_)))


def read_job_report(stores: JobStores, id_: str) -> JobReportData:
    """Read what the report of a job is made from, as `read_job_page` does."""
    job = with_summary(stores, one(stores, id_))
    return JobReportData(_page(stores, job), read_job_figures(stores, id_, known=job))


def _page(stores: JobStores, job: Job) -> JobPage:
    now_ms = stores.now_ms()
    power = job_power(stores, job)
    power.inputs.frames.read_parts()
    facility = power.inputs.facility.at(job.start_ms)
    return JobPage(now_ms, job, job.summary or Summary({}, now_ms), power, facility, provenance_of(power))
