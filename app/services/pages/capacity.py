"""Read everything that the capacity page shows at once; how much fits into a rack is a request of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.capacity import TREND_DAYS
from app.domain.timeseries import TimeWindow
from app.services.headroom import DailyPeaks, HeadroomRow, daily_peaks, headroom_rows
from app.services.live import Snapshot, take
from app.services.pages.stores import PageStores
from app.store.facility import Facility
from collectors.contract import MINUTE_MS


@dataclass(frozen=True)
class CapacityPage:
    """Everything the capacity page shows, as data.

    Attributes
    ----------
    live: the state now; None for a window that ended before. daily: maxima of the whole UTC days before the end of the
        window.
    """

    now_ms: int
    window: TimeWindow
    facility: Facility
    racks: Sequence[HeadroomRow]
    pdus: Sequence[HeadroomRow]
    live: Snapshot | None
    daily: DailyPeaks


def read_capacity_page(stores: PageStores, view: TimeWindow) -> CapacityPage:
    """Return the data of the capacity page."""
    now_ms = stores.now_ms()
    return CapacityPage(
        now_ms=now_ms,
        window=view,
        facility=stores.facility.at(view.end_ms),
        racks=headroom_rows(stores, "rack", view.start_ms, view.end_ms),
        pdus=headroom_rows(stores, "pdu", view.start_ms, view.end_ms),
        live=take(stores) if view.end_ms >= now_ms - MINUTE_MS else None,
        daily=daily_peaks(stores, stores.facility.at(view.end_ms), view.end_ms, TREND_DAYS),
    )
