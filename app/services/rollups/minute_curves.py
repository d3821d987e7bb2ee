"""The curves that minute rollups are computed from, over times without a change of the facility."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from app.domain.timeseries import Curve, add
from app.services.energy import (
    INLET,
    LINE,
    OUTLET,
    PrefetchedStores,
    curves_of,
    parts_of_pdu,
    pdus_in,
    point_powers,
    power_series,
    prefetch_readings,
    read_node_power,
)
from app.services.rollups.stores import RollupStores
from app.store.facility import Device, Facility, StillFacility
from app.store.timeseries import SeriesInfo
from collectors.contract import Quantity

MOST_VALUES = 80_000
"""About how many values are read together: 0.6 MB, and thirty times that with what is made of them."""
_SERIES_OF_NODE, _SERIES_OF_PDU = 3, 5


@dataclass(frozen=True)
class Affected:
    """Keys of the objects that the readings of some devices contribute to, by kind."""

    nodes: frozenset[str] = frozenset()
    devices: frozenset[str] = frozenset()
    racks: frozenset[str] = frozenset()
    rooms: frozenset[str] = frozenset()
    sites: frozenset[str] = frozenset()

    def __or__(self, other: Affected) -> Affected:
        return Affected(*(getattr(self, f.name) | getattr(other, f.name) for f in fields(self)))


def affected(facility: Facility, devices: frozenset[str]) -> Affected:
    """Return everything that these devices contribute to in this facility."""
    nodes = frozenset(facility.nodes_metered_by(devices) & set(facility.nodes))
    meters = frozenset(d.key for d in facility.devices.values() if d.key in devices and is_pdu(d))
    places = [facility.nodes[n].rack for n in nodes] + [facility.devices[d].rack for d in meters]
    racks = frozenset(r for r in places if r in facility.racks)
    known = [facility.racks[r] for r in racks if r is not None]
    return Affected(
        nodes,
        meters,
        frozenset(str(r) for r in racks),
        frozenset(r.room for r in known if r.room),
        frozenset(r.site for r in known if r.site),
    )


def is_pdu(device: Device) -> bool:
    """Return whether headroom needs the inlets and lines of a device."""
    return device.kind == "pdu" or device.breaker is not None


@dataclass(frozen=True)
class RollupPart:
    """What is computed together: its objects have subjects of their own, `racks` are those that sums need."""

    what: Affected
    racks: frozenset[str]


def parts_of(facilities: Sequence[Facility], what: Affected, span_ms: int) -> list[RollupPart]:
    """Divide what is affected, and the racks of its rooms and sites, so that the readings of a part fit into memory."""
    racks = {
        key
        for facility in facilities
        for key, rack in facility.racks.items()
        if rack.room in what.rooms or rack.site in what.sites
    }
    groups: list[list[str]] = [[]]
    values = 0.0
    for key in sorted(racks | what.racks):
        more = max(values_of(facility, key, span_ms) for facility in facilities)
        if groups[-1] and values + more > MOST_VALUES:
            groups.append([])
            values = 0.0
        groups[-1].append(key)
        values += more
    left = what
    found = []
    for group in groups:
        part = RollupPart(_among(facilities, left, frozenset(group)), frozenset(group))
        left = Affected(left.nodes - part.what.nodes, left.devices - part.what.devices, left.racks - part.what.racks)
        found.append(part)
    last = found[-1]  # what is in no rack
    found[-1] = RollupPart(last.what | Affected(left.nodes, left.devices), last.racks)
    return found


def _among(facilities: Sequence[Facility], what: Affected, racks: frozenset[str]) -> Affected:
    """Return what is in some racks, at any of the times."""
    nodes = frozenset(node.key for one in facilities for rack in racks for node in one.nodes_in(rack))
    devices = frozenset(d.key for one in facilities for rack in racks for d in one.devices_in_rack(rack))
    return Affected(what.nodes & nodes, what.devices & devices, what.racks & racks)


def values_of(facility: Facility, rack: str, span_ms: int) -> float:
    """Return about how many values are read of a rack."""
    pdus = pdus_in(facility, rack)
    interval_s = min((d.interval_s for d in pdus if d.interval_s), default=10.0)
    series = _SERIES_OF_NODE * len(facility.nodes_in(rack)) + _SERIES_OF_PDU * len(pdus)
    return series * span_ms / 1000 / interval_s


class UnchangedFacility:
    """A time in which the facility did not change, and its readings.

    Curves reach to the ends of that time; none depends on which others are computed.
    """

    def __init__(
        self, stores: RollupStores, part: RollupPart, start_ms: int, end_ms: int, *, sums_only: bool = False
    ) -> None:
        self.start_ms, self.end_ms = start_ms, end_ms
        still = PrefetchedStores(stores.frames, StillFacility(stores.facility))
        self.facility = still.facility.at(start_ms)
        self._racks = {rack for rack in part.racks if rack in self.facility.racks}
        self.what = Affected() if sums_only else part.what
        devices, fed = self._devices(), self.facility.corded
        known = stores.frames.series(devices)
        inlets = self._by_inlets(known) if sums_only else frozenset()
        of_pdus = self._parts_of_pdus(known)

        def is_wanted(info: SeriesInfo) -> bool:
            if info.device in inlets and INLET.fullmatch(info.point) is None:
                return False
            if info.key in of_pdus:
                return True
            return _is_needed(info, fed) and not (sums_only and info.quantity is Quantity.CURRENT)

        self._stores = prefetch_readings(still, known, is_wanted, start_ms, end_ms)
        self._curves: dict[str, Curve] = {}

    def curves(self) -> dict[str, Curve]:
        """Return the curve of every affected node, PDU and line, by subject."""
        found = {f"node/{node}:power": self._node(node) for node in self.what.nodes}
        for device in self.what.devices:
            found |= self._pdu(device)
        return found

    @cached_property
    def racks(self) -> Mapping[str, Curve]:
        """The curve of every rack of the part."""
        return {rack: add(self.members(rack)) for rack in sorted(self._racks)}

    def members(self, rack: str) -> list[Curve]:
        """Return the curves that add up to a rack: its inlets, or its nodes where a PDU reports none."""
        pdus = pdus_in(self.facility, rack)
        inlets = [self._inlets(pdu.key) for pdu in pdus]
        if pdus and all(inlets):
            return [self._power(info) for infos in inlets for info in infos]
        nodes = {node.key for node in self.facility.nodes_in(rack)}
        unsplit = self.facility.unsplit_among(nodes)
        single = sorted(nodes - {node for supply in unsplit for node in supply.nodes})
        whole = [self._at(feed) for supply in unsplit for feed in supply.feeds]
        return [self._node(node) for node in single] + whole

    def _by_inlets(self, known: Sequence[SeriesInfo]) -> frozenset[str]:
        """Return the PDUs of the racks that are the sums of inlets."""
        pdus = {rack: [pdu.key for pdu in pdus_in(self.facility, rack)] for rack in self._racks}
        metered = {info.device for info in power_series(known, lambda info: INLET.fullmatch(info.point) is not None)}
        return frozenset(pdu for keys in pdus.values() if keys and metered.issuperset(keys) for pdu in keys)

    def _parts_of_pdus(self, known: Sequence[SeriesInfo]) -> frozenset[str]:
        """Return the keys of what adds up to the affected PDUs, which may be all outlets, used or not."""
        by_device: dict[str, list[SeriesInfo]] = defaultdict(list)
        for info in power_series([info for info in known if info.device in self.what.devices], lambda _: True):
            by_device[info.device].append(info)
        return frozenset(info.key for power in by_device.values() for info in parts_of_pdu(power))

    def _devices(self) -> set[str]:
        facility = self.facility
        nodes = set(self.what.nodes) | {node.key for rack in self._racks for node in facility.nodes_in(rack)}
        feeding = {feed.device for node in nodes for feed in facility.powering(node)}
        sharers = {other for node in nodes if (s := facility.supply_of(node)) for other in s.nodes}
        own = {d.key for node in nodes | sharers for d in facility.devices_at(node)}
        own |= {d.key for rack in self._racks for d in facility.devices_in_rack(rack)}
        return feeding | own | self.what.devices

    def _node(self, key: str) -> Curve:
        """Return the power of a node from its cords, else its BMC; from its components only if it has neither."""
        subject = f"node/{key}:power"
        if subject not in self._curves:
            power = read_node_power(self._stores, key, self.start_ms, self.end_ms)
            partial = power.source == "components" and (power.feeds or power.bmc is not None)
            self._curves[subject] = Curve.empty() if partial else power.total
        return self._curves[subject]

    def _power_series(self, device: str) -> list[SeriesInfo]:
        return power_series(self._stores.frames.series(device), lambda _: True)

    def _inlets(self, device: str) -> list[SeriesInfo]:
        return [info for info in self._power_series(device) if INLET.fullmatch(info.point)]

    def _at(self, point: str) -> Curve:
        """Return the power at `device/point`."""
        of_device = self._power_series(point.partition("/")[0])
        found = [info for info in of_device if f"{info.device}/{info.point}" == point]
        return self._power(found[0]) if found else Curve.empty()

    def _power(self, info: SeriesInfo) -> Curve:
        """Return the power of a series, or derived from a register."""
        if info.key not in self._curves:
            self._curves |= point_powers(self._stores, [info], self.start_ms, self.end_ms)
        return self._curves[info.key]

    def _pdu(self, device: str) -> dict[str, Curve]:
        lines = [s.key for s in self._stores.frames.series(device) if LINE.fullmatch(s.point)]
        found = {f"line/{key}": self._series(key) for key in lines}
        if parts := parts_of_pdu(self._power_series(device)):
            found[f"pdu/{device}:power"] = add([self._power(info) for info in parts])
        return found

    def _series(self, key: str) -> Curve:
        if key not in self._curves:
            self._curves |= curves_of(self._stores.frames.read([key], self.start_ms, self.end_ms))
        return self._curves[key]


def _is_needed(info: SeriesInfo, fed: Container[str]) -> bool:
    """Return whether a curve needs this series: line currents, and power or registers except of unused outlets."""
    if info.quantity is Quantity.CURRENT:
        return LINE.fullmatch(info.point) is not None
    is_outlet = OUTLET.fullmatch(info.point) is not None
    return info.quantity in (Quantity.POWER, Quantity.ENERGY) and (
        not is_outlet or f"{info.device}/{info.point}" in fed
    )
