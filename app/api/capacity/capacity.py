"""Capacity and what-if requests: how many more nodes fit, and what binds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from app.api.capacity.models import Margin, WhatIfBody
from app.api.capacity.tables import CAPACITY_COLUMNS, CapacitySummary, capacity_table
from app.api.http import Json, Moment, Page, StoresDep, access, in_shown_zone, record_answer, record_answers
from app.domain.timeseries import TimeWindow
from app.presentation.capacity import (
    CapacityAnswer,
    CapacityView,
    RackFitLine,
    WhatIfAnswer,
    capacity_answer,
    capacity_view,
    rack_fit_line,
    what_if_answer,
)
from app.services.capacity import LEVELS, MOST_ADDED, BasisName, RackCapacity, rack_capacity, rack_fits, what_if
from app.services.files import RecordFormat
from app.services.pages import read_capacity_page
from app.services.stores import Stores
from app.services.timeseries import asked_window, view_window

router = APIRouter(prefix="/api/v1/capacity", tags=["headroom"], dependencies=[access("read")])
questions = APIRouter(prefix="/api/v1/capacity", tags=["headroom"], dependencies=[access("what-if")])

views = APIRouter(prefix="/api/v1/views", tags=["views"], dependencies=[access("read"), in_shown_zone()])

Name = Annotated[Literal["24h", "7d", "30d"], Query(description="a window that ends now")]
From = Annotated[Moment | None, Query(alias="from", description="24 h before the end unless given")]
To = Annotated[Moment | None, Query(alias="to", description="now unless given")]

Basis = Annotated[BasisName, Query(description="how both existing and new nodes are counted")]


def _rack_capacity(
    stores: StoresDep,
    rack: str,
    model: Annotated[str | None, Query(description="the model the rack holds most of, unless given")] = None,
    basis: Basis = "observed_max",
    margin_pct: Margin = None,
    levels: Annotated[str, Query(description="the limits to evaluate, separated by commas")] = ",".join(LEVELS),
    start: From = None,
    end: To = None,
) -> RackCapacity:
    view = _window(stores, start, end)
    names = [name.strip() for name in levels.split(",") if name.strip()]
    return rack_capacity(stores, rack, view, basis, margin_pct, model, names)


CapacityDep = Annotated[RackCapacity, Depends(_rack_capacity)]


@router.get("/racks", summary="How many more nodes fit into each rack", response_model=Page[RackFitLine])
def list_rack_fits(
    stores: StoresDep,
    basis: Basis = "observed_max",
    margin_pct: Margin = None,
    start: From = None,
    end: To = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(description="`next` of the previous page")] = None,
) -> Json:
    """Returns for each rack what `GET /api/v1/capacity/racks/KEY` returns for one, in short, of its own model.

    `why` says why a rack has no answer, for example because it holds no node of a known model.
    """
    found = rack_fits(stores, _window(stores, start, end), basis, margin_pct, limit, cursor)
    return Json({"items": [rack_fit_line(one) for one in found.items], "next": found.next})


def _file(kind: RecordFormat) -> dict[str, Any]:
    """Return what is declared of a route that answers a file of this kind: a rack's key may contain a dot, so that each
    kind has its route.
    """
    answers = record_answers(
        [column.name for column in CAPACITY_COLUMNS], "Limits and loads are in the `unit` of the level.", kind
    )
    summary = f"Capacity of a rack as a file ({kind})"
    return {"path": f"/racks/{{rack}}.{kind}", "summary": summary, "response_class": Response, "responses": answers}


@router.get("/racks/{rack}.summary.json", summary="What a file of capacity cannot say", response_model=CapacitySummary)
def get_capacity_summary(found: CapacityDep) -> Json:
    """Units, window, basis and margin; the same is in the metadata of Parquet and Arrow, and the CSV links to it."""
    return Json(capacity_table(found).summary)


@router.get(**_file("csv"))
def download_rack_capacity(request: Request, found: CapacityDep) -> Response:
    """Return CSV with one level a line: limit, load and `stranded` in the `unit` of the level; missing is empty.

    A level that cannot be evaluated has the reason in `not_evaluated`.
    """
    return record_answer(request, f"capacity-{found.rack}", capacity_table(found), "csv")


@router.get(**_file("parquet"))
def download_capacity_parquet(request: Request, found: CapacityDep) -> Response:
    """Return the columns of the CSV as Parquet, with the summary in its metadata (key `wattline`)."""
    return record_answer(request, f"capacity-{found.rack}", capacity_table(found), "parquet")


@router.get(**_file("arrow"))
def download_capacity_arrow(request: Request, found: CapacityDep) -> Response:
    """Return the columns of the CSV as an Arrow stream, with the summary in its metadata (key `wattline`)."""
    return record_answer(request, f"capacity-{found.rack}", capacity_table(found), "arrow")


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
    """Everything the capacity page shows at once; how much fits is `GET /api/v1/capacity/racks`."""
    return Json(capacity_view(read_capacity_page(stores, view_window(stores.now_ms(), window, start, end))))


def _window(stores: Stores, start: int | None, end: int | None) -> TimeWindow:
    return TimeWindow(*asked_window(stores.now_ms(), start, end))
