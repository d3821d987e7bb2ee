"""The device pages."""

from __future__ import annotations

from app.presentation.devices import device
from app.presentation.devices.device_list_view import (
    DeviceListView,
    DevicesPanel,
    device_list_view,
    devices_panel,
    devices_title,
)
from app.presentation.devices.device_view import DeviceView, device_view
from app.presentation.devices.refused_text import REASONS as REFUSAL_REASONS

__all__ = [
    "REFUSAL_REASONS",
    "DeviceListView",
    "DeviceView",
    "DevicesPanel",
    "device",
    "device_list_view",
    "device_view",
    "devices_panel",
    "devices_title",
]
