"""The feeds of a rack: each line of each PDU against its breaker, now and with one feed gone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.domain.capacity import Failover, FailoverCord, FailoverPdu, fail, moves, phase_imbalance_pct
from app.domain.energy import statistics
from app.domain.timeseries import Curve, TimeWindow, add
from app.presentation.facility import FeedsState, Limit
from app.presentation.facility import feeds as words
from app.presentation.text import kw, num, pct
from app.services.capacity.stores import CapacityStores
from app.services.energy import BRANCH, INLET, LINE, NodePower, curves_of
from app.services.timeseries import LatestReadings
from app.store.facility import Device, Facility
from app.store.timeseries import SeriesInfo
from collectors.contract import Quantity


@dataclass(frozen=True)
class LineNow:
    """One line [A]: now, the highest of the window, and what it would carry if a feed failed."""

    name: str
    now_a: float | None
    max_a: float | None
    failover_a: Mapping[str, float | None]


@dataclass(frozen=True)
class PduNow:
    """One PDU of the rack."""

    key: str
    feed: str | None
    t_ms: int | None
    silent: bool
    breaker_a: float | None
    limit_a: float | None
    lines: Sequence[LineNow]
    power_w: float | None
    apparent_va: float | None
    power_factor: float | None
    imbalance_pct: float | None
    failover_text: Mapping[str, str]


@dataclass(frozen=True)
class FeedsView:
    """The feeds panel. `failover` is empty where a single feed supplies the rack."""

    pdus: Sequence[PduNow] = ()
    measured: FeedsState | None = None
    failover: Mapping[str, FeedsState] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    window: str = ""
    empty: Mapping[str, str] | None = None


def rack_feeds(
    stores: CapacityStores,
    facility: Facility,
    rack: str,
    powers: Mapping[str, NodePower],
    latest: LatestReadings,
    view: TimeWindow,
) -> FeedsView:
    """The feeds panel of a rack."""
    devices = [d for d in facility.devices.values() if d.rack == rack and d.kind in ("pdu", "meter", "ups")]
    if not devices:
        return FeedsView(
            empty={"what": "No PDU stands in this rack", "why": "A device with rack = this rack is shown here."}
        )
    points = {d.key: _line_points(stores.frames.series(d.key), _fed(facility, rack, d.key)) for d in devices}
    supplies = {d.key: _supply(stores, d, points[d.key], view) for d in devices}
    limits = {d.key: Limit(d.breaker.amps, d.breaker.amps * d.breaker.derating) for d in devices if d.breaker}
    found = _failovers(facility, devices, supplies, powers, view)
    states = {feed: words.failed(f, limits, view.label) for feed, f in found.items()}
    pdus = [_pdu(d, supplies[d.key], points[d.key], limits.get(d.key), latest, found, view) for d in devices]
    loads = {p.key: max((x.now_a for x in p.lines if x.now_a is not None), default=math.nan) for p in pdus}
    return FeedsView(
        pdus=pdus,
        measured=words.measured(loads, limits, list(states.values()), _basis(devices)),
        failover=states,
        notes=_notes(devices, bool(states)),
        window=view.label,
    )


def _fed(facility: Facility, rack: str, device: str) -> list[str]:
    """The points of a device that power nodes of this rack, in their order."""
    points = {f.point for n in facility.nodes_in(rack) for f in facility.powering(n.key) if f.device == device}
    return sorted(points, key=lambda p: (len(p), p))


def _line_points(series: Sequence[SeriesInfo], fed: Sequence[str]) -> dict[str, str]:
    """Name → point of what has a breaker: the lines of the inlet, or the branches that feed this rack."""
    known = [s.point for s in series if s.quantity is Quantity.CURRENT]
    lines = {f"L{m['line']}": p for p in known if (m := LINE.fullmatch(p))}
    branches = {f"B{m['branch']}": p for p in fed if p in known and (m := BRANCH.fullmatch(p))}
    return dict(sorted(lines.items())) or branches


def _supply(stores: CapacityStores, device: Device, points: Mapping[str, str], view: TimeWindow) -> FailoverPdu:
    series = stores.frames.series(device.key)
    lines = {name: f"{device.key}/{point}:current" for name, point in points.items()}
    inlets = [s.key for s in series if s.quantity is Quantity.POWER and INLET.fullmatch(s.point)]
    curves = curves_of(stores.frames.read([*lines.values(), *inlets], view.start_ms, view.end_ms))
    power = add([curves[key] for key in inlets])
    return FailoverPdu(device.key, device.feed or "", power, {name: curves[key] for name, key in lines.items()})


def _failovers(
    facility: Facility,
    devices: Sequence[Device],
    supplies: Mapping[str, FailoverPdu],
    powers: Mapping[str, NodePower],
    view: TimeWindow,
) -> dict[str, Failover]:
    """One a feed, where there is more than one and any node, or supply of nodes, hangs on both."""
    feeds = sorted({d.feed for d in devices if d.feed})
    cords = failover_cords(facility, {d.key: d for d in devices}, {key: power.feeds for key, power in powers.items()})
    if not moves(cords):
        return {}
    needs = failover_needs(facility)
    found = {f: fail(cords, list(supplies.values()), f, view.start_ms, view.end_ms, needs) for f in feeds}
    return {f: replace(one, lost=nodes_of(facility, one.lost)) for f, one in found.items()}


def failover_needs(facility: Facility) -> dict[str, int]:
    """Supply → how many of its cords carry it."""
    return {s.key: s.psus.n for s in facility.supplies.values() if s.psus}


def failover_cords(
    facility: Facility, devices: Mapping[str, Device], feeds: Mapping[str, Mapping[str, Curve]]
) -> list[FailoverCord]:
    """The cords of nodes on these devices, with their power by node and `device/point`; those of a shared supply once,
    as the supply's.
    """
    found = {}
    for node, power in feeds.items():
        supply = facility.supply_of(node)
        load = supply.key if supply else node
        for feed in facility.powering(node):
            curve = power.get(feed.key)
            if feed.device in devices and curve is not None:
                found[load, feed.key] = FailoverCord(load, devices[feed.device].feed or "", feed.device, curve)
    return list(found.values())


def nodes_of(facility: Facility, loads: Sequence[str]) -> tuple[str, ...]:
    """Loads as the nodes they are; a supply is all of its nodes."""
    supplies = facility.supplies
    return tuple(sorted({n for load in loads for n in (supplies[load].nodes if load in supplies else (load,))}))


def _pdu(
    device: Device,
    supply: FailoverPdu,
    points: Mapping[str, str],
    limit: Limit | None,
    latest: LatestReadings,
    found: Mapping[str, Failover],
    view: TimeWindow,
) -> PduNow:
    now = {name: latest.value(f"{device.key}/{point}:current") for name, point in points.items()}
    lines = [
        LineNow(n, now[n], _max(supply.lines.get(n), view), {f: _after(x, device.key, n) for f, x in found.items()})
        for n in points
    ]
    currents = [a for n, a in now.items() if a is not None and n.startswith("L")]
    imbalance = phase_imbalance_pct(currents) if len(currents) == len(now) >= 2 else math.nan
    power, va = (_inlet(latest, device.key, q) for q in (Quantity.POWER, Quantity.APPARENT_POWER))
    return PduNow(
        key=device.key,
        feed=device.feed,
        t_ms=latest.newest_ms(device.key),
        silent=all(r.value is None for r in latest.on(device.key)),
        breaker_a=limit.breaker_a if limit else None,
        limit_a=limit.limit_a if limit else None,
        lines=lines,
        power_w=power,
        apparent_va=va,
        power_factor=power / va if power is not None and va else None,
        imbalance_pct=None if math.isnan(imbalance) else imbalance,
        failover_text={f: _carries(x, device.key) for f, x in found.items()},
    )


def _inlet(latest: LatestReadings, device: str, quantity: Quantity) -> float | None:
    found = [r.value for r in latest.of([device], quantity) if INLET.fullmatch(r.series.point)]
    known = [v for v in found if v is not None]
    return sum(known) if found and len(known) == len(found) else None


def _max(curve: Curve | None, view: TimeWindow) -> float | None:
    top = statistics(curve, view.start_ms, view.end_ms).max if curve is not None else math.nan
    return None if math.isnan(top) else top


def _after(found: Failover, device: str, line: str) -> float | None:
    peak = found.lines.get(device, {}).get(line)
    return None if peak is None or math.isnan(peak.current_a) else peak.current_a


def _carries(found: Failover, device: str) -> str:
    watts = found.power_w.get(device)
    return "" if watts is None or math.isnan(watts) else f"carries up to {kw(watts)}"


def _basis(devices: Sequence[Device]) -> str:
    """What the circuits are: `measured, 208 V three-phase, 50 A breakers`."""
    kinds = {(b.volts, b.phases, b.amps) for d in devices if (b := d.breaker)}
    if len(kinds) != 1:
        return "measured"
    volts, phases, amps = next(iter(kinds))
    phase = "three-phase" if phases == 3 else "single-phase"
    return (
        f"measured, {num(volts)} V {phase}, {num(amps)} A breakers"
        if volts
        else f"measured, {phase}, {num(amps)} A breakers"
    )


def _notes(devices: Sequence[Device], redundant: bool) -> dict[str, str]:
    """What the marks mean, and what a single feed means."""
    factors = {(d.breaker.amps, d.breaker.derating) for d in devices if d.breaker}
    limit = ""
    if len(factors) == 1:
        amps, derating = next(iter(factors))
        share = (
            f"{pct(100 * derating)} of the {num(amps)} A breaker, applied once"
            if derating < 1
            else "the breaker's rating"
        )
        limit = f"Dashed: {num(amps * derating)} A, {share}. "
    elif factors:
        limit = "Dashed: breaker × derating. "
    alone = "" if redundant else "One feed supplies this rack: when it fails, its nodes lose power."
    spread = "The load moved to a PDU spreads over its lines as its present load does."
    return {
        "measured": limit + ("Dotted: highest load if a feed fails." if redundant else alone),
        "computed": f"{limit}Dotted: load now. Hatched: computed, not measured. {spread}",
    }
