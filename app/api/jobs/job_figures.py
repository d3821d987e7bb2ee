"""What the jobs page and the job page show: one request a page, one more for each stretch that is zoomed to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response, StreamingResponse

from app.api.http import (
    CSV,
    Json,
    Moment,
    StoresDep,
    access,
    csv_line,
    in_shown_zone,
    record_answer,
    record_answers,
    summary_link,
)
from app.api.jobs.jobs import job_filter
from app.api.jobs.tables import JOB_COLUMNS, JobsSummary, job_cells, jobs_table
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
from app.services.files import RecordFormat, RecordTable
from app.services.pages import read_job_figures, read_job_list, read_job_page, read_job_rows
from app.store.jobs import JobFilter

router = APIRouter(prefix="/api/v1", tags=["views"], dependencies=[access("read"), in_shown_zone()])

Which = Annotated[JobFilter, Depends(job_filter)]
Sort = Annotated[str, Query(description="as `GET /api/v1/jobs`")]
_FILE = record_answers([column.name for column in JOB_COLUMNS])


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


def _rows(stores: StoresDep, which: Which, sort: Sort = "-start") -> Iterator[JobListRow]:
    return (job_row(facility, job) for facility, job in read_job_rows(stores, which, sort))


RowsDep = Annotated[Iterator[JobListRow], Depends(_rows)]


@router.get("/jobs.summary.json", summary="What the file of jobs cannot say", response_model=JobsSummary)
def get_jobs_summary(rows: RowsDep, which: Which) -> Json:
    """Units, zone, and energy, coverage and method of all jobs of the filter.

    The same is in the metadata of Parquet and Arrow (key `wattline`), and the CSV links to it.
    """
    return Json(jobs_table(list(rows), which).summary)


@router.get("/jobs.{format}", summary="The jobs as a file", response_class=Response, responses=_FILE)
def download_jobs(request: Request, rows: RowsDep, which: Which, format: RecordFormat) -> Response:
    """Every job of the filter, one a row, in base units; missing is empty. CSV is streamed."""
    if format != "csv":
        return record_answer(request, "jobs", jobs_table(list(rows), which), format)
    headers = {"Content-Disposition": 'attachment; filename="jobs.csv"', "Link": summary_link(request)}
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
    yield csv_line(column.name for column in JOB_COLUMNS)
    for row in rows:
        yield from map(csv_line, RecordTable(JOB_COLUMNS, [job_cells(row)], {}).printed)
