"""The capacity page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from app.domain.capacity import peak_trend
from app.models import TimeMs, sent_as
from app.presentation.capacity import capacity as text
from app.presentation.text import WindowView
from app.services.capacity import site_margin_pct
from app.services.facility import SiteName, site_name
from app.services.headroom import DailyMax, HeadroomRow, ObservedLoad
from app.services.live import Snapshot
from app.services.pages import CapacityPage
from app.store.facility import Facility, Node, Rack


@dataclass(frozen=True)
class RackLoad:
    """A rack [W]: its capacity, the rated power of its nodes, what was reserved and what was observed.

    `margin_pct`: that of its site. `model`: the one it holds most of.
    `is_partial`: a part of its power is missing now, so that the observed maximum is a lower bound.
    `daily_max_w`: of the last 30 whole UTC days, null where unknown; `trend_w`: by how much it changes in 30 days, null
    with less than a week.
    """

    key: str
    label: str
    room: str | None
    room_key: str | None
    row: str | None
    margin_pct: float
    model: str | None
    nodes: int
    capacity_w: float | None
    rated_w: float | None
    budget_w: float | None
    observed_w: ObservedLoad
    max_at_ms: Annotated[TimeMs | None, sent_as("max_at")]
    coverage: float
    is_partial: bool
    daily_max_w: Sequence[float | None]
    trend_w: float | None


@dataclass(frozen=True)
class PduLoad:
    """A PDU: its limits and its most loaded line. `is_partial`: it has no complete readings now.

    `daily_max_w`, `trend_w`: as of a rack, of its power.
    """

    key: str
    label: str
    rack: str | None
    rack_label: str | None
    feed: str | None
    feed_key: str | None
    breaker_a: float | None
    limit_a: float | None
    usable_va: float | None
    observed_a: ObservedLoad
    observed_w: ObservedLoad
    max_at_ms: Annotated[TimeMs | None, sent_as("max_at")]
    coverage: float
    is_partial: bool
    daily_max_w: Sequence[float | None]
    trend_w: float | None


@dataclass(frozen=True)
class PeakTrend:
    """The observed peak of a room, a row (key `ROOM/ROW`) or a feed (`ROOM/FEED`): as of a rack.

    The maxima of rows and feeds are of the means of minutes.
    """

    key: str
    daily_max_w: Sequence[float | None]
    trend_w: float | None


@dataclass(frozen=True)
class ModelChoice:
    """A model to add, a node to remove, or a feed or room that can fail."""

    key: str
    label: str
    rack: str | None = None


@dataclass(frozen=True)
class CapacityView:
    """Everything the capacity page shows at once."""

    now_ms: Annotated[TimeMs, sent_as("now")]
    site: SiteName
    window: WindowView
    racks_title: str
    pdus_title: str
    racks: Sequence[RackLoad]
    pdus: Sequence[PduLoad]
    rooms: Sequence[PeakTrend]
    rows: Sequence[PeakTrend]
    feeds: Sequence[PeakTrend]
    models: Sequence[ModelChoice]
    nodes: Sequence[ModelChoice]
    failures: Sequence[ModelChoice]


def capacity_view(page: CapacityPage) -> CapacityView:
    """Return the capacity page."""
    facility = page.facility
    rows = {row.key: row for row in page.racks}
    partial = _partial(page.live)
    racks = [_rack(page, rack, rows[rack.key], partial) for rack in facility.racks.values()]
    pdus = [_pdu(page, row, partial) for row in page.pdus]
    return CapacityView(
        now_ms=page.now_ms,
        site=site_name(facility, None),
        window=WindowView.of(page.window),
        racks_title=text.racks_title(
            {r.label: (r.observed_w.max, r.capacity_w) for r in racks}, [r.label for r in racks if r.is_partial]
        ),
        pdus_title=text.pdus_title(
            {p.label: (p.observed_a.max, p.limit_a) for p in pdus}, [p.label for p in pdus if p.is_partial]
        ),
        racks=racks,
        pdus=pdus,
        rooms=_trends(page.daily.rooms),
        rows=_trends(page.daily.rows),
        feeds=_trends(page.daily.feeds),
        models=[ModelChoice(model.key, model.title) for model in facility.models.values()],
        nodes=_removable(facility),
        failures=_failures(facility),
    )


def _partial(live: Snapshot | None) -> set[str]:
    """Return `rack/KEY` and `pdu/KEY` of everything of which a part is missing now."""
    if live is None:
        return set()
    groups = {"rack": live.racks, "pdu": live.pdus}
    return {f"{kind}/{key}" for kind, group in groups.items() for key, now in group.items() if now.power.is_partial}


def _rack(page: CapacityPage, rack: Rack, row: HeadroomRow, partial: Container[str]) -> RackLoad:
    facility, daily = page.facility, page.daily.racks[rack.key]
    nodes = facility.nodes_in(rack.key)
    models = [facility.model_of(node) for node in nodes]
    room = facility.rooms.get(rack.room) if rack.room else None
    return RackLoad(
        key=rack.key,
        label=rack.title,
        room=room.title if room else rack.room,
        room_key=rack.room,
        row=rack.row,
        margin_pct=site_margin_pct(facility, rack),
        model=_common(facility, nodes),
        nodes=len(nodes),
        capacity_w=rack.capacity_w,
        rated_w=_sum([m.rated_w if m else None for m in models]),
        budget_w=_sum([m.budget_w if m else None for m in models]),
        observed_w=row.observed_w,
        max_at_ms=row.max_at_ms,
        coverage=row.coverage,
        is_partial=f"rack/{rack.key}" in partial,
        daily_max_w=daily,
        trend_w=peak_trend(daily),
    )


def _trends(daily: Mapping[str, DailyMax]) -> list[PeakTrend]:
    return [PeakTrend(key, each, peak_trend(each)) for key, each in sorted(daily.items())]


def _pdu(page: CapacityPage, row: HeadroomRow, partial: Container[str]) -> PduLoad:
    facility, daily = page.facility, page.daily.pdus[row.key]
    device = facility.devices[row.key]
    rack = facility.racks.get(device.rack) if device.rack else None
    return PduLoad(
        key=row.key,
        label=row.label,
        rack=rack.key if rack else None,
        rack_label=rack.title if rack else None,
        feed=device.feed,
        feed_key=facility.feed_of(device),
        breaker_a=device.breaker.amps if device.breaker else None,
        limit_a=row.limit_a,
        usable_va=row.usable_va,
        observed_a=row.observed_a,
        observed_w=row.observed_w,
        max_at_ms=row.max_at_ms,
        coverage=row.coverage,
        is_partial=f"pdu/{row.key}" in partial,
        daily_max_w=daily,
        trend_w=peak_trend(daily),
    )


def _removable(facility: Facility) -> list[ModelChoice]:
    """Return what can be removed: nodes, and shared supplies instead of the nodes that share them."""
    found = []
    for node in facility.nodes.values():
        supply = facility.supply_of(node.key)
        if supply is None or len(supply.nodes) == 1:
            found.append(ModelChoice(node.key, node.title, node.rack))
        elif node.key == supply.nodes[0]:
            found.append(ModelChoice(supply.key, f"{supply.title} ({len(supply.nodes)} nodes)", node.rack))
    return found


def _failures(facility: Facility) -> list[ModelChoice]:
    """Return what can fail besides a PDU: whole feeds and rooms, as what-if requests name them."""
    fed = {key: device for device in facility.devices.values() if (key := facility.feed_of(device))}
    feeds = []
    for key, device in sorted(fed.items()):
        room = facility.rooms.get(key.rpartition("/")[0])
        feeds.append(ModelChoice(f"feed:{key}", f"Feed {device.feed} of {room.title}" if room else f"Feed {key}"))
    rooms = {rack.room for rack in facility.racks.values() if rack.room}
    return feeds + [ModelChoice(f"room:{key}", r.title) for key in sorted(rooms) if (r := facility.rooms.get(key))]


def _common(facility: Facility, nodes: Sequence[Node]) -> str | None:
    """Return the title of the model that a rack holds most of."""
    found = Counter(model.title for node in nodes if (model := facility.model_of(node)))
    return found.most_common(1)[0][0] if found else None


def _sum(parts: Sequence[float | None]) -> float | None:
    """Return the sum; None unless there are parts and all are known."""
    known = [p for p in parts if p is not None]
    return sum(known) if parts and len(known) == len(parts) else None
