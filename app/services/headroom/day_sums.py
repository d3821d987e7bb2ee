"""Sum the past days of rows and feeds before they are asked for."""

from __future__ import annotations

from threading import Event
from typing import Protocol

from app.services.headroom.groups import feed_groups, pdus_by_feed, racks_by, row_groups, row_of
from app.services.headroom.member_sums import sums_of_days
from app.services.headroom.stores import HeadroomStores
from collectors.contract import DAY_MS

DAYS_KEPT_READY = 30
"""The window of headroom and capacity, if a request states none."""


class DaySumStores(HeadroomStores, Protocol):
    """The stores that headroom is computed from, of a server."""

    @property
    def stopping(self) -> Event:
        """Set when the server stops."""


def prepare_day_sums(stores: DaySumStores) -> None:
    """Sum the last 30 days of rows and feeds, newest first, where they are not summed yet or changed since.

    It stops between two days when the server stops.
    """
    now_ms = stores.now_ms()
    first_ms = now_ms - DAYS_KEPT_READY * DAY_MS
    facility = stores.facility.now()
    groups = {
        **row_groups(stores, racks_by(facility, row_of), first_ms, now_ms),
        **feed_groups(stores, pdus_by_feed(facility), first_ms, now_ms),
    }
    days = range(first_ms // DAY_MS * DAY_MS, now_ms // DAY_MS * DAY_MS, DAY_MS)
    for day_ms in reversed(days):
        if not groups or stores.stopping.is_set():
            return
        sums_of_days(stores, groups, range(day_ms, day_ms + DAY_MS, DAY_MS))
