"""Headroom: what is left of every limit."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from app.api.http import Json, Moment, StoresDep, access, wire
from app.services.capacity import LevelName, headroom_rows

router = APIRouter(prefix="/api/v1", tags=["headroom"], dependencies=[access("read")])


@router.get("/headroom", summary="Rated, usable and observed")
def headroom(
    stores: StoresDep,
    level: Annotated[LevelName, Query(description="the objects of the rows")] = "node",
    start: Annotated[Moment | None, Query(alias="from", description="24 h before the end unless given")] = None,
    end: Annotated[Moment | None, Query(alias="to", description="now unless given")] = None,
) -> Json:
    """A circuit's limit is in amperes per line (breaker × derating), then in VA; only a budget or capacity is in W.

    `headroom_w` and `headroom_pct` are against the rating (a rack's capacity); on a PDU or a line `headroom_pct` is of
    the current of the most loaded line. A model's row is that of its node that drew most.
    """
    rows = headroom_rows(stores, level, start, end)
    return Json({"level": level, "items": [wire(row) for row in rows], "next": None})
