"""The page of all devices, and the panel about them on the facility page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from app.models import TimeMs, sent_as
from app.presentation.text import UnreadView, count, unread_view
from app.services.devices import DeviceList, DeviceListRow, Devices, Silent
from app.services.facility import SiteName
from app.store.database import Unread


@dataclass(frozen=True)
class DeviceListView:
    """Everything the devices page shows."""

    now_ms: Annotated[TimeMs, sent_as("now")]
    site: SiteName
    title: str
    rows: Sequence[DeviceListRow]
    unread: UnreadView | None = None


@dataclass(frozen=True)
class DevicesPanel:
    """The polled devices in a sentence and in numbers. `unread`: of those nothing is known now."""

    title: str
    count: int
    answering: int
    never: int
    failures: int
    silent: Sequence[Silent]
    unread: int = 0


def device_list_view(found: DeviceList, unread: Unread | None = None) -> DeviceListView:
    """Return the devices page; `unread`: what its data are read without."""
    polled = found.polled
    never = sum(row.state == "never" for row in polled)
    lost = sum(row.state == "unread" for row in polled)
    title = devices_title(len(polled), [row.key for row in polled if row.state == "silent"], never, lost)
    view = unread_view(unread, [row.key for row in found.rows])
    return DeviceListView(found.now_ms, found.site, title, found.rows, view)


def devices_panel(found: Devices) -> DevicesPanel:
    """Return the panel about devices."""
    lost = len(found.unread)
    title = devices_title(found.count, [silent.key for silent in found.silent], found.never, lost)
    return DevicesPanel(title, found.count, found.answering, found.never, found.failures, found.silent, lost)


def devices_title(total: int, silent: Sequence[str], never: int = 0, unread: int = 0) -> str:
    """Say whether every device responds; `never`: devices without a reading so far; `unread`: those not known."""
    if unread and not silent:
        return f"Of {unread} of {count(total, 'device')} it is not known whether they respond"
    if not silent and never:
        return f"{total - never} of {count(total, 'device')} respond, {never} without a reading so far"
    if not silent:
        return "The device responds" if total == 1 else f"All {total} devices respond"
    return f"{silent[0]} is silent" if len(silent) == 1 else f"{count(len(silent), 'device')} are silent"
