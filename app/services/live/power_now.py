"""Power now of nodes, PDUs, racks, rooms and sites, as far as their latest readings are current."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from app.domain.energy import KnownPower, MissingPart, PowerMember, known_power, total_power
from app.services.energy import BRANCH, COMPONENT, INLET, OUTLET, WHOLE, Source, pdus_in
from app.services.live.power_values import DerivedPower, NodeNow, SumNow
from app.services.timeseries import LatestReading, LatestReadings
from app.store.facility import Facility, Node, Rack, SharedSupply
from collectors.contract import Quantity

NO_METER, REST = "wall", "rest"
"""`NODE/wall`: nothing measures the node. `NODE/rest`: only its components are measured."""

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
        self._derived_points: dict[str, list[str]] = {}
        for key in self._derived:
            device, _, point = key.partition("/")
            self._derived_points.setdefault(device, []).append(point)
        self._silent: dict[str, bool] = {}

    def node(self, node: Node) -> NodeNow:
        """Return a node's power by the first source that is complete, else by the first that is known in part."""
        each = self._candidates(node)
        first = next(each)
        if first.was_read and first.power.power_w is not None:  # of most nodes nothing else needs to be looked up
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
        pdus = pdus_in(self._facility, rack.key)
        inlets = [[point for point in self._points(d.key) if INLET.fullmatch(point)] for d in pdus]
        by_nodes = self._by_nodes(rack, nodes)
        if not pdus or not all(inlets):
            return by_nodes
        power = self._sum([f"{d.key}/{point}" for d, points in zip(pdus, inlets, strict=True) for point in points])
        whole, inside = power.power_w, by_nodes.power.power_w
        return SumNow(power, "inlets", other_w=None if whole is None or inside is None else whole - inside)

    def device(self, key: str) -> SumNow:
        """Return the power of a PDU or meter: its inlets, else all its branches, else all its outlets."""
        points = self._points(key)
        for kind in (INLET, BRANCH, OUTLET):
            if found := [f"{key}/{point}" for point in points if kind.fullmatch(point)]:
                return SumNow(self._sum(found), "points")
        return SumNow(KnownPower(), "points")

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
        kinds = {self._facility.devices[f.device].kind for f in feeds if f.device in self._facility.devices}
        was_read = any(f"{key}:power" in self._latest.readings or key in self._derived for key in keys)
        yield _Candidate("meter" if kinds == {"meter"} else "pdu", wall, was_read)
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
        return known_power([self._member(point) for point in points], self._now_ms)

    def _member(self, point: str) -> PowerMember:
        device = point.partition("/")[0]
        reading = self._latest.readings.get(f"{point}:power")
        if reading is not None and reading.value is not None:
            return PowerMember(point, reading.value, reading.value, reading.t_ms)
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
            self._silent[device] = all(r.value is None for r in self._latest.on(device))
        return self._silent[device]

    def _points(self, device: str) -> list[str]:
        """Return the points of a device whose power is measured or derived."""
        return [r.series.point for r in self._power(device)] + self._derived_points.get(device, [])

    def _power(self, device: str) -> list[LatestReading]:
        return [r for r in self._latest.on(device) if r.series.quantity is Quantity.POWER]

    def _of_bmc(self, node: str) -> list[str]:
        power = [r for d in self._facility.devices_of(node, "bmc") for r in self._power(d.key)]
        for point in WHOLE:
            if whole := [f"{r.device}/{point}" for r in power if r.series.point == point]:
                return whole[:1]
        return [f"{r.device}/{r.series.point}" for r in power if r.series.point.startswith("psu/")]

    def _of_components(self, node: str) -> list[str]:
        power = [r for d in self._facility.devices_of(node, "exporter") for r in self._power(d.key)]
        return [f"{r.device}/{r.series.point}" for r in power if COMPONENT.fullmatch(r.series.point)]


def _in_place(components: KnownPower, usual: KnownPower) -> KnownPower:
    """Return the components as a lower bound of the usual source, with what that drew last."""
    known, estimate = components.known_w or 0.0, usual.estimate_w
    estimate = None if estimate is None or estimate < known else estimate
    return replace(components, missing=usual.missing, estimate_w=estimate)


def sum_of_racks(racks: Collection[SumNow]) -> SumNow:
    """Return the power of a room, a site, or the whole facility."""
    substitutes = sorted({node for rack in racks for node in rack.substitutes})
    return SumNow(total_power([rack.power for rack in racks]), "racks", tuple(substitutes))
