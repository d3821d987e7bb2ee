"""How many more nodes fit into every rack: the answers of `rack_capacity`, from few reads."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from app.domain.timeseries import TimeWindow
from app.errors import Invalid
from app.services.capacity.capacity_levels import question
from app.services.capacity.capacity_loads import DECLARED, BasisName, CapacityLoads, read_capacity_loads
from app.services.capacity.rack_fit import (
    RackCapacity,
    each_watts,
    fit,
    model_for,
    rack_capacity,
    site_margin_pct,
)
from app.services.capacity.stores import CapacityStores
from app.store.facility import Facility, Model, Rack
from collectors.contract import DAY_MS

RACK_DAYS = 10
"""So many racks of one day are read at once, fewer of a longer window: their samples have to fit into memory."""
Thing = TypeVar("Thing")


@dataclass(frozen=True)
class NoRackCapacity:
    """A rack without an answer, and why."""

    rack: str
    why: str


@dataclass(frozen=True)
class RackFits:
    """A part of all racks, in the order of their keys. `next`: the cursor of the next part."""

    items: Sequence[RackCapacity | NoRackCapacity]
    next: str | None


def rack_fits(
    stores: CapacityStores,
    view: TimeWindow,
    basis: BasisName,
    margin_pct: float | None,
    limit: int | None = None,
    cursor: str | None = None,
) -> RackFits:
    """Return how many more nodes fit into each rack, or a part of all racks, as `rack_capacity` does for one."""
    facility = stores.facility.at(view.end_ms)
    racks = [rack for key, rack in sorted(facility.racks.items()) if cursor is None or key > cursor]
    part = racks[:limit]
    at_once = max(1, RACK_DAYS * DAY_MS // view.length_ms)
    items: list[RackCapacity | NoRackCapacity] = []
    for first in range(0, len(part), at_once):
        items += _answers(stores, facility, part[first : first + at_once], view, basis, margin_pct)
    return RackFits(items, part[-1].key if len(racks) > len(part) else None)


def _answers(
    stores: CapacityStores,
    facility: Facility,
    racks: Sequence[Rack],
    view: TimeWindow,
    basis: BasisName,
    margin_pct: float | None,
) -> Iterator[RackCapacity | NoRackCapacity]:
    """Yield the answer of each rack; a model that was not measured in its rack is looked for by `rack_capacity`."""
    loads = read_capacity_loads(stores, [rack.key for rack in racks], basis, view)
    for rack in racks:
        try:
            model = model_for(facility, rack)
            own = _of_rack(loads, rack.key)
            if basis in DECLARED or _is_measured(own, rack, model):
                margin = site_margin_pct(facility, rack) if margin_pct is None else margin_pct
                yield fit(question(own, rack, model, each_watts(own, model), margin))
            else:
                yield rack_capacity(stores, rack.key, view, basis, margin_pct, model.key)
        except Invalid as problem:
            yield NoRackCapacity(rack.key, problem.detail)


def _is_measured(loads: CapacityLoads, rack: Rack, model: Model) -> bool:
    nodes = loads.facility.nodes_in(rack.key)
    return any(loads.node_w.get(node.key) is not None for node in nodes if node.model == model.key)


def _of_rack(loads: CapacityLoads, rack: str) -> CapacityLoads:
    """Return the loads as they would be read for one rack alone."""
    devices = set(loads.devices_in(rack))
    nodes = {node.key for node in loads.facility.nodes_in(rack)}
    return replace(
        loads,
        racks=_only(loads.racks, [rack]),
        node_w=_only(loads.node_w, nodes),
        unlisted_w=_only(loads.unlisted_w, [rack]),
        loads=[load for load in loads.loads if any(device in devices for device, _ in load.cords)],
        pdus=_only(loads.pdus, devices),
        circuits=_only(loads.circuits, devices),
        factors=_only(loads.factors, devices),
        series=_only(loads.series, devices),
    )


def _only(things: Mapping[str, Thing], keys: Collection[str]) -> dict[str, Thing]:
    return {key: thing for key, thing in things.items() if key in keys}
