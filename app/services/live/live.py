"""Live power from the latest readings, computed once a second however many clients are connected."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from app.errors import NotFound
from app.services.devices import DEFAULT_INTERVAL_S
from app.services.energy import COMPONENT, INLET, WHOLE, Source, pdus_in
from app.services.live.stores import LiveStores
from app.services.timeseries import GRACE_MS, LatestReading, LatestReadings, read_latest
from app.store.alerts import AlertCounts
from app.store.facility import Device, Facility, Node, Rack, SharedSupply
from collectors.contract import Quantity

LOOK_EVERY_MS = 950
MISSED_POLLS = 3

Values = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Snapshot:
    """The state at one moment: nodes and racks with power [W] and the time of their oldest reading, devices with the
    time of their latest reading and a state, and how many alerts are active (None: unchanged).
    """

    t_ms: int
    nodes: Values
    racks: Values
    devices: Values
    alerts: AlertCounts | None = None

    def only(self, wanted: LiveFilter) -> Snapshot:
        """Return the requested part."""
        return Snapshot(
            self.t_ms,
            _among(self.nodes, wanted.nodes),
            _among(self.racks, wanted.racks),
            _among(self.devices, wanted.devices),
            self.alerts,
        )

    def since(self, before: Snapshot) -> Snapshot:
        """Return what has changed."""
        return Snapshot(
            self.t_ms,
            _changed(self.nodes, before.nodes),
            _changed(self.racks, before.racks),
            _changed(self.devices, before.devices),
            None if self.alerts == before.alerts else self.alerts,
        )

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing in it."""
        return not (self.nodes or self.racks or self.devices or self.alerts)

    def to_wire(self) -> dict[str, Any]:
        """Return the data of an event."""
        data = {"t": self.t_ms, "nodes": self.nodes, "racks": self.racks, "devices": self.devices}
        return data if self.alerts is None else data | {"alerts": asdict(self.alerts)}


@dataclass(frozen=True)
class LiveFilter:
    """The requested keys; None is all of them."""

    nodes: Collection[str] | None = None
    racks: Collection[str] | None = None
    devices: Collection[str] | None = None


@dataclass
class LiveView:
    """The latest snapshot, shared by all clients. Safe to share between threads."""

    stores: LiveStores
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _newest: tuple[Snapshot, LatestReadings] | None = None

    def snapshot(self) -> Snapshot:
        """Return the latest snapshot, at most a second old."""
        return self.current()[0]

    def current(self) -> tuple[Snapshot, LatestReadings]:
        """Return the latest snapshot, at most a second old, and the readings it was computed from."""
        with self._lock:
            now_ms = self.stores.now_ms()
            if self._newest is None or not 0 <= now_ms - self._newest[0].t_ms < LOOK_EVERY_MS:
                latest = read_latest(self.stores)
                self._newest = take(self.stores, latest), latest
            return self._newest


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
    return LiveFilter(nodes, {rack} if rack else set(), devices | ({device} if device else set()))


def take(stores: LiveStores, latest: LatestReadings | None = None) -> Snapshot:
    """Return the state now, by the latest readings (read unless given)."""
    now_ms = stores.now_ms()
    facility = stores.facility.at(now_ms)
    newest = _Newest(facility, latest or read_latest(stores))
    nodes = {node.key: newest.node(node) for node in facility.nodes.values()}
    racks = {rack.key: newest.rack(rack, nodes) for rack in facility.racks.values()}
    devices = {device.key: newest.device(device, now_ms) for device in facility.devices.values()}
    return Snapshot(now_ms, nodes, racks, devices, stores.alerts.counts())


