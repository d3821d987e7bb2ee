"""Headroom: what is left of every limit."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from app.api.capacity.tables import HEADROOM_COLUMNS, headroom_cells
from app.api.http import Json, Moment, Paged, StoresDep, access, csv_answer, csv_file
from app.domain.timeseries import TimeWindow
from app.services.headroom import HeadroomRow, LevelName, headroom_rows
from app.services.timeseries import asked_window

router = APIRouter(prefix="/api/v1", tags=["headroom"], dependencies=[access("read")])

Level = Annotated[LevelName, Query(description="the objects of the rows")]
From = Annotated[Moment | None, Query(alias="from", description="24 h before the end unless given")]
To = Annotated[Moment | None, Query(alias="to", description="now unless given")]


class HeadroomList(Paged):
    """The headroom of all objects of a level."""

    items: list[HeadroomRow]
    level: LevelName


@router.get("/headroom", summary="Rated, usable and observed", response_model=HeadroomList)
def list_headroom(
    stores: StoresDep,
    level: Level = "node",
    start: From = None,
    end: To = None,
) -> Json:
    """A circuit's limit is in amperes per line (breaker × derating), then in VA; only a budget or capacity is in W.

    `headroom_w` and `headroom_pct` are against the rating (a rack's capacity); on a PDU or a line `headroom_pct` is of
    the current of the most loaded line. A model's row is that of its node that drew most. A room or a site is the sum
    of its racks that have readings, against the capacity of all its racks; a feed (key `ROOM/FEED`) is the sum of its
    PDUs, with the current of the line that has least left.
    """
    rows = headroom_rows(stores, level, start, end)
    return Json({"level": level, "items": rows, "next": None})


@router.get(
    "/headroom.csv",
    summary="Headroom as a file",
    response_class=Response,
    responses=csv_answer(HEADROOM_COLUMNS),
)
def download_headroom(stores: StoresDep, level: Level = "node", start: From = None, end: To = None) -> Response:
    """Return CSV with one object a line and the unit at the end of each column's name; missing is empty."""
    window = TimeWindow(*asked_window(stores.now_ms(), start, end))
    rows = headroom_rows(stores, level, window.start_ms, window.end_ms)
    return csv_file(f"headroom-{level}.csv", HEADROOM_COLUMNS, headroom_cells(level, rows, window))
