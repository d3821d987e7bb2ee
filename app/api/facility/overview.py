"""The pages of the dashboard: one request each, figures included."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request

from app.api.http import Json, Moment, StoresDep, access, in_shown_zone
from app.domain.timeseries import TimeWindow
from app.presentation.devices import DeviceListView, DeviceView, device_list_view, device_view
from app.presentation.facility import FacilityView, NodeView, RackView, facility_view, node_view, rack_view
from app.services.devices import read_device_list, read_device_page
from app.services.pages import FacilityDays, FacilityPage, read_facility_page, read_node_page, read_rack_page
from app.services.stores import Stores, read_in_part
from app.services.timeseries import view_window

router = APIRouter(prefix="/api/v1", tags=["views"], dependencies=[access("read"), in_shown_zone()])

Name = Annotated[Literal["1h", "24h", "7d", "30d"], Query(description="a window that ends now")]
From = Annotated[Moment | None, Query(alias="from", description="start of another window, RFC 3339 or ms")]
To = Annotated[Moment | None, Query(alias="to", description="its end; now unless given")]
Margin = Annotated[
    Literal["", "rated", "0", "10", "20"],
    Query(
        description="margin kept of the rack capacity [%]; `rated`: what rated power leaves; empty: that of the site"
    ),
]


def _window(stores: Stores, name: str, start: int | None, end: int | None) -> TimeWindow:
    return view_window(stores.now_ms(), name, start, end)


@router.get("/facility", summary="Facility page", response_model=FacilityView)
def get_facility_page(
    request: Request,
    stores: StoresDep,
    site: Annotated[str | None, Query(description="key of a site")] = None,
    window: Name = "24h",
    start: From = None,
    end: To = None,
) -> Json:
    """Total power against usable power, a window of it, every rack now, silent devices, the latest changes.

    `unread`: what the database cannot read now, as on every page; null where everything is read.

    A rack's power is the sum of its PDUs' inlets, or of its nodes where a PDU reports none. Figures hold plotly's names
    with `@token` colours and base64 arrays (`dtype`, `bdata`, times in ms from `x0_ms`).
    """
    days: FacilityDays = request.app.state.facility_days
    view = _window(stores, window, start, end)

    def read(some: Stores) -> FacilityPage:
        """Read the page; a day that is read in part is not shared."""
        return read_facility_page(some, view, site, days if some is stores else None)

    return Json(facility_view(*read_in_part(stores, read)))


@router.get("/views/rack/{key}", summary="Rack page", response_model=RackView)
def get_rack_page(
    stores: StoresDep, key: str, window: Name = "24h", start: From = None, end: To = None, margin: Margin = ""
) -> Json:
    """Elevation, stacked power by node, rack capacity on every basis, feeds with failover, jobs that run there."""
    view = _window(stores, window, start, end)
    return Json(rack_view(*read_in_part(stores, lambda some: read_rack_page(some, key, view, margin))))


@router.get("/views/node/{key}", summary="Node page", response_model=NodeView)
def get_node_page(stores: StoresDep, key: str, window: Name = "24h", start: From = None, end: To = None) -> Json:
    """Every source of its power on one figure, its GPUs, cords, jobs, and statistics of the window."""
    view = _window(stores, window, start, end)
    return Json(node_view(*read_in_part(stores, lambda some: read_node_page(some, key, view))))


@router.get("/views/devices", summary="Devices page", response_model=DeviceListView)
def get_devices_page(stores: StoresDep, site: Annotated[str | None, Query(description="key of a site")] = None) -> Json:
    """Last answer, share of the last 24 h answered, outages, failed polls, latency, the collector's clock."""
    return Json(device_list_view(*read_in_part(stores, lambda some: read_device_list(some, site))))


@router.get("/views/device/{key}", summary="Device page", response_model=DeviceView)
def get_device_page(stores: StoresDep, key: str, window: Name = "24h", start: From = None, end: To = None) -> Json:
    """Its health, the gaps of its readings, failed polls, and events."""
    view = _window(stores, window, start, end)
    return Json(device_view(*read_in_part(stores, lambda some: read_device_page(some, key, view))))
