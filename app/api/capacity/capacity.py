"""Capacity and what-if requests: how many more nodes fit, and what binds."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from app.api.capacity.models import WhatIfBody
from app.api.capacity.tables import CAPACITY_COLUMNS, capacity_cells
from app.api.http import Json, Moment, StoresDep, access, csv_answer, csv_file, in_shown_zone
from app.domain.timeseries import TimeWindow
from app.presentation.capacity import (
    CapacityAnswer,
    CapacityView,
    WhatIfAnswer,
    capacity_answer,
    capacity_view,
    what_if_answer,
)
from app.services.capacity import LEVELS, MOST_ADDED, BasisName, RackCapacity, rack_capacity, what_if
from app.services.pages import read_capacity_page
from app.services.stores import Stores
from app.services.timeseries import asked_window, view_window

router = APIRouter(prefix="/api/v1/capacity", tags=["headroom"], dependencies=[access("read")])
questions = APIRouter(prefix="/api/v1/capacity", tags=["headroom"], dependencies=[access("what-if")])

views = APIRouter(prefix="/api/v1/views", tags=["views"], dependencies=[access("read"), in_shown_zone()])

Name = Annotated[Literal["24h", "7d", "30d"], Query(description="a window that ends now")]
From = Annotated[Moment | None, Query(alias="from", description="24 h before the end unless given")]
To = Annotated[Moment | None, Query(alias="to", description="now unless given")]


def _rack_capacity(
    stores: StoresDep,
    rack: str,
    model: Annotated[str | None, Query(description="the model the rack holds most of, unless given")] = None,
    basis: Annotated[BasisName, Query(description="how both existing and new nodes are counted")] = "observed_max",
    margin_pct: Annotated[
        float | None,
        Query(ge=0, lt=100, description="kept at the rack, every PDU and every line; that of the site unless given"),
    ] = None,
    levels: Annotated[str, Query(description="the limits to evaluate, separated by commas")] = ",".join(LEVELS),
    start: From = None,
    end: To = None,
) -> RackCapacity:
    view = _window(stores, start, end)
    names = [name.strip() for name in levels.split(",") if name.strip()]
    return rack_capacity(stores, rack, view, basis, margin_pct, model, names)


CapacityDep = Annotated[RackCapacity, Depends(_rack_capacity)]


@router.get(
    "/racks/{rack}.csv",
    summary="Capacity of a rack as a file",
    response_class=Response,
    responses=csv_answer(CAPACITY_COLUMNS, "Limits and loads are in the `unit` of the level."),
)
def download_rack_capacity(found: CapacityDep) -> Response:
    """Return CSV with one level a line: limit, load and `stranded` in the `unit` of the level; missing is empty.

    A level that cannot be evaluated has the reason in `not_evaluated`.
    """
    return csv_file(f"capacity-{found.rack}.csv", CAPACITY_COLUMNS, capacity_cells(found))


@router.get("/racks/{rack}", summary="How many more nodes fit into a rack", response_model=CapacityAnswer)
def get_rack_capacity(
    found: CapacityDep,
    count: Annotated[int | None, Query(ge=1, le=MOST_ADDED, description="whether so many fit, in `asked`")] = None,
) -> Json:
    """Returns the largest number for which every requested level stays within its limit × (1 − margin).

    `now` and `then` are of the binding level, without and with that many more. `failover` evaluates every line that is
    left when a feed fails; `space` and `outlets` are counted and keep no margin. What a level has left when another
    one binds is `stranded`. Levels that cannot be evaluated are listed in `not_evaluated` and limit nothing.
    """
    return Json(capacity_answer(found, count))


@questions.post("/what-if", summary="Evaluate adding, removing and failing", response_model=WhatIfAnswer)
def evaluate_what_if(stores: StoresDep, body: WhatIfBody) -> Json:
    """Evaluates a scenario; nothing is changed. Loads are summed at each instant (declared bases are constants).

    `fits` says of each addition whether it fits, evaluated as the capacity of a rack is, after the removals and the
    additions before it.

    `trips` are lines above their breaker; `lost` are nodes that would lose power at once, `lost_after_trips` with
    tripped breakers too. An added load spreads evenly over its cords and their lines.
    """
    view = _window(stores, body.start, body.end)
    found = what_if(stores, body.to_asked(), body.basis, view, body.margin_pct)
    return Json(what_if_answer(found, body.fail))


@views.get("/capacity", summary="Capacity page", response_model=CapacityView)
def get_capacity_page(stores: StoresDep, window: Name = "24h", start: From = None, end: To = None) -> Json:
    """Everything the capacity page shows at once; it requests how much fits rack by rack."""
    return Json(capacity_view(read_capacity_page(stores, view_window(stores.now_ms(), window, start, end))))


def _window(stores: Stores, start: int | None, end: int | None) -> TimeWindow:
    return TimeWindow(*asked_window(stores.now_ms(), start, end))
