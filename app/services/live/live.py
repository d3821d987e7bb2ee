"""Live power from the latest readings: snapshots of everything, and which part of them a request selects."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar, cast

from app.domain.energy import KnownPower
from app.domain.timeseries import is_current
from app.errors import NotFound
from app.services.devices import DEFAULT_INTERVAL_S
from app.services.live.derived_values import derived_values
from app.services.live.last_values import last_values
from app.services.live.lines_now import BalanceNow, LinesNow, balance_now, lines_now
from app.services.live.live_values import DeviceState, LiveDevice, LiveValues
from app.services.live.power_now import PowerReader, sum_of_racks
from app.services.live.power_values import NodeNow, SumNow
from app.services.live.stores import LiveStores
from app.services.timeseries import GRACE_MS, LatestReadings, read_latest
from app.store.alerts import AlertCounts
from app.store.facility import Device, Facility

MISSED_POLLS = 3

V = TypeVar("V")
_METERS = ("pdu", "meter", "ups")


@dataclass(frozen=True, slots=True)
class DeviceNow:
    """When a device last reported, and whether it still responds."""

    t_ms: int | None
    state: DeviceState

    def to_wire(self) -> LiveDevice:
        """Return the JSON form."""
        return {"t": self.t_ms, "state": self.state}


@dataclass(frozen=True)
class RackPowers:
    """The power of nodes and racks at one moment."""

    nodes: Mapping[str, NodeNow]
    racks: Mapping[str, SumNow]


@dataclass(frozen=True)
class Snapshot:
    """The state at one moment: the power of nodes, racks, PDUs, rooms and sites, devices with the time of their latest
    reading and a state, line currents by device, their balance by rack, and how many alerts are active (None:
    unchanged).
    """

    t_ms: int
    nodes: Mapping[str, NodeNow]
    racks: Mapping[str, SumNow]
    pdus: Mapping[str, SumNow]
    rooms: Mapping[str, SumNow]
    sites: Mapping[str, SumNow]
    devices: Mapping[str, DeviceNow]
    lines: Mapping[str, LinesNow]
    balance: Mapping[str, BalanceNow]
    alerts: AlertCounts | None = None

    def only(self, wanted: LiveFilter) -> Snapshot:
        """Return the requested part."""
        return Snapshot(
            self.t_ms,
            _among(self.nodes, wanted.nodes),
            _among(self.racks, wanted.racks),
            _among(self.pdus, wanted.devices),
            self.rooms if wanted.racks is None else {},
            self.sites if wanted.racks is None else {},
            _among(self.devices, wanted.devices),
            {} if wanted.devices is None else _among(self.lines, wanted.devices),
            _among(self.balance, wanted.racks),
            self.alerts,
        )

    def since(self, before: Snapshot) -> Snapshot:
        """Return what has changed."""
        return Snapshot(
            self.t_ms,
            _changed(self.nodes, before.nodes),
            _changed(self.racks, before.racks),
            _changed(self.pdus, before.pdus),
            _changed(self.rooms, before.rooms),
            _changed(self.sites, before.sites),
            _changed(self.devices, before.devices),
            _changed(self.lines, before.lines),
            _changed(self.balance, before.balance),
            None if self.alerts == before.alerts else self.alerts,
        )

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing in it."""
        return not (any(self._groups().values()) or self.alerts)

    def to_wire(self) -> LiveValues:
        """Return the data of an event."""
        data: dict[str, Any] = {"t": self.t_ms}
        for name, group in self._groups().items():
            data[name] = {key: one.to_wire() for key, one in group.items()}
        return cast("LiveValues", data if self.alerts is None else data | {"alerts": asdict(self.alerts)})

    def _groups(self) -> dict[str, Mapping[str, NodeNow | SumNow | DeviceNow | LinesNow | BalanceNow]]:
        return {
            "nodes": self.nodes,
            "racks": self.racks,
            "pdus": self.pdus,
            "rooms": self.rooms,
            "sites": self.sites,
            "devices": self.devices,
            "lines": self.lines,
            "balance": self.balance,
        }


@dataclass(frozen=True)
class LiveFilter:
    """The requested keys; None is all of them."""

    nodes: frozenset[str] | None = None
    racks: frozenset[str] | None = None
    devices: frozenset[str] | None = None


