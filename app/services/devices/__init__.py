"""Device status, events, leases and probes."""

from __future__ import annotations

from app.services.devices.device_list import OVERRUN, DeviceList, DeviceListRow, device_rows, read_device_list
from app.services.devices.device_page import DevicePage, read_device_page
from app.services.devices.device_readings import PointReadings, RegisterReading
from app.services.devices.events import EventLine, devices_in, events_of
from app.services.devices.health import device_health
from app.services.devices.leases import DEFAULT_INTERVAL_S, DEFAULT_TIMEOUT_S, LeasedDevice, lease
from app.services.devices.probes import (
    ProbeProblem,
    ProbeRequest,
    ProbeState,
    ask_for_probe,
    find_probe,
    finish_probe,
    probes_to_run,
    state_of,
)
from app.services.devices.refused import RefusedLine, lasting_refusals, refused_of
from app.services.devices.series import DeviceSeries, Measure, measures_of, series_of
from app.services.devices.status import Devices, Silent, device_states, patience_ms, responds
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
    "ProbeProblem",
    "ProbeRequest",
    "ProbeState",
    "RefusedLine",
    "RegisterReading",
    "Silent",
    "ask_for_probe",
    "device_health",
    "device_rows",
    "device_states",
    "devices_in",
    "events_of",
    "find_probe",
    "finish_probe",
    "lasting_refusals",
    "lease",
    "measures_of",
    "patience_ms",
    "probes_to_run",
    "read_device_list",
    "read_device_page",
    "refused_of",
    "responds",
    "series_of",
    "state_of",
]
