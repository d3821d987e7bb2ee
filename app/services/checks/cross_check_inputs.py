"""The two sides of every check: their series, and the accuracies that the meters declare."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.domain.checks import LEAST_MS, LEAST_W, Side
from app.domain.energy import mean_w
from app.domain.timeseries import Curve, TimeWindow, add, window
from app.services.energy import (
    BRANCH,
    COMPONENT,
    INLET,
    LINE,
    OUTLET,
    WHOLE,
    EnergyStores,
    NodePower,
    curves_of,
    read_node_power,
)
from app.store.facility import Facility, History
from app.store.timeseries import SeriesInfo
from collectors.contract import Quantity


@dataclass(frozen=True)
class Meters:
    """A PDU's power series by place, and their curves; `before`: the branch meter of its circuit."""

    device: str
    rack: str | None
    inlets: Sequence[SeriesInfo]
    lines: Sequence[SeriesInfo]
    branches: Sequence[SeriesInfo]
    outlets: Sequence[SeriesInfo]
    before: Side | None
    curves: Mapping[str, Curve]


@dataclass(frozen=True)
class NodeLoad:
    """A node, or a shared supply with all its nodes: power at its cords, by its BMCs, by its components."""

    key: str
    rack: str | None
    wall: Side
    bmc: Side | None
    components: Side | None

    @property
    def reported(self) -> Side | None:
        """Power as the node itself reports it, which its wall should follow."""
        return self.bmc or self.components


def meters_of(stores: EnergyStores, facility: Facility, view: TimeWindow, rack: str | None) -> Iterator[Meters]:
    """Yield every PDU or meter (of a rack) with its power readings."""
    for device in facility.devices.values():
        if device.kind not in ("pdu", "meter") or (rack is not None and device.rack != rack):
            continue
        power = [s for s in stores.frames.series(device.key) if s.quantity is Quantity.POWER]
        inlets, lines, branches, outlets = (
            [s for s in power if kind.fullmatch(s.point)] for kind in (INLET, LINE, BRANCH, OUTLET)
        )
        if inlets and (lines or branches or outlets or device.branches):
            keys = [s.key for s in (*inlets, *lines, *branches, *outlets)]
            curves = curves_of(stores.frames.read(keys, view.start_ms, view.end_ms))
            before = _before(stores, device.branches, view)
            yield Meters(device.key, device.rack, inlets, lines, branches, outlets, before, curves)


def loads_of(stores: EnergyStores, facility: Facility, view: TimeWindow, rack: str | None) -> list[NodeLoad]:
    """Return every node with cords (of a rack); those of a shared supply as one, because it is split by their BMCs."""
    found = []
    keys = [n.key for n in facility.nodes.values() if rack is None or n.rack == rack]
    for key in keys:
        supply = facility.supply_of(key)
        members = supply.nodes if supply else (key,)
        if key != members[0] or not facility.powering(key):
            continue
        powers = {n: read_node_power(stores, n, view.start_ms, view.end_ms) for n in members}
        series = {s.key: s for device in _devices(facility, members) for s in stores.frames.series(device)}
        found.append(_load(facility, supply.key if supply else key, members, powers, series))
    return found


def _before(stores: EnergyStores, points: Sequence[str], view: TimeWindow) -> Side | None:
    """Return the sum of points of a branch meter; empty where one of them reports no power."""
    if not points:
        return None
    reported = {
        f"{s.device}/{s.point}": s
        for d in {p.partition("/")[0] for p in points}
        for s in stores.frames.series(d)
        if s.quantity is Quantity.POWER
    }
    if not reported.keys() >= set(points):
        return Side("branch meter", Curve.empty())
    infos = [reported[point] for point in points]
    samples = stores.frames.read([s.key for s in infos], view.start_ms, view.end_ms)
    return side("branch meter", infos, curves_of(samples))


def side(name: str, infos: Sequence[SeriesInfo], curves: Mapping[str, Curve]) -> Side:
    """Return the sum of some series."""
    return Side(name, add([curves[s.key] for s in infos]), _accuracy(infos), _resolution(infos), _constant_w(infos))


@dataclass(frozen=True)
class Stray:
    """An outlet that powers no node: its mean power since it powers none [W], and the covered time."""

    key: str
    mean_w: float
    covered_ms: int


