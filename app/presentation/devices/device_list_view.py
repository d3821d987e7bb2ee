"""The page of all devices, and the panel about them on the facility page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from app.models import TimeMs, sent_as
from app.presentation.text import count
from app.services.devices import DeviceList, DeviceListRow, Devices, Silent
from app.services.facility import SiteName


@dataclass(frozen=True)
class DeviceListView:
    """Everything the devices page shows."""

    now_ms: Annotated[TimeMs, sent_as("now")]
    site: SiteName
    title: str
    rows: Sequence[DeviceListRow]


@dataclass(frozen=True)
class DevicesPanel:
    """The polled devices in a sentence and in numbers."""

    title: str
    count: int
    answering: int
    never: int
    failures: int
    silent: Sequence[Silent]


def device_list_view(found: DeviceList) -> DeviceListView:
    """Return the devices page."""
    polled = found.polled
    never = sum(row.state == "never" for row in polled)
    title = devices_title(len(polled), [row.key for row in polled if row.state == "silent"], never)
    return DeviceListView(found.now_ms, found.site, title, found.rows)


def devices_panel(found: Devices) -> DevicesPanel:
    """Return the panel about devices."""
    title = devices_title(found.count, [silent.key for silent in found.silent], found.never)
    return DevicesPanel(title, found.count, found.answering, found.never, found.failures, found.silent)


def devices_title(total: int, silent: Sequence[str], never: int = 0) -> str:
    """Say whether every device responds; `never`: devices without a reading so far."""
    if not silent and never:
        return f"{total - never} of {count(total, 'device')} respond, {never} without a reading so far"
    if not silent:
        return "The device responds" if total == 1 else f"All {total} devices respond"
    return f"{silent[0]} is silent" if len(silent) == 1 else f"{count(len(silent), 'device')} are silent"
