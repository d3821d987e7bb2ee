"""Everything that the page of one device is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.timeseries import Curve, TimeWindow
from app.errors import NotFound
from app.services.devices.device_list import DeviceListRow, device_rows
from app.services.devices.device_readings import PointReadings, RegisterReading, read_points
from app.services.devices.events import EventLine, events_of
from app.services.devices.refused import RefusedLine, refused_of
from app.services.devices.stores import DeviceStores
from app.services.energy import curves_of
from app.services.facility import SiteName, site_name
from app.store.devices import PollFailure
from app.store.facility import Facility
from app.store.timeseries import SeriesInfo
from collectors.contract import Quantity

_MOST_FAILURES_READ = 20_000


@dataclass(frozen=True, eq=False)
class DevicePage:
    """A device, its series, the curve of one of them, failed polls (newest first) and events of a window.

    Attributes
    ----------
    curve_key: the series whose curve shows the gaps of the device; None without any series.
    began_ms: time of its first reading; before it, no reading is missing. None without any.
    """

    now_ms: int
    site: SiteName
    row: DeviceListRow
    window: TimeWindow
    series: Sequence[SeriesInfo]
    began_ms: int | None
    curve_key: str | None
    curve: Curve
    failures: Sequence[PollFailure]
    events: Sequence[EventLine]
    refused: Sequence[RefusedLine]
    facility: Facility
    points: Sequence[PointReadings]
    registers: Sequence[RegisterReading]


def read_device_page(stores: DeviceStores, key: str, view: TimeWindow) -> DevicePage:
    """Read everything about one device in a window.

    Raises
    ------
    NotFound
        There is no such device.
    """
    now = stores.now_ms()
    facility = stores.facility.at(now)
    device = facility.devices.get(key)
    if device is None:
        raise NotFound(f"there is no device {key!r}", "GET /api/v1/devices lists them")
    (row,) = device_rows(stores, [device])
    series = stores.frames.series(key)
    chosen = representative(series)
    curves = curves_of(stores.frames.read([chosen], view.start_ms, view.end_ms)) if chosen else {}
    points, registers = read_points(stores, facility, device, series, view.start_ms, view.end_ms)
    return DevicePage(
        now_ms=now,
        site=site_name(facility, device.site),
        row=row,
        window=view,
        series=series,
        began_ms=stores.frames.first_ms([key]).get(key),
        curve_key=chosen,
        curve=curves[chosen] if chosen else Curve.empty(),
        failures=stores.health.failures(key, view.start_ms, view.end_ms, limit=_MOST_FAILURES_READ),
        events=events_of(stores, [key], view.start_ms, view.end_ms + 1),
        refused=refused_of(stores, key),
        facility=facility,
        points=points,
        registers=registers,
    )


def representative(series: Sequence[SeriesInfo]) -> str | None:
    """Return the key of the series that describes the device best: the power of the whole device, else the first."""
    found = min(series, key=lambda s: (s.quantity is not Quantity.POWER, s.point.count("/"), s.key), default=None)
    return found.key if found else None
