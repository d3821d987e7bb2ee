"""Read what the list of jobs is made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.services.facility import SiteName, site_name
from app.services.jobs import JobStores, listing
from app.store.facility import Facility, StillFacility
from app.store.jobs import Job, JobChoices, JobFilter, JobTotals

_FILE_PAGE = 500


@dataclass(frozen=True)
class JobListPage:
    """A page of jobs, each with the facility at its start; `next` is the cursor of the following page."""

    now_ms: int
    site: SiteName
    jobs: Sequence[tuple[Facility, Job]]
    next: str | None
    totals: JobTotals
    choices: JobChoices


def read_job_list(stores: JobStores, which: JobFilter, sort: str, limit: int, cursor: str | None) -> JobListPage:
    """Read a page of the list of jobs.

    Raises
    ------
    Invalid
        The sort key is not known, or the cursor is not of this list.
    """
    now_ms = stores.now_ms()
    facility = StillFacility(stores.facility)
    page, following = listing(stores, which, sort, limit, cursor)
    return JobListPage(
        now_ms=now_ms,
        site=site_name(facility.at(now_ms), None),
        jobs=[(facility.at(job.start_ms), job) for job in page],
        next=following,
        totals=stores.jobs.totals(which),
        choices=stores.jobs.choices(),
    )


def read_job_rows(stores: JobStores, which: JobFilter, sort: str) -> Iterator[tuple[Facility, Job]]:
    """Yield every job of a list with the facility at its start, read page by page."""
    facility = StillFacility(stores.facility)
    cursor: str | None = None
    while True:
        page, cursor = listing(stores, which, sort, _FILE_PAGE, cursor)
        yield from ((facility.at(job.start_ms), job) for job in page)
        if cursor is None:
            return
