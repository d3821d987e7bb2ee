"""What the jobs page and the job page show: one request a page, one more for each stretch that is zoomed to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from app.api.http import CSV, Json, Moment, StoresDep, access, csv_answer, csv_line, in_shown_zone
from app.api.jobs.jobs import job_filter
from app.domain.timeseries import rfc3339
from app.presentation.jobs import (
    JobFigures,
    JobListRow,
    JobsView,
    JobView,
    job_row,
    present_job,
    present_job_figures,
    present_jobs,
)
from app.services.pages import read_job_figures, read_job_list, read_job_page, read_job_rows
from app.store.jobs import JobFilter

router = APIRouter(prefix="/api/v1", tags=["views"], dependencies=[access("read"), in_shown_zone()])

Which = Annotated[JobFilter, Depends(job_filter)]
Sort = Annotated[str, Query(description="as `GET /api/v1/jobs`")]
_COLUMNS = (
    "id", "job_id", "name", "kind", "state", "user", "nodes", "hardware", "start", "end", "duration_s", "energy_j",
    "energy_kwh", "mean_w", "median_w", "max_w", "utilization_pct", "coverage", "source",
    "method", "power_basis", "readings", "caliber", "uncertainty_pct", "shared",
)  # fmt: skip


@router.get("/views/jobs", summary="Jobs page", response_model=JobsView)
def get_jobs_page(
    stores: StoresDep,
    which: Which,
    sort: Sort = "-start",
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(description="`next` of the page before")] = None,
) -> Json:
    """A page of rows, sums over every job of the filter, and what there is to choose from."""
    return Json(present_jobs(read_job_list(stores, which, sort, limit, cursor)))


@router.get("/jobs.csv", summary="The jobs as a file", response_class=StreamingResponse, responses=csv_answer(_COLUMNS))
def download_jobs(stores: StoresDep, which: Which, sort: Sort = "-start") -> StreamingResponse:
    """Every job of the filter, one a line, in base units; missing is empty."""
    rows = (job_row(facility, job) for facility, job in read_job_rows(stores, which, sort))
    headers = {"Content-Disposition": 'attachment; filename="jobs.csv"'}
    first = list(islice(rows, 1))  # an invalid filter is an error, not a file that ends early
    return StreamingResponse(_lines(chain(first, rows)), media_type=CSV, headers=headers)


@router.get("/views/job/{id}", summary="Job page", response_model=JobView)
def get_job_page(stores: StoresDep, id: str) -> Json:
    """Key figures, where the energy went, how it was measured, the load-duration curve."""
    return Json(present_job(read_job_page(stores, id)))


@router.get("/views/job/{id}/figures", summary="Figures of a job", response_model=JobFigures)
def get_job_figures(
    stores: StoresDep,
    id: str,
    start: Annotated[Moment | None, Query(alias="from", description="start of a stretch, RFC 3339 or ms")] = None,
    end: Annotated[Moment | None, Query(alias="to", description="its end")] = None,
    axes: Annotated[Literal["strip", "overlay"], Query(description="where the load is drawn")] = "strip",
) -> Json:
    """Power with limits and GPU load, and each GPU; by default over the run with a margin before and after it."""
    return Json(present_job_figures(read_job_figures(stores, id, start, end), axes))


def _lines(rows: Iterable[JobListRow]) -> Iterator[str]:
    yield csv_line(_COLUMNS)
    for row in rows:
        kwh = None if row.energy_j is None else row.energy_j / 3.6e6
        yield csv_line(
            (
                row.id, row.job_id, row.name, row.kind, "running" if row.running else row.state, row.user,
                " ".join(row.nodes), row.hardware, rfc3339(row.start_ms), rfc3339(row.end_ms), row.duration_s,
                row.energy_j, kwh, row.mean_w, row.median_w, row.max_w, row.utilization_pct, row.coverage, row.source,
                row.method, row.power_basis, row.readings, row.caliber, row.uncertainty_pct,
                row.shared,
            )
        )  # fmt: skip
