"""The load of every level of some racks if nodes were added or removed, or PDUs failed."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal

from app.domain.capacity import Addition, Pdu, Supposed, suppose
from app.domain.timeseries import Curve, TimeWindow, add, scale
from app.models import Window
from app.services.capacity.capacity_loads import BasisName, CapacityLoads, constant, read_capacity_loads
from app.services.capacity.rack_feeds import nodes_of
from app.services.capacity.stores import CapacityStores
from app.services.capacity.what_if_fit import AdditionFit, addition_fits
from app.services.capacity.what_if_request import PlacedNode, WhatIfRequest, checked, failed_devices, placed

State = Literal["ok", "over", "trips", "failed", "unknown"]


@dataclass(frozen=True)
class LevelChange:
    """A limit before and after, in its unit; None where not known.

    Attributes
    ----------
    state: of `after`: above its limit (over), above the breaker itself (trips), without power (failed).
    """

    level: str
    key: str
    unit: str
    limit: float | None
    before: float | None
    after: float | None
    state: State


@dataclass(frozen=True)
class Trip:
    """A line that would carry more than the rating of its breaker [A].

    `line` is "mean" where no line is measured: the mean of all lines by the power, which the fullest carries at least.
    """

    pdu: str
    line: str
    current_a: float
    breaker_a: float


@dataclass(frozen=True)
class WhatIf:
    """The answer.

    Attributes
    ----------
    lost: nodes that would lose power at once. lost_after_trips: with tripped breakers too, until nothing more trips.
    failed: every device that fails. placed: the added nodes with their cords.
    """

    basis: BasisName
    window: Window
    levels: Sequence[LevelChange]
    trips: Sequence[Trip]
    lost: Sequence[str]
    lost_after_trips: Sequence[str]
    failed: Sequence[str] = field(default=())
    placed: Sequence[PlacedNode] = field(default=())


@dataclass(frozen=True)
class EvaluatedWhatIf(WhatIf):
    """The answer, and whether each addition fits."""

    fits: Sequence[AdditionFit] = field(default=())


def what_if(
    stores: CapacityStores,
    asked: WhatIfRequest,
    basis: BasisName,
    view: TimeWindow,
    margin_pct: float | None = None,
) -> EvaluatedWhatIf:
    """Return what fits, every level's load before and after, what would trip, and which nodes would lose power.

    `margin_pct`: kept by what is added; that of the site of its rack unless given.

    Raises
    ------
    Invalid
        With everything in the request that does not exist or is not possible.
    """
    racks = checked(stores.facility.at(view.end_ms), asked)
    loads = read_capacity_loads(stores, racks, basis, view, [one.model for one in asked.add])
    new = placed(loads, asked)
    additions = [Addition(one.key, one.cords, one.power_w) for one in new]
    failed = failed_devices(loads.facility, asked.fail)
    pdus = list(loads.pdus.values())
    after = suppose(pdus, loads.loads, additions, asked.removed_loads, failed)
    trips = _trips(loads, after)
    in_the_end = _lost_in_the_end(loads, additions, asked.removed_loads, failed, trips)
    return EvaluatedWhatIf(
        basis=basis,
        window=view,
        levels=[*_racks(loads, asked, new, after.lost), *_circuits(loads, after, failed)],
        trips=trips,
        lost=nodes_of(loads.facility, after.lost),
        lost_after_trips=nodes_of(loads.facility, in_the_end),
        failed=sorted(failed),
        placed=new,
        fits=addition_fits(loads, asked, new, margin_pct),
    )


def _racks(
    loads: CapacityLoads, asked: WhatIfRequest, new: Sequence[PlacedNode], lost: Collection[str]
) -> list[LevelChange]:
    rows = []
    for key, curve in loads.racks.items():
        rack = loads.facility.racks[key]
        gone = [_drawn(loads, one, key) for one in {*asked.removed_loads, *lost}]
        more = math.fsum(one.power_w for one in new if one.rack == key and one.key not in lost)
        after = add([curve, *(scale(one, -1.0) for one in gone if one is not None), constant(more, loads.view)])
        rows.append(_level("rack", key, "W", rack.capacity_w, loads.figure(curve), loads.figure(after)))
    return rows


def _drawn(loads: CapacityLoads, load: str, rack: str) -> Curve | None:
    """Return what a load draws of a rack's power; None where it is in another rack."""
    supply = loads.facility.supplies.get(load)
    nodes = [n for n in (supply.nodes if supply else (load,)) if n in loads.facility.nodes]
    if not nodes or loads.facility.nodes[nodes[0]].rack != rack:
        return None
    hung = next((one for one in loads.loads if one.key == load), None)
    if hung is not None:
        return add([power for _, power in hung.cords])
    known = [w for n in nodes if (w := loads.node_w.get(n)) is not None]
    return constant(math.fsum(known), loads.view)


