"""Everything the rack page shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.energy import statistics
from app.domain.timeseries import TimeWindow
from app.errors import NotFound
from app.presentation.charts import Figure
from app.presentation.facility import rack as figures
from app.services.capacity import FeedsView, FreeSpace, HeadroomPanel, free_space, height_u, rack_feeds, rack_headroom
from app.services.devices import EventLine, devices_in, events_of
from app.services.energy import NodePower, RackPower, read_rack_power
from app.services.facility import SiteName, site_name
from app.services.live import Snapshot, take
from app.services.pages.changes import running
from app.services.pages.stores import PageStores
from app.services.timeseries import read_latest
from app.store.facility import Facility, Node, Rack
from app.store.jobs import Job

MOST_EVENTS = 20


@dataclass(frozen=True)
class Draw:
    """What something draws now against what it may [W]."""

    power_w: float | None
    t_ms: int | None
    usable_w: float | None = None
    rated_w: float | None = None


@dataclass(frozen=True)
class WindowView:
    """The window looked at."""

    label: str
    from_ms: int
    to_ms: int


@dataclass(frozen=True)
class RackFacts:
    """The rack itself."""

    key: str
    label: str
    room_label: str | None
    row: str | None
    height_u: int | None


@dataclass(frozen=True)
class NodeSlot:
    """A node in the elevation."""

    key: str
    label: str
    position_u: int | None
    height_u: int | None
    power_w: float | None
    t_ms: int | None
    rated_w: float | None
    max_w: float | None
    job: str | None


@dataclass(frozen=True)
class Elevation:
    """The front of the rack."""

    title: str
    free: Sequence[FreeSpace]


@dataclass(frozen=True)
class RunningJob:
    """A job that holds nodes of this rack now."""

    id: str
    name: str
    user: str | None
    start_ms: int
    nodes: Sequence[str]


@dataclass(frozen=True)
class RackView:
    """Everything the rack page shows."""

    now_ms: int
    site: SiteName
    rack: RackFacts
    window: WindowView
    draw: Draw
    nodes: Sequence[NodeSlot]
    elevation: Elevation
    headroom: HeadroomPanel
    feeds: FeedsView
    jobs: Sequence[RunningJob]
    events: Sequence[EventLine]
    figures: Mapping[str, Figure]


def rack_view(stores: PageStores, key: str, view: TimeWindow, margin: str = "") -> RackView:
    """The rack page.

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
    live = take(stores)
    jobs = _jobs_now(stores, facility, key, now)
    slots = [_slot(facility, n, power.nodes[n.key], live, jobs, view) for n in facility.nodes_in(key)]
    free = free_space(facility, rack)
    feeds = rack_feeds(stores, facility, key, power.nodes, read_latest(stores), view)
    largest = max((f.high for f in free), default=0)
    headroom = rack_headroom(stores, facility, rack, power.nodes, view, feeds, largest, margin)
    room = facility.rooms.get(rack.room) if rack.room else None
    return RackView(
        now_ms=now,
        site=site_name(facility, rack.site),
        rack=RackFacts(key, rack.title, room.title if room else rack.room, rack.row, rack.height_u),
        window=WindowView(view.label, view.start_ms, view.end_ms),
        draw=_draw(rack, slots, live),
        nodes=slots,
        elevation=Elevation(_free_title(free, slots, rack), _with_room(free, headroom)),
        headroom=headroom,
        feeds=feeds,
        jobs=[RunningJob(j.id, j.name, j.user, j.start_ms, _nodes_of(j, facility, key)) for j in jobs],
        events=events_of(stores, devices_in(facility, key), view.start_ms, view.end_ms + 1, MOST_EVENTS),
        figures={"stack": _stack(facility, rack, power, view)},
    )


def _draw(rack: Rack, slots: Sequence[NodeSlot], live: Snapshot) -> Draw:
    rated = [s.rated_w for s in slots if s.rated_w is not None]
    told = live.racks[rack.key]
    return Draw(told["power_w"], told["t"], rack.capacity_w, sum(rated) if len(rated) == len(slots) else None)


def _slot(
    facility: Facility, node: Node, power: NodePower, live: Snapshot, jobs: Sequence[Job], view: TimeWindow
) -> NodeSlot:
    model = facility.model_of(node)
    found = statistics(power.total, view.start_ms, view.end_ms)
    here = [j.name or j.id for j in jobs if any(n.node == node.key for n in j.nodes)]
    return NodeSlot(
        key=node.key,
        label=node.title,
        position_u=node.position_u,
        height_u=height_u(facility, node),
        power_w=live.nodes[node.key]["power_w"],
        t_ms=live.nodes[node.key]["t"],
        rated_w=model.rated_w if model else None,
        max_w=None if math.isnan(found.max) else found.max,
        job=" + ".join(here) or None,
    )


def _free_title(free: Sequence[FreeSpace], slots: Sequence[NodeSlot], rack: Rack) -> str:
    placed = rack.height_u if all(s.position_u is not None for s in slots) else None
    return figures.elevation_title(sum(f.high for f in free), len(slots), placed)


def _with_room(free: Sequence[FreeSpace], headroom: HeadroomPanel) -> list[FreeSpace]:
    """The largest stretch says that another node fits there, if the headroom says so too."""
    if not free or headroom.next_node is None:
        return list(free)
    largest = max(free, key=lambda f: f.high)
    return [FreeSpace(f.at, f.high, headroom.next_node) if f is largest else f for f in free]


def _nodes_of(job: Job, facility: Facility, rack: str) -> list[str]:
    here = {n.key for n in facility.nodes_in(rack)}
    return [n.node for n in job.nodes if n.node in here]


def _jobs_now(stores: PageStores, facility: Facility, rack: str, now_ms: int) -> list[Job]:
    found: dict[str, Job] = {}
    for node in facility.nodes_in(rack):
        found |= {j.id: j for j in running(stores.jobs.overlapping(node.key, now_ms - 1, now_ms), now_ms)}
    return sorted(found.values(), key=lambda j: j.start_ms, reverse=True)


def _stack(facility: Facility, rack: Rack, power: RackPower, view: TimeWindow) -> Figure:
    curves = []
    for node in facility.nodes_in(rack.key):
        model = facility.model_of(node)
        curves.append(figures.NodeCurve(node.title, power.nodes[node.key].total, model.rated_w if model else None))
    return figures.stack(
        curves, power.total, rack.capacity_w, view, name=f"rack-{rack.key}-{view.label.replace(' ', '')}"
    )
