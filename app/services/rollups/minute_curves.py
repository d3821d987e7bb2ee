"""The curves that minute rollups are computed from, over times without a change of the facility."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property

from app.domain.timeseries import Curve, add
from app.services.energy import (
    INLET,
    LINE,
    OUTLET,
    curves_of,
    pdus_in,
    point_powers,
    power_series,
    prefetch_readings,
    read_node_power,
)
from app.services.rollups.stores import RollupStores
from app.store.facility import Device, Facility
from app.store.timeseries import SeriesInfo
from collectors.contract import Quantity


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


class UnchangedFacility:
    """A time in which the facility did not change, and its readings.

    Curves reach to the ends of that time; none depends on which others are computed.
    """

    def __init__(self, stores: RollupStores, what: Affected, start_ms: int, end_ms: int) -> None:
        self.start_ms, self.end_ms = start_ms, end_ms
        self.facility = stores.facility.at(start_ms)
        racks = {key for key, rack in self.facility.racks.items() if rack.room in what.rooms or rack.site in what.sites}
        self._racks = racks | set(what.racks)
        self.what = what
        devices, fed = self._devices(), self._cords()
        self._stores = prefetch_readings(stores, lambda i: i.device in devices and _is_needed(i, fed), start_ms, end_ms)
        self._curves: dict[str, Curve] = {}

    def curves(self) -> dict[str, Curve]:
        """Return the curve of every affected node, PDU and line, by subject."""
        found = {f"node/{node}:power": self._node(node) for node in self.what.nodes}
        for device in self.what.devices:
            found |= self._pdu(device)
        return found

    @cached_property
    def racks(self) -> Mapping[str, Curve]:
        """The curve of every affected rack, and of all others in the same rooms and sites."""
        return {rack: self._rack(rack) for rack in self._racks}

    def sums(self, members: Iterable[str]) -> dict[str, Curve]:
        """Return the curve of every affected rack, room and site.

        Rooms and sites are the sums of their racks among `members`.
        """
        counted = [self.facility.racks[r] for r in sorted(self._racks & set(members)) if r in self.facility.racks]
        found = {f"rack/{rack}:power": self.racks[rack] for rack in self.what.racks}
        for room in self.what.rooms:
            found[f"room/{room}:power"] = add([self.racks[r.key] for r in counted if r.room == room])
        for site in self.what.sites:
            found[f"site/{site}:power"] = add([self.racks[r.key] for r in counted if r.site == site])
        return found

    def _devices(self) -> set[str]:
        nodes = set(self.what.nodes) | {n.key for n in self.facility.nodes.values() if n.rack in self._racks}
        feeding = {feed.device for node in nodes for feed in self.facility.powering(node)}
        sharers = {other for node in nodes if (s := self.facility.supply_of(node)) for other in s.nodes}
        known = nodes | sharers
        own = {d.key for d in self.facility.devices.values() if d.node in known or d.rack in self._racks}
        return feeding | own | self.what.devices

    def _cords(self) -> set[str]:
        """Return every outlet with a cord, as `device/point`."""
        own = {feed.key for feeds in self.facility.feeds.values() for feed in feeds}
        return own | {feed for supply in self.facility.supplies.values() for feed in supply.feeds}

    def _node(self, key: str) -> Curve:
        """Return the power of a node from its cords, else its BMC; from its components only if it has neither."""
        subject = f"node/{key}:power"
        if subject not in self._curves:
            power = read_node_power(self._stores, key, self.start_ms, self.end_ms)
            partial = power.source == "components" and (power.feeds or power.bmc is not None)
            self._curves[subject] = Curve.empty() if partial else power.total
        return self._curves[subject]

    def _rack(self, key: str) -> Curve:
        pdus = pdus_in(self.facility, key)
        inlets = [self._inlets(pdu.key) for pdu in pdus]
        if pdus and all(inlets):
            return add([self._power(info) for infos in inlets for info in infos])
        nodes = {node.key for node in self.facility.nodes_in(key)}
        unsplit = self.facility.unsplit_among(nodes)
        single = sorted(nodes - {node for supply in unsplit for node in supply.nodes})
        whole = [self._at(feed) for supply in unsplit for feed in supply.feeds]
        return add([self._node(node) for node in single] + whole)

    def _inlets(self, device: str) -> list[SeriesInfo]:
        series = self._stores.frames.series(device)
        return power_series(series, lambda info: INLET.fullmatch(info.point) is not None)

    def _at(self, point: str) -> Curve:
        """Return the power at `device/point`."""
        series = self._stores.frames.series(point.partition("/")[0])
        found = power_series(series, lambda info: f"{info.device}/{info.point}" == point)
        return self._power(found[0]) if found else Curve.empty()

    def _power(self, info: SeriesInfo) -> Curve:
        """Return the power of a series, or derived from a register."""
        if info.key not in self._curves:
            self._curves |= point_powers(self._stores, [info], self.start_ms, self.end_ms)
        return self._curves[info.key]

    def _pdu(self, device: str) -> dict[str, Curve]:
        lines = [s.key for s in self._stores.frames.series(device) if LINE.fullmatch(s.point)]
        found = {f"line/{key}": self._series(key) for key in lines}
        if inlets := self._inlets(device):
            found[f"pdu/{device}:power"] = add([self._power(info) for info in inlets])
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
