"""The list of jobs as a table of records: one job a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from typing_extensions import TypedDict

from app.api.http import RecordSummary, common_method
from app.domain.timeseries import rfc3339
from app.models import Share, Time
from app.presentation.jobs import JobListRow
from app.services.files import RecordTable, flag, number, text, time
from app.store.jobs import JobFilter

JOB_COLUMNS = (
    *map(text, ("id", "job_id", "name", "kind", "state", "user", "nodes", "hardware")), time("start"), time("end"),
    *map(number, (
        "duration_s", "energy_j", "energy_kwh", "mean_w", "median_w", "max_w", "utilization_pct", "coverage",
    )),
    *map(text, ("source", "method", "power_basis")), number("readings"), text("caliber"), number("uncertainty_pct"),
    flag("shared"),
)  # fmt: skip

_Asked = TypedDict("_Asked", {"from": Time | None, "to": Time | None})


class JobsSummary(_Asked, RecordSummary):
    """What a file of jobs cannot say in its cells. `from`, `to`: of the filter.

    `energy_j`: of all jobs that have one; `with_energy` is their number. `coverage`: of the least covered job.
    """

    energy_j: float | None
    with_energy: int
    method: str | None
    coverage: Share | None


def jobs_table(rows: Sequence[JobListRow], which: JobFilter) -> RecordTable:
    """Return one job a row, and what the file states about itself."""
    return RecordTable(JOB_COLUMNS, [job_cells(row) for row in rows], _facts(rows, which))


def job_cells(row: JobListRow) -> Sequence[object]:
    """Return the cells of a job, in the order of the columns; times in ms."""
    kwh = None if row.energy_j is None else row.energy_j / 3.6e6
    return (
        row.id, row.job_id, row.name, row.kind, "running" if row.running else row.state, row.user,
        " ".join(row.nodes), row.hardware, row.start_ms, row.end_ms, row.duration_s,
        row.energy_j, kwh, row.mean_w, row.median_w, row.max_w, row.utilization_pct, row.coverage, row.source,
        row.method, row.power_basis, row.readings, row.caliber, row.uncertainty_pct, row.shared,
    )  # fmt: skip


def _facts(rows: Sequence[JobListRow], which: JobFilter) -> dict[str, Any]:
    energies = [row.energy_j for row in rows if row.energy_j is not None]
    return {
        "from": rfc3339(which.from_ms),
        "to": rfc3339(which.to_ms),
        "zone": "UTC",
        "rows": len(rows),
        "energy_j": math.fsum(energies) if energies else None,
        "with_energy": len(energies),
        "method": common_method(row.method for row in rows),
        "coverage": min((row.coverage for row in rows if row.coverage is not None), default=None),
    }