def wanted(stores: LiveStores, rack: str | None, node: str | None, device: str | None) -> LiveFilter:
    """Return the keys that a request selects: a rack with its nodes and devices, a node with its devices.

    Raises
    ------
    NotFound
        A filter names an object that does not exist.
    """
    facility = stores.facility.now()
    for kind, key in (("rack", rack), ("node", node), ("device", device)):
        if key is not None and facility.get(kind, key) is None:
            raise NotFound(f"there is no {kind} {key!r}", f"GET /api/v1/{kind}s lists them")
    if rack is None and node is None and device is None:
        return LiveFilter()
    nodes = {n.key for n in facility.nodes_in(rack)} if rack else set()
    nodes |= {node} if node else set()
    devices = {d.key for d in facility.devices.values() if (rack and d.rack == rack) or d.node in nodes}
    devices |= {feed.device for key in nodes for feed in facility.powering(key)}
    devices |= {device} if device else set()
    return LiveFilter(frozenset(nodes), frozenset({rack} if rack else ()), frozenset(devices))


def take(stores: LiveStores, latest: LatestReadings | None = None) -> Snapshot:
    """Return the state now, by the latest readings (read unless given)."""
    now_ms = stores.now_ms()
    facility = stores.facility.at(now_ms)
    latest = latest or read_latest(stores)
    power = _power_reader(stores, facility, latest, now_ms)
    now = _rack_powers(facility, power)
    racks = now.racks
    lines = {key: found for key in facility.devices if (found := lines_now(key, latest)).amps}
    return Snapshot(
        now_ms,
        now.nodes,
        racks,
        {d.key: power.device(d.key) for d in facility.devices.values() if d.kind in _METERS},
        _grouped(facility.rooms, [(rack.room, racks[rack.key]) for rack in facility.racks.values()]),
        _grouped(facility.sites, [(rack.site, racks[rack.key]) for rack in facility.racks.values()]),
        {device.key: _device(device, latest, now_ms) for device in facility.devices.values()},
        lines,
        {rack: balance_now(facility, rack, lines, latest) for rack in racks},
        stores.alerts.counts(),
    )


def rack_powers(stores: LiveStores, facility: Facility, latest: LatestReadings) -> RackPowers:
    """Return the power now of every node and rack, without the rest of a snapshot."""
    return _rack_powers(facility, _power_reader(stores, facility, latest, stores.now_ms()))


def _power_reader(stores: LiveStores, facility: Facility, latest: LatestReadings, now_ms: int) -> PowerReader:
    last, derived = last_values(stores, facility, latest, now_ms), derived_values(stores, facility, latest)
    return PowerReader(facility, latest, now_ms, last, derived)


def _rack_powers(facility: Facility, power: PowerReader) -> RackPowers:
    nodes = {node.key: power.node(node) for node in facility.nodes.values()}
    return RackPowers(nodes, {rack.key: power.rack(rack, nodes) for rack in facility.racks.values()})


def racks_now(stores: LiveStores, facility: Facility, latest: LatestReadings) -> Mapping[str, KnownPower]:
    """Return the power now of every rack; nodes are looked at only in racks without complete inlets."""
    power = _power_reader(stores, facility, latest, stores.now_ms())
    return {rack.key: power.of_rack(rack) for rack in facility.racks.values()}


def _grouped(places: Iterable[str], racks: Iterable[tuple[str | None, SumNow]]) -> dict[str, SumNow]:
    inside: dict[str, list[SumNow]] = {place: [] for place in places}
    for place, rack in racks:
        if place in inside:
            inside[place].append(rack)
    return {place: sum_of_racks(found) for place, found in inside.items()}


def _device(device: Device, latest: LatestReadings, now_ms: int) -> DeviceNow:
    """Return when a device last reported, and whether it still responds: ok, silent, or never."""
    t_ms = latest.newest_ms(device.key)
    patience_ms = MISSED_POLLS * 1000 * (device.interval_s or DEFAULT_INTERVAL_S) + GRACE_MS
    if t_ms is None:
        return DeviceNow(None, "unread" if device.key in latest.unread else "never")
    return DeviceNow(t_ms, "ok" if is_current(t_ms, now_ms, patience_ms) else "silent")


def _among(values: Mapping[str, V], keys: Collection[str] | None) -> Mapping[str, V]:
    return values if keys is None else {key: value for key, value in values.items() if key in keys}


def _changed(values: Mapping[str, V], before: Mapping[str, V]) -> Mapping[str, V]:
    return {key: value for key, value in values.items() if before.get(key) != value}
