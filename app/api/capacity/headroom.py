"""Headroom: what is left of every limit."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from app.api.capacity.models import Margin
from app.api.capacity.tables import HEADROOM_COLUMNS, Fits, HeadroomSummary, fits_of, headroom_table
from app.api.http import (
    Json,
    Moment,
    Paged,
    StoresDep,
    access,
    record_answer,
    record_answers,
    xlsx_answer,
    xlsx_answers,
)
from app.domain.timeseries import TimeWindow
from app.presentation.capacity import rack_fit_line
from app.services.capacity import BasisName, rack_fits
from app.services.files import RecordFormat, RecordTable
from app.services.headroom import HeadroomRow, LevelName, headroom_rows, racks_of_places
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


def _table(
    stores: StoresDep,
    level: Level = "node",
    start: From = None,
    end: To = None,
    fits: Annotated[
        BasisName | None,
        Query(description="say how many more nodes fit into racks, rows, rooms and sites, counted on this basis"),
    ] = None,
    margin_pct: Margin = None,
) -> RecordTable:
    window = TimeWindow(*asked_window(stores.now_ms(), start, end))
    found: dict[str, Fits] = {}
    if fits is not None and (members := racks_of_places(stores.facility.at(window.end_ms), level)):
        lines = {x.rack: rack_fit_line(x) for x in rack_fits(stores, window, fits, margin_pct).items}
        found = fits_of({key: [lines[rack] for rack in racks] for key, racks in members.items()})
    return headroom_table(level, headroom_rows(stores, level, window.start_ms, window.end_ms), window, found)


TableDep = Annotated[RecordTable, Depends(_table)]


@router.get("/headroom.summary.json", summary="What the file of headroom cannot say", response_model=HeadroomSummary)
def get_headroom_summary(table: TableDep) -> Json:
    """Units, window, method and coverage; the same is in the metadata of Parquet and Arrow, and the CSV links to it."""
    return Json(table.summary)


@router.get(
    "/headroom.xlsx",
    summary="Headroom for a spreadsheet",
    response_class=Response,
    responses=xlsx_answers([column.name for column in HEADROOM_COLUMNS]),
)
def download_headroom_xlsx(table: TableDep) -> Response:
    """Return the rows of the CSV as an XLSX file, with times in UTC. Texts that look like formulas stay texts."""
    return xlsx_answer(f"headroom-{table.facts['level']}", table)


@router.get(
    "/headroom.{format}",
    summary="Headroom as a file",
    response_class=Response,
    responses=record_answers([column.name for column in HEADROOM_COLUMNS]),
)
def download_headroom(request: Request, table: TableDep, format: RecordFormat) -> Response:
    """Return one object a row, with the unit at the end of each column's name; missing is empty.

    With `fits` racks have `additional_nodes` of `fits_model` with what binds; rows, rooms and sites have the sums.
    """
    return record_answer(request, f"headroom-{table.facts['level']}", table, format)
