"""Read and compute everything that the rack page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.timeseries import TimeWindow
from app.errors import NotFound
from app.services.capacity import (
    FreeSpace,
    RackFeeds,
    RackHeadroom,
    free_space,
    rack_feeds,
    rack_headroom,
    read_feeds,
)
from app.services.devices import EventLine, devices_in, events_of
from app.services.energy import RackPower, read_rack_power
from app.services.live import Snapshot, take
from app.services.pages.first_reading import first_readings
from app.services.pages.stores import PageStores
from app.services.timeseries import read_latest
from app.store.facility import Facility, Rack
from app.store.jobs import Job

MOST_EVENTS = 20


@dataclass(frozen=True)
class RackPage:
    """Everything the rack page shows, as data. `free`: the free spaces, `jobs`: the running jobs, newest first.

    `began_ms`: by node, since when all its meters are read.
    """

    now_ms: int
    window: TimeWindow
    facility: Facility
    rack: Rack
    power: RackPower
    began_ms: Mapping[str, int]
    live: Snapshot
    free: Sequence[FreeSpace]
    feeds: RackFeeds
    headroom: RackHeadroom
    jobs: Sequence[Job]
    events: Sequence[EventLine]


def read_rack_page(stores: PageStores, key: str, view: TimeWindow, margin: str = "") -> RackPage:
    """Return the data of the rack page.

    Raises
    ------
    NotFound
        There is no such rack.
    """
    now = stores.now_ms()
    facility = stores.facility.at(now)
    rack = facility.racks.get(key)
    if rack is None:
        raise NotFound(f"there is no rack {key!r}", f"one of {', '.join(facility.racks) or 'none yet'}")
    power = read_rack_power(stores, facility, key, view.start_ms, view.end_ms)
    latest = read_latest(stores)
    readings = read_feeds(stores, facility, key, view)
    feeds = rack_feeds(facility, key, readings, power.nodes, latest, view)
    free = free_space(facility, rack)
    return RackPage(
        now_ms=now,
        window=view,
        facility=facility,
        rack=rack,
        power=power,
        began_ms=first_readings(stores, power.nodes),
        live=take(stores, latest),
        free=free,
        feeds=feeds,
        headroom=rack_headroom(facility, rack, power, view, margin),
        jobs=_running(stores, facility, key, now),
        events=events_of(stores, devices_in(facility, key), view.start_ms, view.end_ms + 1, MOST_EVENTS),
    )


def _running(stores: PageStores, facility: Facility, rack: str, now_ms: int) -> list[Job]:
    nodes = [node.key for node in facility.nodes_in(rack)]
    found = stores.jobs.overlapping(nodes, now_ms - 1, now_ms) if nodes else []
    running = [job for job in found if job.start_ms <= now_ms and (job.end_ms is None or job.end_ms > now_ms)]
    return sorted(running, key=lambda job: job.start_ms, reverse=True)
