"""Read everything that the facility page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.timeseries import TimeWindow
from app.errors import NotFound
from app.services.devices import Devices, device_states
from app.services.live import RackPowers, rack_powers
from app.services.pages.facility_day import FacilityDay, FacilityDays, read_facility_day
from app.services.pages.stores import PageStores
from app.services.timeseries import LatestReadings, read_latest
from app.store.alerts import AlertCounts
from app.store.devices import DeviceEvent
from app.store.facility import Facility, Rack
from app.store.jobs import Job, JobFilter
from collectors.contract import DAY_MS

MOST_EVENTS = 10
MOST_JOBS = 200


@dataclass(frozen=True)
class FacilityPage:
    """Everything the facility page shows, as data.

    Attributes
    ----------
    day: of a window. racks: those of the site. events, jobs: of the last 24 h, newest first.
    """

    now_ms: int
    window: TimeWindow
    facility: Facility
    site: str | None
    racks: Sequence[Rack]
    day: FacilityDay
    latest: LatestReadings
    live: RackPowers
    devices: Devices
    alerts: Mapping[str, AlertCounts]
    events: Sequence[DeviceEvent]
    jobs: Sequence[Job]


def read_facility_page(
    stores: PageStores, window: TimeWindow, site: str | None = None, days: FacilityDays | None = None
) -> FacilityPage:
    """Return the data of the facility page, of one site or of all; `days`: shared by the requests of a second.

    Raises
    ------
    NotFound
        There is no such site.
    """
    now = stores.now_ms()
    facility = stores.facility.at(now)
    if site is not None and site not in facility.sites:
        raise NotFound(f"there is no site {site!r}", f"one of {', '.join(facility.sites) or 'none yet'}")
    racks = [r for r in facility.racks.values() if site is None or r.site == site]
    latest = read_latest(stores)
    day_ms = now - DAY_MS
    read_day = days.read if days is not None else read_facility_day
    return FacilityPage(
        now_ms=now,
        window=window,
        facility=facility,
        site=site,
        racks=racks,
        day=read_day(stores, facility, racks, latest, window),
        latest=latest,
        live=rack_powers(stores, facility, latest),
        devices=device_states(stores, facility, latest, site),
        alerts=stores.alerts.counts_by_rack(),
        events=_shown_events(stores, day_ms, now),
        jobs=stores.jobs.list(JobFilter(from_ms=day_ms, to_ms=now), sort="-start", limit=MOST_JOBS)[0],
    )


def _shown_events(stores: PageStores, start_ms: int, end_ms: int) -> list[DeviceEvent]:
    """Return the latest events; that a job was deleted, and whose it was, only where every job is shown."""
    found = stores.health.events(None, start_ms, end_ms, limit=MOST_EVENTS)
    return [event for event in found if stores.jobs.view.is_open or event.kind != "job_deleted"]
