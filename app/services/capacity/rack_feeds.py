"""The feeds of a rack: each line of each PDU against its breaker, now and with one feed gone."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.domain.capacity import Failover, FailoverCord, FailoverPdu, dead_lines, fail, moves, phase_imbalance_pct
from app.domain.energy import statistics
from app.domain.timeseries import Curve, TimeWindow, add
from app.services.capacity.stores import CapacityStores
from app.services.energy import BRANCH, INLET, LINE, NodePower, curves_of
from app.services.timeseries import LatestReadings
from app.store.facility import Device, Facility
from app.store.timeseries import SeriesInfo
from collectors.contract import Quantity


@dataclass(frozen=True)
class FeedReadings:
    """The PDUs, meters and UPSs in a rack, their series, and the curves of their lines and inlets."""

    devices: Sequence[Device]
    series: Mapping[str, Sequence[SeriesInfo]]
    curves: Mapping[str, Curve]


@dataclass(frozen=True)
class BreakerLimit:
    """A PDU's breaker [A per line] and its limit for continuous load."""

    breaker_a: float
    limit_a: float


@dataclass(frozen=True)
class LineState:
    """One line [A]: now, the highest of the window, and what it would carry if a feed failed."""

    name: str
    now_a: float | None
    max_a: float | None
    failover_a: Mapping[str, float | None]


@dataclass(frozen=True)
class PduState:
    """One PDU of the rack. `carried_w`: the highest power it would carry if a feed failed."""

    key: str
    feed: str | None
    t_ms: int | None
    silent: bool
    breaker_a: float | None
    limit_a: float | None
    lines: Sequence[LineState]
    power_w: float | None
    apparent_va: float | None
    power_factor: float | None
    imbalance_pct: float | None
    carried_w: Mapping[str, float | None]


@dataclass(frozen=True)
class RackFeeds:
    """The feeds of a rack. `failovers` is empty where a single feed supplies the rack."""

    devices: Sequence[Device] = ()
    pdus: Sequence[PduState] = ()
    limits: Mapping[str, BreakerLimit] = field(default_factory=dict)
    failovers: Mapping[str, Failover] = field(default_factory=dict)


def read_feeds(stores: CapacityStores, facility: Facility, rack: str, view: TimeWindow) -> FeedReadings:
    """Read what the feeds of a rack are computed from."""
    devices = [d for d in facility.devices.values() if d.rack == rack and d.kind in ("pdu", "meter", "ups")]
    series: dict[str, list[SeriesInfo]] = defaultdict(list)
    for info in stores.frames.series([d.key for d in devices]) if devices else ():
        series[info.device].append(info)
    wanted = [info.key for infos in series.values() for info in infos if _is_of_feed(info)]
    return FeedReadings(devices, series, curves_of(stores.frames.read(wanted, view.start_ms, view.end_ms)))


def _is_of_feed(info: SeriesInfo) -> bool:
    if info.quantity is Quantity.CURRENT:
        return bool(LINE.fullmatch(info.point) or BRANCH.fullmatch(info.point))
    return info.quantity is Quantity.POWER and bool(INLET.fullmatch(info.point))


def rack_feeds(
    facility: Facility,
    rack: str,
    readings: FeedReadings,
    powers: Mapping[str, NodePower],
    latest: LatestReadings,
    view: TimeWindow,
) -> RackFeeds:
    """Return the feeds of a rack."""
    devices = readings.devices
    points = {d.key: _line_points(readings.series.get(d.key, ()), _fed(facility, rack, d.key)) for d in devices}
    measured = {d.key: _measured(d, points[d.key], readings) for d in devices}
    limits = {d.key: BreakerLimit(d.breaker.amps, d.breaker.amps * d.breaker.derating) for d in devices if d.breaker}
    found = _failovers(facility, devices, measured, powers, view)
    pdus = [_pdu(d, measured[d.key], points[d.key], limits.get(d.key), latest, found, view) for d in devices]
    return RackFeeds(devices, pdus, limits, found)


