"""The list of jobs: a page of rows, sums over all of them, and what they can be narrowed by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from app.models import TimeMs, sent_as
from app.presentation.jobs.job_title import hardware, kind, nodes_of, telling_tags
from app.presentation.text import THIN, count, num
from app.services.facility import SiteName
from app.services.pages import JobListPage
from app.store.facility import Facility
from app.store.jobs import Job, JobChoices, JobTotals

TITLE_SHARE = 0.25


@dataclass(frozen=True)
class JobListRow:
    """A line of the table; figures of a running job are those so far. `shared`: they are a share of nodes."""

    id: str
    job_id: str | None
    name: str
    kind: str
    state: str | None
    running: bool
    user: str | None
    nodes: Sequence[str]
    hardware: str
    start_ms: Annotated[TimeMs, sent_as("start")]
    end_ms: Annotated[TimeMs | None, sent_as("end")]
    duration_s: float | None
    energy_j: float | None
    mean_w: float | None
    median_w: float | None
    max_w: float | None
    median_of_max: float | None
    utilization_pct: float | None
    coverage: float | None
    source: str | None
    method: str | None
    power_basis: str | None
    readings: int | None
    caliber: str | None
    uncertainty_pct: float | None
    shared: bool
    tags: Sequence[tuple[str, str]]
    sparkline: Sequence[float | None]


@dataclass(frozen=True)
class JobsView:
    """A page of the table; `next` is the cursor of the one after it."""

    now_ms: Annotated[TimeMs, sent_as("now")]
    site: SiteName
    title: str
    rows: Sequence[JobListRow]
    next: str | None
    totals: JobTotals
    choices: JobChoices


def present_jobs(data: JobListPage) -> JobsView:
    """Present a page of the list of jobs."""
    return JobsView(
        now_ms=data.now_ms,
        site=data.site,
        title=_title(data.totals),
        rows=[job_row(facility, job) for facility, job in data.jobs],
        next=data.next,
        totals=data.totals,
        choices=data.choices,
    )


def _title(totals: JobTotals) -> str:
    """Which runs took the most, when that says something."""
    if totals.energy_j and totals.top_energy_j and totals.top_name and totals.names > 1:
        share = totals.top_energy_j / totals.energy_j
        if share >= TITLE_SHARE:
            return f"{totals.top_name} took {num(100 * share)}{THIN}% of the energy"
    return f"{count(totals.running, 'job')} running now" if totals.running else "Energy, power and load of every run"


def _text(x: object) -> str | None:
    return x if isinstance(x, str) else None


def _figure(x: object) -> float | None:
    return x if isinstance(x, float) else None


def job_row(facility: Facility, job: Job) -> JobListRow:
    """Present a job as a row of the list."""
    summary = job.summary
    content = summary.content if summary else {}
    readings = content.get("readings")
    gpu = content.get("gpu")
    load = gpu.get("utilization_mean_pct") if isinstance(gpu, dict) else None
    median, top = (summary.median_w, summary.max_w) if summary else (None, None)
    return JobListRow(
        id=job.id,
        job_id=job.job_id,
        name=job.name or job.job_id or job.id,
        kind=kind(job.tags),
        state=job.state,
        running=job.end_ms is None,
        user=job.user,
        nodes=nodes_of(job),
        hardware=hardware(facility, job),
        start_ms=job.start_ms,
        end_ms=job.end_ms,
        duration_s=summary.duration_s if summary else None,
        energy_j=summary.energy_j if summary else None,
        mean_w=summary.mean_w if summary else None,
        median_w=median,
        max_w=top,
        median_of_max=median / top if median is not None and top else None,
        utilization_pct=_figure(load),
        coverage=summary.coverage if summary else None,
        source=summary.source if summary else None,
        method=_text(content.get("method")),
        power_basis=_text(content.get("power_basis")),
        readings=readings if isinstance(readings, int) else None,
        caliber=_text(content.get("caliber")),
        uncertainty_pct=_figure(content.get("uncertainty_pct")),
        shared=bool(content.get("shared")),
        tags=telling_tags(job.tags),
        sparkline=(summary.sparkline or ()) if summary else (),
    )