def strays(stores: EnergyStores, facility: Facility, view: TimeWindow, rack: str | None) -> Iterator[Stray]:
    """Yield outlets that power no node but carry power, of PDUs that power nodes."""
    until = _used_until(stores.facility.history(), view)
    used = {feed.key for node in facility.nodes for feed in facility.powering(node)}
    for device in sorted({key.partition("/")[0] for key in used} & set(facility.devices)):
        if rack is not None and facility.devices[device].rack != rack:
            continue
        series = stores.frames.series(device)
        idle = [s for s in series if s.quantity is Quantity.POWER and OUTLET.fullmatch(s.point)]
        idle = [s for s in idle if f"{s.device}/{s.point}" not in used]
        curves = curves_of(stores.frames.read([s.key for s in idle], view.start_ms, view.end_ms))
        for info in idle:
            key = f"{info.device}/{info.point}"
            start_ms = until.get(key, view.start_ms)
            curve = window(curves[info.key], start_ms, view.end_ms)
            mean = mean_w(curve, start_ms, view.end_ms)
            if curve.covered_ms >= LEAST_MS and mean >= LEAST_W:
                yield Stray(key, mean, curve.covered_ms)


def _used_until(history: History, view: TimeWindow) -> Mapping[str, int]:
    """Return by point until when in the window a node was connected to it."""
    moments = [view.start_ms, *history.between(view.start_ms, view.end_ms), view.end_ms]
    found: dict[str, int] = {}
    for start_ms, end_ms in pairwise(moments):
        then = history.at(start_ms)
        found |= {feed.key: end_ms for node in then.nodes for feed in then.powering(node)}
    return found


def _devices(facility: Facility, nodes: Sequence[str]) -> list[str]:
    fed_by = {feed.device for node in nodes for feed in facility.powering(node)}
    return sorted(fed_by | {d.key for d in facility.devices.values() if d.node in nodes})


def _load(
    facility: Facility,
    key: str,
    nodes: Sequence[str],
    powers: Mapping[str, NodePower],
    series: Mapping[str, SeriesInfo],
) -> NodeLoad:
    feeds = [series.get(f"{feed.key}:power") for feed in facility.powering(nodes[0])]
    several = len(nodes) > 1
    curves = [powers[nodes[0]].feeds.get(f.key, Curve.empty()) for f in facility.powering(nodes[0])]
    at_wall = add(curves) if several else powers[nodes[0]].wall
    wall = Side("wall", at_wall, _accuracy(feeds), _resolution(feeds), _constant_w(feeds))
    bmcs = [power.bmc for power in powers.values()]
    parts = [power.components for power in powers.values()]
    kind_of = {d.key: d.kind for d in facility.devices.values() if d.node in nodes}
    power = [s for s in series.values() if s.quantity is Quantity.POWER]
    bmc = [s for s in power if kind_of.get(s.device) == "bmc" and _is_whole(s)]
    pieces = [s for s in power if kind_of.get(s.device) == "exporter" and COMPONENT.fullmatch(s.point)]
    kinds = sorted({s.point.partition("/")[0].upper() for s in pieces})
    name = f"Σ {' + '.join(kinds)}" if kinds else "components"
    return NodeLoad(
        key,
        facility.nodes[nodes[0]].rack,
        wall,
        _side_of("BMC" if not several else "Σ BMC", bmcs, bmc),
        _side_of(name, parts, pieces),
    )


def _side_of(name: str, curves: Sequence[Curve | None], infos: Sequence[SeriesInfo]) -> Side | None:
    """Return the sum over the nodes; None where one of them reports nothing."""
    known = [curve for curve in curves if curve is not None]
    if not known or len(known) < len(curves):
        return None
    return Side(name, add(known), _accuracy(infos), _resolution(infos), _constant_w(infos))


def _is_whole(info: SeriesInfo) -> bool:
    return info.point in WHOLE or info.point.startswith("psu/")


def _accuracy(infos: Sequence[SeriesInfo | None]) -> float | None:
    """Return the worst declared accuracy; None where a meter declares none."""
    declared = [info.accuracy_pct if info else None for info in infos]
    known = [pct for pct in declared if pct is not None and not math.isnan(pct)]
    return max(known) if known and len(known) == len(declared) else None


def _constant_w(infos: Sequence[SeriesInfo | None]) -> float:
    return sum(info.accuracy_abs or 0.0 for info in infos if info)


def _resolution(infos: Sequence[SeriesInfo | None]) -> float:
    return sum(info.resolution or 0.0 for info in infos if info)
