"""Compare meters that should agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from app.api.http import Json, Moment, Paged, StoresDep, access, csv_answer, csv_file
from app.domain.checks import Verdict
from app.domain.timeseries import TimeWindow, rfc3339
from app.models import StretchAnswer, stretch_answer
from app.presentation.checks import CheckRow, check_rows
from app.services.checks import cross_checks
from app.services.timeseries import asked_window
from collectors.contract import HOUR_MS

router = APIRouter(prefix="/api/v1", tags=["headroom"], dependencies=[access("read")])

RackQuery = Annotated[str | None, Query(description="key of a rack; all without it")]
From = Annotated[Moment | None, Query(alias="from", description="an hour before the end unless given")]
To = Annotated[Moment | None, Query(alias="to", description="now unless given")]
COLUMNS = (
    "kind", "subject", "rack", "left", "left_mean_w", "right", "right_mean_w", "difference_w", "difference_pct",
    "tolerance_w", "tolerance_assumed", "coverage", "verdict", "cause", "cause_text", "from", "to",
)  # fmt: skip


class CheckList(Paged):
    """Compared meters in a window, and how many there are of each verdict."""

    items: list[CheckRow]
    window: StretchAnswer
    counts: Mapping[Verdict, int]


@router.get("/checks", summary="Compare meters that should agree", response_model=CheckList)
def list_checks(
    stores: StoresDep,
    rack: RackQuery = None,
    start: From = None,
    end: To = None,
) -> Json:
    """Means over the time both sides cover: Σ outlets, Σ branches and Σ lines against the inlet (W only), wall against
    BMC, components against wall, outlets that carry power without a node, and which node the wall of each follows.

    What differs by more than the declared accuracies allow `disagrees`, with the probable `cause`. Where a meter
    declares no accuracy, 5 % is assumed and `tolerance_assumed` says so. Ten minutes in common are needed.
    """
    start_ms, end_ms = asked_window(stores.now_ms(), start, end, HOUR_MS)
    found = cross_checks(stores, TimeWindow(start_ms, end_ms), rack)
    window = stretch_answer(start_ms, end_ms)
    return Json({"window": window, "counts": found.counts, "items": check_rows(found.items), "next": None})


@router.get("/checks.csv", summary="Checks as a file", response_class=Response, responses=csv_answer(COLUMNS))
def download_checks(stores: StoresDep, rack: RackQuery = None, start: From = None, end: To = None) -> Response:
    """Return CSV with one comparison a line; missing is empty."""
    start_ms, end_ms = asked_window(stores.now_ms(), start, end, HOUR_MS)
    rows = check_rows(cross_checks(stores, TimeWindow(start_ms, end_ms), rack).items)
    times = (rfc3339(start_ms), rfc3339(end_ms))
    return csv_file("checks.csv", COLUMNS, (_cells(row, *times) for row in rows))


def _cells(row: CheckRow, *times: str | None) -> Sequence[object]:
    cause = (row.cause.code, row.cause.text) if row.cause else (None, None)
    return (
        row.kind, row.subject, row.rack, row.left.name, row.left.mean_w, row.right.name, row.right.mean_w,
        row.difference_w, row.difference_pct, row.tolerance_w, row.tolerance_assumed, row.coverage, row.verdict,
        *cause, *times,
    )  # fmt: skip