class _Newest:
    """The latest readings of a facility."""

    def __init__(self, facility: Facility, found: LatestReadings) -> None:
        self._facility = facility
        self._found = found

    def node(self, node: Node) -> dict[str, Any]:
        """Return a node's power by the best source that has current readings."""
        feeds = self._facility.powering(node.key)
        power = _sum([self._found.readings.get(f"{feed.key}:power") for feed in feeds])
        supply = self._facility.supply_of(node.key)
        if supply is not None:
            power = self._share(supply, node.key, power)
        if power["power_w"] is not None:
            kinds = {self._facility.devices[f.device].kind for f in feeds if f.device in self._facility.devices}
            return power | {"source": "meter" if kinds == {"meter"} else "pdu"}
        rest: tuple[tuple[Source, list[LatestReading]], ...] = (
            ("bmc", self._of_bmc(node.key)),
            ("components", self._of_components(node.key)),
        )
        for source, readings in rest:
            found = _sum(readings)
            if found["power_w"] is not None:
                return found | {"source": source}
        return power | {"source": None}

    def rack(self, rack: Rack, nodes: Values) -> dict[str, Any]:
        """Return a rack's power: all inlets of its PDUs, else all its nodes."""
        pdus = pdus_in(self._facility, rack.key)
        inlets = [[r for r in self._power(d.key) if INLET.fullmatch(r.series.point)] for d in pdus]
        if pdus and all(inlets):
            return _sum([r for readings in inlets for r in readings])
        keys = {node.key for node in self._facility.nodes_in(rack.key)}
        unsplit = self._facility.unsplit_among(keys)
        single = keys - {node for supply in unsplit for node in supply.nodes}
        inside = [nodes[key] for key in sorted(single)]
        inside += [_sum([self._found.readings.get(f"{f}:power") for f in supply.feeds]) for supply in unsplit]
        known = [one for one in inside if one["power_w"] is not None]
        if not known or len(known) < len(inside):
            return {"power_w": None, "t": min((one["t"] for one in known), default=None)}
        return {"power_w": sum(one["power_w"] for one in known), "t": min(one["t"] for one in known)}

    def device(self, device: Device, now_ms: int) -> dict[str, Any]:
        """Return when a device last reported, and whether it still responds: ok, silent, or never."""
        t_ms = max((r.t_ms for r in self._found.on(device.key)), default=None)
        patience_ms = MISSED_POLLS * 1000 * (device.interval_s or DEFAULT_INTERVAL_S) + GRACE_MS
        state: Literal["ok", "silent", "never"] = "never"
        if t_ms is not None:
            state = "ok" if now_ms - t_ms <= patience_ms else "silent"
        return {"t": t_ms, "state": state}

    def _share(self, supply: SharedSupply, node: str, whole: dict[str, Any]) -> dict[str, Any]:
        """Return a node's share of a shared supply, by its split."""
        bmcs = {other: _sum(self._of_bmc(other)) for other in supply.nodes}
        weights = {other: one["power_w"] for other, one in bmcs.items() if one["power_w"] is not None}
        times = [whole["t"]]
        if len(supply.nodes) == 1 or supply.split == "equal":
            share: float | None = 1.0 / len(supply.nodes)
        elif supply.split == "bmc" and len(weights) == len(supply.nodes) and sum(weights.values()) > 0:
            share = weights[node] / sum(weights.values())
            times += [one["t"] for one in bmcs.values()]
        else:
            share = None
        if share is None or whole["power_w"] is None:
            return {"power_w": None, "t": whole["t"]}
        return {"power_w": whole["power_w"] * share, "t": min(times)}

    def _power(self, device: str) -> list[LatestReading]:
        return [r for r in self._found.on(device) if r.series.quantity is Quantity.POWER]

    def _of_bmc(self, node: str) -> list[LatestReading]:
        power = [r for d in self._facility.devices_of(node, "bmc") for r in self._power(d.key)]
        for point in WHOLE:
            if whole := [r for r in power if r.series.point == point]:
                return whole[:1]
        return [r for r in power if r.series.point.startswith("psu/")]

    def _of_components(self, node: str) -> list[LatestReading]:
        power = [r for d in self._facility.devices_of(node, "exporter") for r in self._power(d.key)]
        return [r for r in power if COMPONENT.fullmatch(r.series.point)]


def _sum(readings: list[LatestReading] | list[LatestReading | None]) -> dict[str, Any]:
    """Return the sum of readings and the time of the oldest; None unless all of them are current."""
    known = [r for r in readings if r is not None and r.value is not None]
    t_ms = min((r.t_ms for r in readings if r is not None), default=None)
    if not readings or len(known) < len(readings):
        return {"power_w": None, "t": t_ms}
    return {"power_w": sum(r.value for r in known if r.value is not None), "t": t_ms}


def _among(values: Values, keys: Collection[str] | None) -> Values:
    return values if keys is None else {key: value for key, value in values.items() if key in keys}


def _changed(values: Values, before: Values) -> Values:
    return {key: value for key, value in values.items() if before.get(key) != value}