def _circuits(loads: CapacityLoads, after: Supposed, failed: Collection[str]) -> list[LevelChange]:
    rows = []
    for key, pdu in loads.pdus.items():
        circuit = loads.circuits.get(key)
        factor = loads.factors[key]
        carried = after.pdus.get(key)
        limit_va, limit_a, breaker = (circuit.limit_va, circuit.limit_a, circuit.amps) if circuit else (None,) * 3
        before, then = (loads.figure(one.power) / factor if one else math.nan for one in (pdu, carried))
        breaker_va = circuit.limit_va / circuit.derating if circuit else None
        rows.append(_level("pdu", key, "VA", limit_va, before, then, breaker_va, failed=key in failed))
        for name in pdu.lines:
            before, then = (loads.figure(one.lines[name]) if one else math.nan for one in (pdu, carried))
            rows.append(_level("line", f"{key}/{name}", "A", limit_a, before, then, breaker, failed=key in failed))
    return rows


def _level(
    level: str,
    key: str,
    unit: str,
    limit: float | None,
    before: float,
    after: float,
    breaker: float | None = None,
    *,
    failed: bool = False,
) -> LevelChange:
    state: State = "ok"
    if failed:
        after, state = 0.0, "failed"
    elif math.isnan(after):
        state = "unknown"
    elif breaker is not None and after > breaker:
        state = "trips"
    elif limit is not None and after > limit:
        state = "over"
    known = [None if math.isnan(x) else x for x in (before, after)]
    return LevelChange(level, key, unit, limit, known[0], known[1], state)


def _trips(loads: CapacityLoads, after: Supposed) -> list[Trip]:
    found = []
    for key, carried in after.pdus.items():
        if (circuit := loads.circuits.get(key)) is None:
            continue
        lines = {name: loads.figure(line) for name, line in carried.lines.items()}
        if all(math.isnan(amps) for amps in lines.values()):
            lines = {"mean": loads.figure(carried.power) * loads.pdus[key].amps_per_watt}
        found += [Trip(key, name, amps, circuit.amps) for name, amps in lines.items() if amps > circuit.amps]
    return found


def _lost_in_the_end(
    loads: CapacityLoads,
    additions: Sequence[Addition],
    removed: Collection[str],
    failed: Collection[str],
    trips: Sequence[Trip],
) -> tuple[str, ...]:
    """Return the nodes without power once tripped breakers have moved their load, until nothing more trips."""
    gone = set(failed)
    pdus: list[Pdu] = list(loads.pdus.values())
    found = suppose(pdus, loads.loads, additions, removed, gone)
    while more := {trip.pdu for trip in trips if _breaks_all(trip)} - gone:
        gone |= more
        found = suppose(pdus, loads.loads, additions, removed, gone)
        trips = _trips(loads, found)
    return found.lost


def _breaks_all(trip: Trip) -> bool:
    """Return whether a trip disconnects the whole PDU: a line of the inlet does, a branch only itself."""
    return not trip.line.startswith("B")
