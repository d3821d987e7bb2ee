"""What the pages show: one request a page, figures included. Made for the dashboard, open to anybody who reads."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from app.api.answers import Json
from app.api.deps import ContextDep, access
from app.api.moments import Moment
from app.api.wire import wire
from app.figures.theme import Window
from app.services.context import Context
from app.services.device_list import device_list
from app.services.device_view import device_view
from app.services.node_view import node_view
from app.services.overview import facility_view
from app.services.rack_view import rack_view
from app.services.view_window import view_window

router = APIRouter(prefix="/api/v1", tags=["views"], dependencies=[access("read")])

Name = Annotated[Literal["1h", "24h", "7d", "30d"], Query(description="a window that ends now")]
From = Annotated[Moment | None, Query(alias="from", description="start of another window, RFC 3339 or ms")]
To = Annotated[Moment | None, Query(alias="to", description="its end; now unless given")]
Margin = Annotated[
    Literal["", "rated", "0", "10", "20"],
    Query(
        description="reserve kept [%] when asking what fits; `rated`: what the nameplate keeps today; empty: the first"
    ),
]


def _window(context: Context, name: str, start: int | None, end: int | None) -> Window:
    return view_window(context.now_ms(), name, start, end)


@router.get("/facility", summary="The facility at a glance")
def facility(context: ContextDep, site: Annotated[str | None, Query(description="key of a site")] = None) -> Json:
    """Total power against usable, the last 24 h, every rack, silent devices, what changed last.

    A rack's power is the sum of its PDUs' inlets, or of its nodes where a PDU tells none. Figures hold plotly's words
    with `@token` colours and base64 arrays (`dtype`, `bdata`, times in ms from `x0_ms`).
    """
    return Json(wire(facility_view(context, site)))


@router.get("/views/rack/{key}", summary="One rack")
def rack(
    context: ContextDep, key: str, window: Name = "24h", start: From = None, end: To = None, margin: Margin = ""
) -> Json:
    """Elevation, stacked power by node, headroom on every basis, feeds with failover, jobs that run there."""
    return Json(wire(rack_view(context, key, _window(context, window, start, end), margin)))


@router.get("/views/node/{key}", summary="One node")
def node(context: ContextDep, key: str, window: Name = "24h", start: From = None, end: To = None) -> Json:
    """Every source of its power on one figure, its GPUs, cords, jobs, and statistics of the window."""
    return Json(wire(node_view(context, key, _window(context, window, start, end))))


@router.get("/views/devices", summary="How every device is")
def devices(context: ContextDep, site: Annotated[str | None, Query(description="key of a site")] = None) -> Json:
    """Last answer, share of the last 24 h answered, outages, failed polls, latency, the collector's clock."""
    return Json(wire(device_list(context, site)))


@router.get("/views/device/{key}", summary="One device")
def device(context: ContextDep, key: str, window: Name = "24h", start: From = None, end: To = None) -> Json:
    """Its health, the gaps of its readings, polls that failed, and what happened to it."""
    return Json(wire(device_view(context, key, _window(context, window, start, end))))
