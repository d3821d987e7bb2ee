"""Everything the capacity page shows at once; what fits into each rack it asks rack by rack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.timeseries import TimeWindow
from app.presentation.capacity import capacity as words
from app.services.capacity import HeadroomRow, ObservedLoad, headroom_rows
from app.services.facility import SiteName, site_name
from app.services.pages.rack import WindowView
from app.services.pages.stores import PageStores
from app.store.facility import Facility, Rack


@dataclass(frozen=True)
class RackLoad:
    """A rack: what its supply may carry, what its nodes are rated for, what was reserved, what was seen [W]."""

    key: str
    label: str
    room: str | None
    nodes: int
    capacity_w: float | None
    rated_w: float | None
    budget_w: float | None
    observed_w: ObservedLoad
    max_at_ms: int | None
    coverage: float


@dataclass(frozen=True)
class PduLoad:
    """A PDU: its limits and its most loaded line."""

    key: str
    label: str
    rack: str | None
    rack_label: str | None
    feed: str | None
    breaker_a: float | None
    limit_a: float | None
    usable_va: float | None
    observed_a: ObservedLoad
    observed_w: ObservedLoad
    max_at_ms: int | None
    coverage: float


@dataclass(frozen=True)
class ModelChoice:
    """Something that may be added, taken away or failed."""

    key: str
    label: str
    rack: str | None = None


@dataclass(frozen=True)
class CapacityView:
    """Everything the capacity page shows at once."""

    now_ms: int
    site: SiteName
    window: WindowView
    racks_title: str
    pdus_title: str
    racks: Sequence[RackLoad]
    pdus: Sequence[PduLoad]
    models: Sequence[ModelChoice]
    nodes: Sequence[ModelChoice]


def capacity_view(stores: PageStores, view: TimeWindow) -> CapacityView:
    """The capacity page."""
    facility = stores.facility.at(view.end_ms)
    seen = {row.key: row for row in headroom_rows(stores, "rack", view.start_ms, view.end_ms)}
    racks = [_rack(facility, rack, seen[rack.key]) for rack in facility.racks.values()]
    pdus = [_pdu(facility, row) for row in headroom_rows(stores, "pdu", view.start_ms, view.end_ms)]
    return CapacityView(
        now_ms=stores.now_ms(),
        site=site_name(facility, None),
        window=WindowView(view.label, view.start_ms, view.end_ms),
        racks_title=words.racks_title({r.label: (r.observed_w.max, r.capacity_w) for r in racks}),
        pdus_title=words.pdus_title({p.label: (p.observed_a.max, p.limit_a) for p in pdus}),
        racks=racks,
        pdus=pdus,
        models=[ModelChoice(model.key, model.title) for model in facility.models.values()],
        nodes=_removable(facility),
    )


def _rack(facility: Facility, rack: Rack, row: HeadroomRow) -> RackLoad:
    nodes = facility.nodes_in(rack.key)
    models = [facility.model_of(node) for node in nodes]
    room = facility.rooms.get(rack.room) if rack.room else None
    return RackLoad(
        key=rack.key,
        label=rack.title,
        room=room.title if room else rack.room,
        nodes=len(nodes),
        capacity_w=rack.capacity_w,
        rated_w=_sum([m.rated_w if m else None for m in models]),
        budget_w=_sum([m.budget_w if m else None for m in models]),
        observed_w=row.observed_w,
        max_at_ms=row.max_at_ms,
        coverage=row.coverage,
    )


def _pdu(facility: Facility, row: HeadroomRow) -> PduLoad:
    device = facility.devices[row.key]
    rack = facility.racks.get(device.rack) if device.rack else None
    return PduLoad(
        key=row.key,
        label=row.label,
        rack=rack.key if rack else None,
        rack_label=rack.title if rack else None,
        feed=device.feed,
        breaker_a=device.breaker.amps if device.breaker else None,
        limit_a=row.limit_a,
        usable_va=row.usable_va,
        observed_a=row.observed_a,
        observed_w=row.observed_w,
        max_at_ms=row.max_at_ms,
        coverage=row.coverage,
    )


def _removable(facility: Facility) -> list[ModelChoice]:
    """Nodes, and supplies in the place of the nodes that share them."""
    found = []
    for node in facility.nodes.values():
        supply = facility.supply_of(node.key)
        if supply is None or len(supply.nodes) == 1:
            found.append(ModelChoice(node.key, node.title, node.rack))
        elif node.key == supply.nodes[0]:
            found.append(ModelChoice(supply.key, f"{supply.title} ({len(supply.nodes)} nodes)", node.rack))
    return found


def _sum(parts: Sequence[float | None]) -> float | None:
    """None unless every part is known, and where there is none."""
    known = [p for p in parts if p is not None]
    return sum(known) if parts and len(known) == len(parts) else None
