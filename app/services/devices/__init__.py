"""Device status, events and leases."""

from __future__ import annotations

from app.services.devices.device_list import OVERRUN, DeviceList, DeviceListRow, device_rows, read_device_list
from app.services.devices.device_page import DevicePage, read_device_page
from app.services.devices.device_readings import PointReadings, RegisterReading
from app.services.devices.events import EventLine, devices_in, events_of
from app.services.devices.health import device_health
from app.services.devices.leases import DEFAULT_INTERVAL_S, DEFAULT_TIMEOUT_S, LeasedDevice, lease
from app.services.devices.refused import RefusedLine, lasting_refusals, refused_of
from app.services.devices.series import DeviceSeries, Measure, measures_of, series_of
from app.services.devices.status import Devices, Silent, device_states, patience_ms
from app.services.devices.stores import DeviceStores

__all__ = [
    "DEFAULT_INTERVAL_S",
    "DEFAULT_TIMEOUT_S",
    "OVERRUN",
    "DeviceList",
    "DeviceListRow",
    "DevicePage",
    "DeviceSeries",
    "DeviceStores",
    "Devices",
    "EventLine",
    "LeasedDevice",
    "Measure",
    "PointReadings",
    "RefusedLine",
    "RegisterReading",
    "Silent",
    "device_health",
    "device_rows",
    "device_states",
    "devices_in",
    "events_of",
    "lasting_refusals",
    "lease",
    "measures_of",
    "patience_ms",
    "read_device_list",
    "read_device_page",
    "refused_of",
    "series_of",
]