def _fed(facility: Facility, rack: str, device: str) -> list[str]:
    """Return the points of a device that power nodes of this rack, in their order."""
    points = {f.point for n in facility.nodes_in(rack) for f in facility.powering(n.key) if f.device == device}
    return sorted(points, key=lambda p: (len(p), p))


def _line_points(series: Sequence[SeriesInfo], fed: Sequence[str]) -> dict[str, str]:
    """Return the points behind a breaker by name: the lines of the inlet, or the branches that power this rack."""
    known = [s.point for s in series if s.quantity is Quantity.CURRENT]
    lines = {f"L{m['line']}": p for p in known if (m := LINE.fullmatch(p))}
    branches = {f"B{m['branch']}": p for p in fed if p in known and (m := BRANCH.fullmatch(p))}
    return dict(sorted(lines.items())) or branches


def _measured(device: Device, points: Mapping[str, str], readings: FeedReadings) -> FailoverPdu:
    infos = readings.series.get(device.key, ())
    inlets = [i.key for i in infos if i.quantity is Quantity.POWER and INLET.fullmatch(i.point)]
    lines = {name: readings.curves[f"{device.key}/{point}:current"] for name, point in points.items()}
    return FailoverPdu(device.key, device.feed or "", add([readings.curves[key] for key in inlets]), lines)


def _failovers(
    facility: Facility,
    devices: Sequence[Device],
    pdus: Mapping[str, FailoverPdu],
    powers: Mapping[str, NodePower],
    view: TimeWindow,
) -> dict[str, Failover]:
    """Return the failure of each feed, where a node or shared supply has cords on more than one."""
    feeds = sorted({d.feed for d in devices if d.feed})
    cords = failover_cords(facility, {d.key: d for d in devices}, {key: power.feeds for key, power in powers.items()})
    if not moves(cords):
        return {}
    needs = failover_needs(facility)
    found = {f: fail(cords, list(pdus.values()), f, view.start_ms, view.end_ms, needs) for f in feeds}
    return {f: replace(one, lost=nodes_of(facility, one.lost)) for f, one in found.items()}


def failover_needs(facility: Facility) -> dict[str, int]:
    """Return by shared supply how many of its cords are enough to carry it."""
    return {s.key: s.psus.n for s in facility.supplies.values() if s.psus}


def failover_cords(
    facility: Facility, devices: Mapping[str, Device], feeds: Mapping[str, Mapping[str, Curve]]
) -> list[FailoverCord]:
    """Return the cords of nodes on these devices with their power; those of a shared supply once, as the supply's."""
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
    """Return the nodes of loads; a shared supply is all of its nodes."""
    supplies = facility.supplies
    return tuple(sorted({n for load in loads for n in (supplies[load].nodes if load in supplies else (load,))}))


def _pdu(
    device: Device,
    measured: FailoverPdu,
    points: Mapping[str, str],
    limit: BreakerLimit | None,
    latest: LatestReadings,
    found: Mapping[str, Failover],
    view: TimeWindow,
) -> PduState:
    now = {name: latest.value(f"{device.key}/{point}:current") for name, point in points.items()}
    dead = dead_lines(now, {name: latest.value(f"{device.key}/{point}:voltage") for name, point in points.items()})
    has_three = device.breaker is not None and device.breaker.phases == 3
    now = {name: None if name in dead else amps for name, amps in now.items() if has_three or name not in dead}
    lines = [
        LineState(n, now[n], _max(measured.lines.get(n), view), {f: _after(x, device.key, n) for f, x in found.items()})
        if n not in dead
        else LineState(n, None, None, {})
        for n in now
    ]
    currents = [a for n, a in now.items() if a is not None and n.startswith("L")]
    imbalance = phase_imbalance_pct(currents) if len(currents) == len(now) >= 2 else math.nan
    power, va = (_inlet(latest, device.key, q) for q in (Quantity.POWER, Quantity.APPARENT_POWER))
    return PduState(
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
        carried_w={f: _known(x.power_w.get(device.key)) for f, x in found.items()},
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


def _known(x: float | None) -> float | None:
    return None if x is None or math.isnan(x) else x
