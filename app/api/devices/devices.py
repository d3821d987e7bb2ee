"""Routes of one device: readings, health and events."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from typing_extensions import TypedDict

from app.api.http import Json, Moment, StoresDep, access
from app.domain.timeseries import rfc3339
from app.errors import NotFound
from app.models import Time
from app.services.devices import (
    DeviceListRow,
    DeviceSeries,
    EventLine,
    RefusedLine,
    device_rows,
    events_of,
    refused_of,
    series_of,
)
from app.services.stores import Stores, read_in_part
from app.services.timeseries import asked_window
from app.store.facility import Device

From = Annotated[Moment | None, Query(alias="from", description="RFC 3339 or ms")]
To = Annotated[Moment | None, Query(alias="to", description="RFC 3339 or ms (default: now)")]
Limit = Annotated[int, Query(ge=1, le=1000)]

router = APIRouter(prefix="/api/v1/devices", tags=["facility"], dependencies=[access("read")])


class DeviceSpan(TypedDict):
    """The times of the first and the last stored reading; null without any."""

    first: Time | None
    last: Time | None


class SeriesList(TypedDict):
    """The series of a device."""

    device: str
    series: list[DeviceSeries]


class EventList(TypedDict):
    """Events of a device, newest first."""

    events: list[EventLine]


class RefusedList(TypedDict):
    """Readings of a device that cannot be true."""

    device: str
    refused: list[RefusedLine]


@router.get("/{key}/span", summary="First and last reading of a device", response_model=DeviceSpan)
def get_device_span(stores: StoresDep, key: str) -> Json:
    """Return the times of the first and the last stored reading; null without any."""
    _known(stores, key)
    first, last = stores.frames.span(key) or (None, None)
    return Json({"first": rfc3339(first), "last": rfc3339(last)})


@router.get("/{key}/series", summary="List series of a device", response_model=SeriesList)
def list_device_series(stores: StoresDep, key: str) -> Json:
    """Return its series: point, quantity, unit, sensor, interval, resolution, accuracy, meter."""
    _known(stores, key)
    return Json({"device": key, "series": series_of(stores, key)})


@router.get("/{key}/health", summary="Health of a device", response_model=DeviceListRow)
def get_device_health(stores: StoresDep, key: str) -> Json:
    """Return state, last reading, and for the last 24 h availability, outages, failed polls and latency.

    State `unread`: a part of the database does not respond, so that its readings are not known now.
    """
    device = _known(stores, key)
    (row,), _ = read_in_part(stores, lambda some: device_rows(some, [device]))
    return Json(row)


@router.get("/{key}/events", summary="List events of a device", response_model=EventList)
def list_device_events(stores: StoresDep, key: str, start: From = None, end: To = None, limit: Limit = 100) -> Json:
    """Return notifications, restarts, counter resets and outages, newest first; by default of the last 24 h."""
    _known(stores, key)
    start_ms, end_ms = asked_window(stores.now_ms() + 1, start, end)
    return Json({"events": events_of(stores, [key], start_ms, end_ms, limit)})


@router.get("/{key}/refused", summary="Readings of a device that cannot be true", response_model=RefusedList)
def list_refused_readings(stores: StoresDep, key: str) -> Json:
    """By series and reason: newest value and its raw steps, how many, first and last; stored as missing."""
    _known(stores, key)
    return Json({"device": key, "refused": refused_of(stores, key)})


def _known(stores: Stores, key: str) -> Device:
    device = stores.facility.now().devices.get(key)
    if device is None:
        raise NotFound(f"there is no device {key}", "GET /api/v1/devices lists them")
    return device
