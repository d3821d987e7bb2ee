"""Metric families of nodes, racks, devices, lines and outlets.

Caliber and source of a power are labels of an info metric: as labels of a counter they would begin a new counter
whenever a meter falls silent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric

from app.services.capacity import circuit_of
from app.services.energy import LINE, OUTLET, caliber
from app.services.live import NodeNow, Snapshot, SumNow
from app.services.timeseries import LatestReadings
from app.store.facility import Facility
from collectors.contract import Quantity

_OF_LINES = {
    Quantity.CURRENT: ("wattline_line_current_amperes", "Current of a line of an inlet now"),
    Quantity.POWER: ("wattline_line_power_watts", "Power of a line of an inlet now"),
}
_OF_OUTLETS = {
    Quantity.POWER: ("wattline_outlet_power_watts", "Power of an outlet now"),
    Quantity.CURRENT: ("wattline_outlet_current_amperes", "Current of an outlet now"),
}


@dataclass(frozen=True)
class FacilityNow:
    """The facility with its latest readings, and the energy counted of nodes and racks, by subject [J]."""

    facility: Facility
    snapshot: Snapshot
    latest: LatestReadings
    energies: Mapping[str, float]


def node_metrics(now: FacilityNow) -> Iterator[Metric]:
    """Yield power, energy, rating and description of the nodes."""
    power = GaugeMetricFamily(
        "wattline_node_power_watts", "Power of a node now, where complete", labels=["node", "source"]
    )
    rated = GaugeMetricFamily("wattline_node_rated_watts", "Rated power of the model of a node", labels=["node"])
    info = InfoMetricFamily("wattline_node", "Where a node is, and where its power comes from", labels=["node"])
    for key, node in now.facility.nodes.items():
        live = now.snapshot.nodes.get(key)
        source = live.source if live else None
        if live is not None and source is not None and live.power.power_w is not None:
            power.add_metric([key, source], live.power.power_w)
        model = now.facility.model_of(node)
        if model is not None and model.rated_w is not None:
            rated.add_metric([key], model.rated_w)
        is_partial = live is not None and live.power.known_w is not None and live.power.is_partial
        quality = "estimated" if is_partial else caliber(source, 1.0)
        about = {"rack": node.rack, "model": node.model, "source": source, "caliber": quality}
        info.add_metric([key], {name: value or "" for name, value in about.items()})
    yield from (power, rated, info, _energy("node", now))


def rack_metrics(now: FacilityNow) -> Iterator[Metric]:
    """Yield power, energy and capacity of the racks."""
    power = GaugeMetricFamily("wattline_rack_power_watts", "Power of a rack now, where complete", labels=["rack"])
    capacity = GaugeMetricFamily("wattline_rack_capacity_watts", "Declared capacity of a rack", labels=["rack"])
    for key, rack in now.facility.racks.items():
        live = now.snapshot.racks.get(key)
        watts = live.power.power_w if live else None
        if watts is not None:
            power.add_metric([key], watts)
        if rack.capacity_w is not None:
            capacity.add_metric([key], rack.capacity_w)
    yield from (power, capacity, _energy("rack", now))


def known_power_metrics(now: FacilityNow) -> Iterator[Metric]:
    """Yield what is known of every node, PDU, rack, room and site, and what is missing."""
    labels = ["level", "key"]
    known = GaugeMetricFamily(
        "wattline_known_power_watts", "Sum of current readings; a lower bound while a part is missing", labels=labels
    )
    missing = GaugeMetricFamily("wattline_missing_parts", "Parts without a current reading", labels=labels)
    last = GaugeMetricFamily(
        "wattline_last_known_power_watts", "Last power of the missing parts, of the last 24 h", labels=labels
    )
    when = GaugeMetricFamily(
        "wattline_last_known_timestamp_seconds", "Time of the oldest of these last powers", labels=labels
    )
    for level in ("node", "pdu", "rack", "room", "site"):
        group: Mapping[str, NodeNow | SumNow] = getattr(now.snapshot, f"{level}s")
        for key, power in ((key, one.power) for key, one in group.items()):
            if power.known_w is not None:
                known.add_metric([level, key], power.known_w)
            if power.is_measured:
                missing.add_metric([level, key], len(power.missing))
            if power.last_known_w is not None and power.last_known_ms is not None:
                last.add_metric([level, key], power.last_known_w)
                when.add_metric([level, key], power.last_known_ms / 1000)
    yield from (known, missing, last, when)


def _energy(kind: str, now: FacilityNow) -> Metric:
    family = CounterMetricFamily(
        f"wattline_{kind}_energy_joules",
        f"Measured energy of a {kind} since this server was first asked, from whole minutes",
        labels=[kind],
    )
    for key in getattr(now.facility, f"{kind}s"):
        if (joules := now.energies.get(f"{kind}/{key}:power")) is not None:
            family.add_metric([key], joules)
    return family


def device_metrics(now: FacilityNow) -> Iterator[Metric]:
    """Yield the state, the place and the limits of the devices."""
    newest = GaugeMetricFamily(
        "wattline_device_last_reading_timestamp_seconds", "Time of the latest reading of a device", labels=["device"]
    )
    answering = GaugeMetricFamily("wattline_device_up", "Whether a polled device responds", labels=["device"])
    breaker = GaugeMetricFamily("wattline_device_breaker_amperes", "Rating of a breaker per line", labels=["device"])
    limit_a = GaugeMetricFamily(
        "wattline_device_limit_amperes", "Permitted current of each line: breaker x derating", labels=["device"]
    )
    limit_va = GaugeMetricFamily(
        "wattline_device_limit_voltamperes", "Permitted apparent power of a device", labels=["device"]
    )
    info = InfoMetricFamily("wattline_device", "Where a device is", labels=["device"])
    for key, device in now.facility.devices.items():
        live = now.snapshot.devices.get(key)
        if live is not None and live.t_ms is not None:
            newest.add_metric([key], live.t_ms / 1000)
        if live is not None and device.address is not None and live.state != "never":
            answering.add_metric([key], float(live.state == "ok"))
        if device.breaker is not None:
            breaker.add_metric([key], device.breaker.amps)
            limit_a.add_metric([key], device.breaker.amps * device.breaker.derating)
        if (circuit := circuit_of(device)) is not None:
            limit_va.add_metric([key], circuit.limit_va)
        about = {"kind": device.kind, "rack": device.rack, "room": now.facility.room_of(device), "feed": device.feed}
        info.add_metric([key], {name: value or "" for name, value in about.items()})
    yield from (newest, answering, breaker, limit_a, limit_va, info)


def line_metrics(now: FacilityNow) -> Iterator[Metric]:
    """Yield current and power of each line of each inlet."""
    families = {q: GaugeMetricFamily(*text, labels=["device", "line"]) for q, text in _OF_LINES.items()}
    for reading in now.latest.readings.values():
        family = families.get(reading.series.quantity)
        if family is not None and reading.value is not None and LINE.fullmatch(reading.series.point):
            family.add_metric([reading.device, reading.series.point], reading.value)
    yield from families.values()


def outlet_metrics(now: FacilityNow) -> Iterator[Metric]:
    """Yield power and current of each outlet, with the node or the shared supply that it powers."""
    powers = {cord.key: node for node, cords in now.facility.feeds.items() for cord in cords}
    powers |= {feed: supply.key for supply in now.facility.supplies.values() for feed in supply.feeds}
    families = {q: GaugeMetricFamily(*text, labels=["device", "outlet", "powers"]) for q, text in _OF_OUTLETS.items()}
    for reading in now.latest.readings.values():
        family, point = families.get(reading.series.quantity), reading.series.point
        if family is not None and reading.value is not None and OUTLET.fullmatch(point):
            family.add_metric([reading.device, point, powers.get(f"{reading.device}/{point}", "")], reading.value)
    yield from families.values()
