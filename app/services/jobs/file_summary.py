"""What a file of readings cannot say in its cells: times, units, energy, coverage and method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from typing_extensions import TypedDict

from app.domain.timeseries import rfc3339
from app.models import Method, PowerBasis, Share, StretchAnswer, Time, stretch_answer
from app.services.jobs.downloads import DownloadTable
from app.services.jobs.power import job_power, job_window
from app.services.jobs.registry import with_summary
from app.services.jobs.stores import JobStores
from app.services.jobs.summary import measured_energy
from app.store.jobs import Job

_MEASURED = (
    "energy_j", "coverage", "readings", "method", "by_method", "power_basis", "source", "caliber", "uncertainty_pct",
    "k",
)  # fmt: skip
_OF_NODE = ("node", "energy_j", "coverage", "source", "method", "power_basis")


class FileColumn(TypedDict):
    """A column of a file; `unit` is null for the time."""

    name: str
    unit: str | None


class FileNode(TypedDict):
    """The energy of one node of the job [J]."""

    node: str
    energy_j: float | None
    coverage: Share
    source: str | None
    method: Method | None
    power_basis: PowerBasis | None


class FileSummary(StretchAnswer):
    """What a file of readings cannot say: its stretch, zone and units, the energy [J] and how it was measured.

    `start` and `end` are those of the job; figures are null, or `method` and others are, where there is no energy.
    """

    job: str
    name: str
    start: Time
    end: Time | None
    zone: str
    duration_s: float
    energy_j: float | None
    coverage: float | None
    readings: int | None
    method: Method | None
    by_method: dict[str, float | None] | None
    power_basis: PowerBasis | None
    source: str | None
    caliber: str | None
    uncertainty_pct: float | None
    k: int | None
    by_node: list[FileNode]
    columns: list[FileColumn]


class FileTable(FileSummary):
    """The readings of a job as JSON: the summary, and rows of values in the order of `columns`, times in ms UTC."""

    rows: list[list[float | None]]


def file_summary(
    stores: JobStores, table: DownloadTable, start_ms: int | None = None, end_ms: int | None = None
) -> FileSummary:
    """Return the summary of a file: of the whole job, or of the stretch [start, end] of it.

    `energy_j` includes the ends of the stretch, before its first and after its last reading.
    """
    job = table.job
    first_ms, last_ms = job_window(stores, job)
    from_ms = first_ms if start_ms is None else max(first_ms, start_ms)
    to_ms = last_ms if end_ms is None else min(last_ms, end_ms)
    measured = _measured(stores, job, None if (from_ms, to_ms) == (first_ms, last_ms) else (from_ms, to_ms))
    summary = {
        "job": job.id,
        "name": job.name,
        "start": rfc3339(job.start_ms),
        "end": rfc3339(job.end_ms),
        **stretch_answer(from_ms, to_ms),
        "zone": "UTC",
        "duration_s": max(0, to_ms - from_ms) / 1000,
        **{name: measured.get(name) for name in _MEASURED},
        "by_node": [{name: node.get(name) for name in _OF_NODE} for node in measured.get("by_node", [])],
        "columns": [
            {"name": "t", "unit": None},
            *({"name": column.title, "unit": column.unit} for column in table.columns),
        ],
    }
    return cast("FileSummary", summary)


def _measured(stores: JobStores, job: Job, stretch: tuple[int, int] | None) -> Mapping[str, Any]:
    if stretch is None:
        summary = with_summary(stores, job).summary
        return summary.content if summary else {}
    if stretch[0] >= stretch[1]:
        return {"coverage": 0.0}
    return measured_energy(job_power(stores, job, *stretch))
