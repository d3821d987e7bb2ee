"""Power now of nodes, PDUs, racks, rooms and sites, as far as their latest readings are current."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from app.domain.energy import KnownPower, MissingPart, PowerMember, known_power, total_power
from app.services.energy import BRANCH, COMPONENT, INLET, OUTLET, WHOLE, Source, pdus_in
from app.services.live.power_values import DerivedPower, NodeNow, SumNow
from app.services.timeseries import LatestReading, LatestReadings
from app.store.facility import Facility, Node, PowerConnection, Rack, SharedSupply
from collectors.contract import Quantity

NO_METER, REST, UNREAD = "wall", "rest", "unread"
"""`NODE/wall`: nothing measures the node. `NODE/rest`: only its components are measured. `DEVICE/unread`: the database
cannot read its readings now.
"""

LastValues = Mapping[str, tuple[float, int]]
"""`device/point` → last value [W] and its time [ms], where the newest frame of the device has none."""


class _Candidate(NamedTuple):
    """A way to measure a node, and whether any of its meters ever reported."""

    source: Source
    power: KnownPower
    was_read: bool


class PowerReader:
    """The power of everything in a facility by its latest readings."""

    def __init__(
        self,
        facility: Facility,
        latest: LatestReadings,
        now_ms: int,
        last: LastValues | None = None,
        derived: Mapping[str, DerivedPower] | None = None,
    ) -> None:
        self._facility = facility
        self._latest = latest
        self._now_ms = now_ms
        self._last = last or {}
        self._derived = derived or {}
        self._derived_points: dict[str, tuple[str, ...]] = {}
        for key in self._derived:
            device, _, point = key.partition("/")
            self._derived_points[device] = (*self._derived_points.get(device, ()), point)
        self._silent: dict[str, bool] = {}
        self._meters = {device.key for device in facility.devices.values() if device.kind == "meter"}

    def node(self, node: Node) -> NodeNow:
        """Return a node's power by the first source that is complete, else by the first that is known in part."""
        if (quick := self._by_cords(node.key)) is not None:  # of most nodes nothing else needs to be looked up
            return quick
        each = self._candidates(node)
        first = next(each)
        if first.was_read and first.power.power_w is not None:
            return NodeNow(first.power, first.source)
        candidates = [one for one in (first, *each) if one.power.is_measured]
        if not candidates:
            return NodeNow(KnownPower(None, None, (MissingPart(f"{node.key}/{NO_METER}"),)), None)
        usual = next((one for one in candidates if one.was_read), candidates[0])
        complete = (one for one in candidates if one.power.power_w is not None)
        partial = (one for one in candidates if one.power.known_w is not None)
        chosen = next(complete, None) or next(partial, None)
        if chosen is None:
            return NodeNow(usual.power, None)
        if chosen is usual:
            return NodeNow(chosen.power, chosen.source)
        power = chosen.power if chosen.source != "components" else _in_place(chosen.power, usual.power)
        return NodeNow(power, chosen.source, usual.source, usual.power.missing)

    def rack(self, rack: Rack, nodes: Mapping[str, NodeNow]) -> SumNow:
        """Return a rack's power: all inlets of its PDUs, else all its nodes."""
        by_nodes = self._by_nodes(rack, nodes)
        if (power := self._by_inlets(rack)) is None:
            return by_nodes
        whole, inside = power.power_w, by_nodes.power.power_w
        return SumNow(power, "inlets", other_w=None if whole is None or inside is None else whole - inside)

    def of_rack(self, rack: Rack) -> KnownPower:
        """Return a rack's power as `rack` does; its nodes are looked at only where it has no complete inlets."""
        if (power := self._by_inlets(rack)) is not None:
            return power
        return self._by_nodes(rack, {node.key: self.node(node) for node in self._facility.nodes_in(rack.key)}).power

    def _by_inlets(self, rack: Rack) -> KnownPower | None:
        """Return the sum of the inlets of a rack's PDUs; None where a PDU reports none."""
        inlets = [self._power_points(d.key, INLET) for d in pdus_in(self._facility, rack.key)]
        return self._sum([point for points in inlets for point in points]) if inlets and all(inlets) else None

    def device(self, key: str) -> SumNow:
        """Return the power of a PDU or meter: its inlets, else all its branches, else all its outlets."""
        for kind in (INLET, BRANCH, OUTLET):
            if found := self._power_points(key, kind):
                return SumNow(self._sum(found), "points")
        return SumNow(KnownPower(), "points")

    def _by_cords(self, node: str) -> NodeNow | None:
        """Return the power of a node whose own cords all have a current reading."""
        cords = self._facility.connections_of(node)
        if not cords or self._facility.supply_of(node) is not None:
            return None
        power = self._complete((cord.device, cord.point) for cord in cords)
        return None if power is None else NodeNow(power, self._source_of(cords))

    def _complete(self, points: Iterable[tuple[str, str]]) -> KnownPower | None:
        """Return the sum of points (device, point) that all have a current reading; None where one has none."""
        found, current = [], self._latest.current
        for device, point in points:
            now = current(device, point + ":power")
            if now is None:
                return None
            found.append(now)
        if not found:
            return None
        total_w, t_ms = math.fsum([watts for watts, _ in found]), min([at_ms for _, at_ms in found])
        return KnownPower(total_w, t_ms, (), total_w, t_ms)

    def _source_of(self, cords: Sequence[PowerConnection]) -> Source:
        known = [f.device for f in cords if f.device in self._facility.devices] if self._meters else []
        return "meter" if known and self._meters.issuperset(known) else "pdu"

    def _by_nodes(self, rack: Rack, nodes: Mapping[str, NodeNow]) -> SumNow:
        """Return the sum of a rack's nodes; a supply that cannot be split counts once."""
        keys = {node.key for node in self._facility.nodes_in(rack.key)}
        unsplit = self._facility.unsplit_among(keys)
        single = sorted(keys - {node for supply in unsplit for node in supply.nodes})
        parts = [nodes[key].power for key in single] + [self._sum(supply.feeds) for supply in unsplit]
        return SumNow(total_power(parts), "nodes", tuple(key for key in single if nodes[key].instead_of))

    def _candidates(self, node: Node) -> Iterator[_Candidate]:
        feeds = self._facility.powering(node.key)
        keys = [feed.key for feed in feeds]
        supply = self._facility.supply_of(node.key)
        wall = self._sum(keys)
        if supply is not None:
            wall = self._share(supply, node.key, wall)
        was_read = any(self._latest.get(f"{key}:power") is not None or key in self._derived for key in keys)
        yield _Candidate(self._source_of(feeds), wall, was_read)
        bmc = self._of_bmc(node.key)
        of_bmc = self._sum(bmc)
        if feeds and of_bmc.power_w == 0:  # a server whose BMC answers draws more: 0 W never replaces silent outlets
            of_bmc = KnownPower()
        yield _Candidate("bmc", of_bmc, bool(bmc))
        components = self._of_components(node.key)
        yield _Candidate("components", self._of_parts(node.key, components), bool(components))

    def _of_parts(self, node: str, components: Sequence[str]) -> KnownPower:
        """Return Σ GPU + CPU packages, which is never the whole node."""
        found = self._sum(components)
        rest = MissingPart(f"{node}/{REST}", None, found.t_ms)
        return replace(found, missing=(rest,), estimate_w=None) if components else KnownPower()

    def _share(self, supply: SharedSupply, node: str, whole: KnownPower) -> KnownPower:
        """Return a node's share of a shared supply, by its split; not measured where there can be none."""
        if len(supply.nodes) == 1 or supply.split == "equal":
            return whole.scaled(1.0 / len(supply.nodes))
        bmcs = {other: self._sum(self._of_bmc(other)) for other in supply.nodes}
        if supply.split == "none" or not all(one.is_measured for one in bmcs.values()):
            return KnownPower()
        weights = {other: one.power_w for other, one in bmcs.items() if one.power_w is not None}
        together = total_power([whole, *bmcs.values()])
        if len(weights) < len(bmcs) or sum(weights.values()) <= 0:
            lost = together.missing or (MissingPart(f"{node}/{NO_METER}"),)
            return KnownPower(None, together.t_ms, tuple(MissingPart(one.key, None, one.t_ms) for one in lost))
        share = whole.scaled(weights[node] / sum(weights.values()))
        return replace(share, t_ms=together.t_ms, known_ms=together.known_ms)

    def _sum(self, points: Iterable[str]) -> KnownPower:
        """Return the sum of points `device/point`."""
        each = list(points)
        if (power := self._complete((device, at) for device, _, at in (p.partition("/") for p in each))) is not None:
            return power
        return known_power([self._member(point) for point in each], self._now_ms)

    def _member(self, point: str) -> PowerMember:
        device = point.partition("/")[0]
        reading = self._latest.get(f"{point}:power")
        if reading is not None and reading.value is not None:
            return PowerMember(point, reading.value, reading.value, reading.t_ms)
        if reading is not None and not reading.is_read:
            return PowerMember(f"{device}/{UNREAD}", None)
        key = device if self._is_silent(device) else point
        if reading is None:
            return self._derived_member(point, key)
        if reading.last is not None:
            return PowerMember(key, None, reading.last, reading.t_ms)
        return PowerMember(key, None, *self._last.get(point, (None, reading.t_ms)))

    def _derived_member(self, point: str, missing_key: str) -> PowerMember:
        derived = self._derived.get(point)
        if derived is None:
            return PowerMember(missing_key, None)
        if derived.is_current:
            return PowerMember(point, derived.power_w, derived.power_w, derived.t_ms, derived.span_ms)
        return PowerMember(missing_key, None, derived.power_w, derived.t_ms)

    def _is_silent(self, device: str) -> bool:
        if device not in self._silent:
            self._silent[device] = self._latest.is_silent(device)
        return self._silent[device]

    def _power(self, device: str) -> list[LatestReading]:
        return self._latest.of([device], Quantity.POWER)

    def _power_points(self, device: str, kind: re.Pattern[str]) -> list[str]:
        """Return the points `device/point` of a kind whose power is measured or derived."""
        points = self._latest.points(device, Quantity.POWER) + self._derived_points.get(device, ())
        return [f"{device}/{point}" for point in points_like(kind, points)]

    def _of_bmc(self, node: str) -> list[str]:
        power = [r for d in self._facility.devices_of(node, "bmc") for r in self._power(d.key)]
        for point in WHOLE:
            if whole := [f"{r.device}/{point}" for r in power if r.series.point == point]:
                return whole[:1]
        return [f"{r.device}/{r.series.point}" for r in power if r.series.point.startswith("psu/")]

    def _of_components(self, node: str) -> list[str]:
        power = [r for d in self._facility.devices_of(node, "exporter") for r in self._power(d.key)]
        return [f"{r.device}/{r.series.point}" for r in power if COMPONENT.fullmatch(r.series.point)]


@lru_cache(maxsize=4096)
def points_like(kind: re.Pattern[str], points: tuple[str, ...]) -> tuple[str, ...]:
    """Return the points of a kind; found once for all devices that report the same points."""
    return tuple(point for point in points if kind.fullmatch(point))


def _in_place(components: KnownPower, usual: KnownPower) -> KnownPower:
    """Return the components as a lower bound of the usual source, with what that drew last."""
    known, estimate = components.known_w or 0.0, usual.estimate_w
    estimate = None if estimate is None or estimate < known else estimate
    return replace(components, missing=usual.missing, estimate_w=estimate)


def sum_of_racks(racks: Collection[SumNow]) -> SumNow:
    """Return the power of a room, a site, or the whole facility."""
    substitutes = sorted({node for rack in racks for node in rack.substitutes})
    return SumNow(total_power([rack.power for rack in racks]), "racks", tuple(substitutes))
