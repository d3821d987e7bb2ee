"""Do the meters agree?"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from app.api.answers import Json, rfc3339
from app.api.deps import ContextDep, access
from app.api.moments import Moment
from app.api.wire import wire
from app.figures.theme import Window
from app.services.cross_checks import cross_checks
from app.services.view_window import HOUR_MS, asked_window

router = APIRouter(prefix="/api/v1", tags=["headroom"], dependencies=[access("read")])


@router.get("/checks", summary="Do the meters agree?")
def checks(
    context: ContextDep,
    rack: Annotated[str | None, Query(description="key of a rack; all without it")] = None,
    start: Annotated[Moment | None, Query(alias="from", description="an hour before the end unless given")] = None,
    end: Annotated[Moment | None, Query(alias="to", description="now unless given")] = None,
) -> Json:
    """Means over the time both sides cover: Σ outlets, Σ branches and Σ lines against the inlet (W only), wall against
    BMC, components against wall, outlets that carry something and power no node, and whose shape a wall follows.

    What differs by more than the declared accuracies allow `disagrees`, with the probable `cause`. Where a meter
    declares no accuracy, 5 % is assumed and `tolerance_assumed` says so. Under ten minutes in common nothing is judged.
    """
    start_ms, end_ms = asked_window(context.now_ms(), start, end, HOUR_MS)
    found = cross_checks(context, Window(start_ms, end_ms), rack)
    window = {"from": rfc3339(start_ms), "to": rfc3339(end_ms)}
    return Json({"window": window, "counts": found.counts, "items": wire(list(found.items)), "next": None})
