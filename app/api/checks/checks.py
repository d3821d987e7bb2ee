"""Compare meters that should agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from app.api.http import Json, Moment, Paged, RecordSummary, StoresDep, access, record_answer, record_answers
from app.domain.checks import Verdict
from app.domain.timeseries import TimeWindow
from app.errors import Invalid
from app.models import Share, StretchAnswer, stretch_answer
from app.presentation.checks import CheckRow, check_rows, counts_text
from app.services.checks import Checks, cross_checks
from app.services.files import RecordFormat, RecordTable, flag, number, text, time
from app.services.stores import Stores
from app.services.timeseries import asked_window
from collectors.contract import DAY_MS, HOUR_MS

router = APIRouter(prefix="/api/v1", tags=["headroom"], dependencies=[access("read")])

LONGEST_MS = 31 * DAY_MS
MOST_READINGS = 20_000_000
"""They take some 0.5 GB while they are compared."""
RackQuery = Annotated[str | None, Query(description="key of a rack; all without it")]
From = Annotated[Moment | None, Query(alias="from", description="an hour before the end unless given")]
To = Annotated[Moment | None, Query(alias="to", description="now unless given")]
COLUMNS = (
    *map(text, ("kind", "subject", "rack", "left")), number("left_mean_w"), text("right"),
    *map(number, ("right_mean_w", "difference_w", "difference_pct", "tolerance_w")), flag("tolerance_assumed"),
    number("coverage"), *map(text, ("verdict", "cause", "cause_text")), flag("one_sided"),
    text("verdict_text"), time("from"), time("to"),
)  # fmt: skip


class CheckList(Paged):
    """Compared meters in a window, and how many there are of each verdict; in `counts_text` those that agree and those
    that are one-sided are apart.
    """

    items: list[CheckRow]
    window: StretchAnswer
    counts: Mapping[Verdict, int]
    counts_text: str


def _checks(stores: Stores, rack: str | None, start: int | None, end: int | None) -> Checks:
    start_ms, end_ms = asked_window(stores.now_ms(), start, end, HOUR_MS)
    if end_ms - start_ms > LONGEST_MS:
        raise Invalid(
            f"the window is {(end_ms - start_ms) / DAY_MS:,.1f} days long, more than {LONGEST_MS // DAY_MS}",
            "meters are compared over hours or days: give a shorter window",
            code="bad_window",
        )
    return cross_checks(stores, TimeWindow(start_ms, end_ms), rack, MOST_READINGS)


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
    A check that is `one_sided` agrees whatever the right side measures beyond the left: `verdict_text` says so.
    """
    found = _checks(stores, rack, start, end)
    window = stretch_answer(found.window.start_ms, found.window.end_ms)
    items, words = check_rows(found.items), counts_text(found.items)
    return Json({"window": window, "counts": found.counts, "counts_text": words, "items": items, "next": None})


class ChecksSummary(StretchAnswer, RecordSummary):
    """What a file of checks cannot say in its cells. `method`: of the means.

    `coverage`: of the least covered comparison; null without comparisons.
    """

    rack: str | None
    counts: Mapping[Verdict, int]
    method: Literal["mean"]
    coverage: Share | None


def _table(stores: StoresDep, rack: RackQuery = None, start: From = None, end: To = None) -> RecordTable:
    found = _checks(stores, rack, start, end)
    start_ms, end_ms = found.window.start_ms, found.window.end_ms
    rows = check_rows(found.items)
    facts = {
        "rack": rack,
        "counts": found.counts,
        **stretch_answer(start_ms, end_ms),
        "zone": "UTC",
        "method": "mean",
        "coverage": min((row.coverage for row in rows), default=None),
        "rows": len(rows),
    }
    return RecordTable(COLUMNS, [_cells(row, start_ms, end_ms) for row in rows], facts)


TableDep = Annotated[RecordTable, Depends(_table)]


@router.get("/checks.summary.json", summary="What the file of checks cannot say", response_model=ChecksSummary)
def get_checks_summary(table: TableDep) -> Json:
    """Units, window, verdicts and coverage; the same is in the metadata of Parquet and Arrow, the CSV links to it."""
    return Json(table.summary)


@router.get(
    "/checks.{format}",
    summary="Checks as a file",
    response_class=Response,
    responses=record_answers([column.name for column in COLUMNS]),
)
def download_checks(request: Request, table: TableDep, format: RecordFormat) -> Response:
    """Return one comparison a row; missing is empty."""
    return record_answer(request, "checks", table, format)


def _cells(row: CheckRow, *times: int) -> Sequence[object]:
    cause = (row.cause.code, row.cause.text) if row.cause else (None, None)
    return (
        row.kind, row.subject, row.rack, row.left.name, row.left.mean_w, row.right.name, row.right.mean_w,
        row.difference_w, row.difference_pct, row.tolerance_w, row.tolerance_assumed, row.coverage, row.verdict,
        *cause, row.one_sided, row.verdict_text, *times,
    )  # fmt: skip
