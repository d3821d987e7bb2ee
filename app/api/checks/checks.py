"""Compare meters that should agree."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from app.api.http import Json, Moment, StoresDep, access, wire
from app.domain.timeseries import TimeWindow, rfc3339
from app.presentation.checks import check_rows
from app.services.checks import cross_checks
from app.services.timeseries import asked_window
from collectors.contract import HOUR_MS

router = APIRouter(prefix="/api/v1", tags=["headroom"], dependencies=[access("read")])


@router.get("/checks", summary="Compare meters that should agree")
def checks(
    stores: StoresDep,
    rack: Annotated[str | None, Query(description="key of a rack; all without it")] = None,
    start: Annotated[Moment | None, Query(alias="from", description="an hour before the end unless given")] = None,
    end: Annotated[Moment | None, Query(alias="to", description="now unless given")] = None,
) -> Json:
    """Means over the time both sides cover: Σ outlets, Σ branches and Σ lines against the inlet (W only), wall against
    BMC, components against wall, outlets that carry power without a node, and which node the wall of each follows.

    What differs by more than the declared accuracies allow `disagrees`, with the probable `cause`. Where a meter
    declares no accuracy, 5 % is assumed and `tolerance_assumed` says so. Ten minutes in common are needed.
    """
    start_ms, end_ms = asked_window(stores.now_ms(), start, end, HOUR_MS)
    found = cross_checks(stores, TimeWindow(start_ms, end_ms), rack)
    window = {"from": rfc3339(start_ms), "to": rfc3339(end_ms)}
    return Json({"window": window, "counts": found.counts, "items": wire(check_rows(found.items)), "next": None})
