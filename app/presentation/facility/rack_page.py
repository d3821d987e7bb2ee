"""The rack page."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from app.domain.energy import statistics
from app.domain.timeseries import TimeWindow
from app.models import TimeMs, sent_as
from app.presentation.capacity import HeadroomPanel, headroom_panel
from app.presentation.charts import Figure
from app.presentation.facility import rack as figures
from app.presentation.facility.feeds_panel import FeedsView, feeds_view
from app.presentation.text import KnownPowerView, UnreadView, WindowView, known_power_fields, num, unread_view
from app.services.capacity import FreeSpace, height_u
from app.services.devices import EventLine, devices_in
from app.services.energy import RackPower
from app.services.facility import SiteName, site_name
from app.services.pages import RackPage
from app.store.database import Unread
from app.store.facility import Facility, Node
from app.store.jobs import Job


@dataclass(frozen=True, kw_only=True)
class Draw(KnownPowerView):
    """What something draws now and what it may draw [W].

    Attributes
    ----------
    source: what measures a node now. instead_of: its usual source, if that has no complete readings now.
    substitutes: nodes of a rack in whose sum another source than their usual one is.
    other_w: what the inlets of a rack carry beyond its nodes; None unless both are complete.
    """

    usable_w: float | None = None
    rated_w: float | None = None
    source: str | None = None
    instead_of: str | None = None
    substitutes: Sequence[str] = ()
    other_w: float | None = None


@dataclass(frozen=True)
class RackFacts:
    """The rack itself."""

    key: str
    label: str
    room_label: str | None
    row: str | None
    height_u: int | None


@dataclass(frozen=True, kw_only=True)
class NodeSlot(KnownPowerView):
    """A node in the elevation. `source` measures it now, `instead_of` usually; `max_source`: that of `max_w`."""

    key: str
    label: str
    position_u: int | None
    height_u: int | None
    source: str | None
    instead_of: str | None
    max_source: str | None
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
    start_ms: Annotated[TimeMs, sent_as("start")]
    nodes: Sequence[str]


@dataclass(frozen=True)
class RackView:
    """Everything the rack page shows. `unread`: what of it the database cannot read now."""

    now_ms: Annotated[TimeMs, sent_as("now")]
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
    unread: UnreadView | None = None


def rack_view(page: RackPage, unread: Unread | None = None) -> RackView:
    """Return the rack page; `unread`: what its data are read without."""
    facility, rack, view = page.facility, page.rack, page.window
    lost = unread_view(unread, _devices(facility, rack.key))
    slots = [_slot(page, node) for node in facility.nodes_in(rack.key)]
    headroom = headroom_panel(page.headroom, view)
    room = facility.rooms.get(rack.room) if rack.room else None
    return RackView(
        now_ms=page.now_ms,
        site=site_name(facility, rack.site),
        rack=RackFacts(rack.key, rack.title, room.title if room else rack.room, rack.row, rack.height_u),
        window=WindowView.of(view),
        draw=_draw(page, slots),
        nodes=slots,
        elevation=Elevation(_free_title(page, slots), page.free),
        headroom=headroom,
        feeds=feeds_view(page.feeds, view.label, page.live.pdus),
        jobs=[RunningJob(j.id, j.name, j.user, j.start_ms, _nodes_of(j, facility, rack.key)) for j in page.jobs],
        events=page.events,
        figures={"stack": _stack(page, unread.devices if unread else ())},
        unread=lost,
    )


def _devices(facility: Facility, rack: str) -> set[str]:
    """Return the devices of a rack, of its nodes, and those that power them."""
    powering = {feed.device for node in facility.nodes_in(rack) for feed in facility.powering(node.key)}
    return powering.union(devices_in(facility, rack))


def _draw(page: RackPage, slots: Sequence[NodeSlot]) -> Draw:
    rated = [s.rated_w for s in slots if s.rated_w is not None]
    now = page.live.racks[page.rack.key]
    return Draw(
        **known_power_fields(now.power),
        usable_w=page.rack.capacity_w,
        rated_w=sum(rated) if len(rated) == len(slots) else None,
        substitutes=now.substitutes,
        other_w=now.other_w,
    )


def _slot(page: RackPage, node: Node) -> NodeSlot:
    model = page.facility.model_of(node)
    found = statistics(page.power.nodes[node.key].total, page.window.start_ms, page.window.end_ms)
    here = [j.name or j.id for j in page.jobs if any(n.node == node.key for n in j.nodes)]
    now = page.live.nodes[node.key]
    return NodeSlot(
        **known_power_fields(now.power),
        source=now.source,
        instead_of=now.instead_of,
        max_source=page.power.nodes[node.key].source,
        key=node.key,
        label=node.title,
        position_u=node.position_u,
        height_u=height_u(page.facility, node),
        rated_w=model.rated_w if model else None,
        max_w=None if math.isnan(found.max) or page.power.nodes[node.key].is_coarse else found.max,
        job=" + ".join(here) or None,
    )


def _free_title(page: RackPage, slots: Sequence[NodeSlot]) -> str:
    placed = page.rack.height_u if all(s.position_u is not None for s in slots) else None
    return figures.elevation_title(sum(f.high for f in page.free), len(slots), placed)


def _nodes_of(job: Job, facility: Facility, rack: str) -> list[str]:
    here = {n.key for n in facility.nodes_in(rack)}
    return [n.node for n in job.nodes if n.node in here]


def _stack(page: RackPage, unread: Collection[str]) -> Figure:
    curves = []
    for node in page.facility.nodes_in(page.rack.key):
        model = page.facility.model_of(node)
        power = page.power.nodes[node.key].total
        rated_w = model.rated_w if model else None
        is_read = not any(key.partition("/")[0] in unread for key in page.power.nodes[node.key].feeds)
        curves.append(figures.NodeCurve(node.title, power, rated_w, page.began_ms.get(node.key), is_read))
    name = f"rack-{page.rack.key}-{page.window.label.replace(' ', '')}"
    rack, view = page.power, page.window
    is_partial = page.live.racks[page.rack.key].power.is_partial
    return figures.stack(
        curves, rack.total, page.rack.capacity_w, view, name, _max_name(rack, view), is_partial=is_partial
    )


def _max_name(power: RackPower, view: TimeWindow) -> str | None:
    """Return what the maximum is: of derived power a mean; None where there is none."""
    if power.power_basis == "measured":
        return "max"
    at_ms = statistics(power.total, view.start_ms, view.end_ms).max_at_ms
    if power.is_coarse or at_ms is None:
        return None
    return f"derived from registers, highest mean over {num(power.span_at(at_ms) / 1000)} s"
