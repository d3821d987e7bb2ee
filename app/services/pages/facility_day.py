"""The power of the facility over a window: from the samples of few meters, from the minute rollups of many."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.rollups import PowerByMinute, power_by_minute, whole_power
from app.domain.timeseries import TimeWindow
from app.services.caches import SharedCache
from app.services.curves import read_racks
from app.services.energy import INLET, RackPower, pdus_in
from app.services.live import points_like
from app.services.pages.stores import PageStores
from app.services.timeseries import LatestReadings
from app.store.facility import Facility, Rack
from collectors.contract import DAY_MS, HOUR_MS, MINUTE_MS, Quantity

MANY_METERS = 100
"""The samples of more meters would take too long to read."""
_SHORTEST_MS = HOUR_MS
_SHARED_MS = 1000
_PENDING_MINUTES = 5
_ROLLED_UP_AFTER = 2
"""Minutes after which rollups are computed where no complete minute shows it."""


@dataclass(frozen=True)
class FacilityDay:
    """The power of all racks together over a window: either the curve of each rack or the minutes of all.

    `window`: of minutes the whole ones that are computed.
    """

    window: TimeWindow
    powers: Mapping[str, RackPower] | None
    minutes: PowerByMinute | None


class FacilityDays:
    """The power of the facility over windows, shared for a second by all who request it.

    It depends on racks and window alone, never on who asks: what a page shows besides is read for each request.
    """

    def __init__(self) -> None:
        self._shared: SharedCache[Hashable, FacilityDay] = SharedCache(_SHARED_MS)

    def read(
        self,
        stores: PageStores,
        facility: Facility,
        racks: Sequence[Rack],
        latest: LatestReadings,
        window: TimeWindow,
    ) -> FacilityDay:
        """Return the power of some racks over a window; one that ends now may have ended a second ago."""
        now_ms = stores.now_ms()
        end_ms = window.end_ms if now_ms - window.end_ms >= _SHARED_MS else None
        key = (facility, tuple(rack.key for rack in racks), window.label, window.length_ms, end_ms)
        return self._shared.get(key, now_ms, lambda: read_facility_day(stores, facility, racks, latest, window))


def read_facility_day(
    stores: PageStores, facility: Facility, racks: Sequence[Rack], latest: LatestReadings, window: TimeWindow
) -> FacilityDay:
    """Return the power of some racks over a window."""
    meters = [_meters(facility, rack, latest) for rack in racks]
    start_ms, end_ms = (t_ms // MINUTE_MS * MINUTE_MS for t_ms in (window.start_ms, window.end_ms))
    if sum(meters) <= MANY_METERS or not _SHORTEST_MS <= end_ms - start_ms <= DAY_MS:
        keys = [rack.key for rack in racks]
        return FacilityDay(window, read_racks(stores, facility, keys, window.start_ms, window.end_ms), None)
    minutes = TimeWindow(start_ms, end_ms, window.label)
    found = _of_site(stores, facility, racks, minutes) or _of_racks(stores, racks, meters, minutes)
    return FacilityDay(TimeWindow(start_ms, int(found.t_ms[-1]) + MINUTE_MS, window.label), None, found)


def _meters(facility: Facility, rack: Rack, latest: LatestReadings) -> int:
    """Return how many meters add up to a rack: the inlets of its PDUs, or its nodes where a PDU reports none."""
    inlets = [len(points_like(INLET, latest.points(pdu.key, Quantity.POWER))) for pdu in pdus_in(facility, rack.key)]
    return sum(inlets) if inlets and all(inlets) else len(facility.nodes_in(rack.key))


def _of_site(stores: PageStores, facility: Facility, racks: Sequence[Rack], window: TimeWindow) -> PowerByMinute | None:
    """Return the power of a site in which nothing was missing or changed; None where that is not certain."""
    sites = {rack.site for rack in racks}
    site = next(iter(sites))
    of_site = {key for key, rack in facility.racks.items() if rack.site == site}
    if len(sites) > 1 or site is None or of_site != {rack.key for rack in racks}:
        return None
    days = range(window.start_ms // DAY_MS * DAY_MS, window.end_ms, DAY_MS)
    if stores.facility.moments(days.start, window.end_ms):
        return None
    subjects = [f"rack/{rack.key}:power" for rack in racks]
    if not all(stores.minutes.are_known(subjects, day_ms) for day_ms in days):  # the site is the sum of those known
        return None
    found = stores.minutes.read([f"site/{site}:power"], window.start_ms, window.end_ms)[f"site/{site}:power"]
    whole = found.part(found.covered_ms == MINUTE_MS)
    n = len(whole)
    is_gapless = n > 0 and whole.t_ms[-1] == window.start_ms + (n - 1) * MINUTE_MS
    if not is_gapless or n < window.length_ms // MINUTE_MS - _PENDING_MINUTES:
        return None
    return whole_power(whole.t_ms, whole.integral, whole.low, whole.high)


def _of_racks(stores: PageStores, racks: Sequence[Rack], meters: Sequence[int], window: TimeWindow) -> PowerByMinute:
    """Return the power of racks of which some are missing at times."""
    names = [rack.key for rack in racks]
    found = stores.minutes.matrix([f"rack/{key}:power" for key in names], window.start_ms, window.end_ms)
    whole = np.flatnonzero(found.is_whole.all(axis=0))
    n = found.t_ms.size
    last = int(whole[-1]) + 1 if whole.size and whole[-1] >= n - _PENDING_MINUTES else n - _ROLLED_UP_AFTER
    end_ms = window.start_ms + last * MINUTE_MS
    found = found.until(end_ms)
    known = stores.minutes.matrix([f"rack-known/{key}:power" for key in names], window.start_ms, end_ms)
    return power_by_minute(names, found, known, meters)
