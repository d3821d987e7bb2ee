"""The source of a node's power and its cords, in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.domain.timeseries import TimeWindow, coverage
from app.presentation.text import count, kw, names, num, span
from app.presentation.text import coverage as coverage_words
from app.services.energy import NodePower
from app.services.timeseries import LatestReadings
from app.store.facility import Facility, Node, SharedSupply

DEAD_W, LOADED_W = 1.0, 50.0
"""A cord below the first carries nothing, if its node draws at least the second."""
SOURCE_TEXT = {
    None: ("power", "no readings yet"),
    "pdu": ("wall", "metered outlets"),
    "meter": ("wall", "a meter"),
    "bmc": ("BMC", "its BMC"),
    "components": ("components", "its components only (partial)"),
}


_METHOD_TEXT = {
    "integral": "integral of power over the covered time; gaps are not filled in",
    "counter": "energy registers of the meters",
}


@dataclass(frozen=True)
class CordLine:
    """A cord: the point that powers the node, and what it delivers now [W]."""

    device: str
    point: str
    power_w: float | None


@dataclass(frozen=True)
class SourceFacts:
    """The source of the node's power, in words."""

    kind: str
    name: str
    facts: Sequence[tuple[str, str]]


def source_facts(
    facility: Facility,
    node: Node,
    power: NodePower,
    latest: LatestReadings,
    view: TimeWindow,
    *,
    is_read: bool = True,
) -> SourceFacts:
    """Return the panel that says how the node is measured; `is_read`: False while some of its readings cannot be."""
    name, words = SOURCE_TEXT[power.source]
    feeds = facility.powering(node.key)
    devices = sorted({f.device for f in feeds})
    read = [r for f in feeds if (r := latest.get(f"{f.key}:power"))]
    meter_of = {r.device: r.meter for r in read}
    profiles = {key: d.profile for key in devices if (d := facility.devices.get(key))}
    meters = sorted({meter for key in devices if (meter := meter_of.get(key) or profiles.get(key)) and meter != "auto"})
    intervals = sorted({r.interval_s for r in read})
    exporters = facility.devices_of(node.key, "exporter")
    facts = [("Source", f"{words}: {count(len(feeds), 'cord')} on {', '.join(devices)}" if feeds else words)]
    if supply := facility.supply_of(node.key):
        facts.append(("Supply", supply_words(supply)))
    if power.why:
        facts.append(("Wall", power.why))
    if meters:
        facts.append(("Meters", ", ".join(meters)))
    if intervals:
        facts.append(("Interval", " and ".join(f"{num(s, 1 if s < 1 else 0)} s" for s in intervals)))
    if exporters:
        facts.append(("GPUs", f"{', '.join(d.key for d in exporters)}, not added to the wall power"))
    if bmcs := facility.devices_of(node.key, "bmc"):
        facts.append(("BMC", ", ".join(d.key for d in bmcs)))
    if power.fallback:
        lost = span(sum(b - a for a, b in power.fallback) / 1000)
        why = "where the outlets were silent" if is_read else "where the outlets cannot be read or were silent"
        facts.append(("Fallback", f"its BMC for {lost}, {why}"))
    if is_read:
        share = coverage_words(coverage(power.total, view.start_ms, view.end_ms))
        facts.append(("Coverage", f"{share} of {view.label}"))
    facts.append(("Method", _METHOD_TEXT[power.energy.method]))
    if power.power_basis != "measured":
        which = "" if power.power_basis == "derived" else "of some cords "
        coarse = "; too few steps in 15 min for a maximum" if power.is_coarse else ""
        facts.append(("Power", f"{which}derived from energy registers{coarse}"))
    return SourceFacts(power.source or "none", name, facts)


def curve_name(power: NodePower) -> str:
    """Return the name of the node's headline curve: derived power says so."""
    name = SOURCE_TEXT[power.source][0]
    return name + {"measured": "", "derived": ", derived", "mixed": ", partly derived"}[power.power_basis]


def supply_words(supply: SharedSupply) -> str:
    """Describe the shared supply of a node and how it is split."""
    split = {"bmc": "split by their BMCs", "equal": "split equally", "none": "not split"}[supply.split]
    psus = f", {supply.psus.n} + {supply.psus.m} PSUs" if supply.psus else ""
    if len(supply.nodes) == 1:
        return f"{supply.title}{psus}"
    return f"{supply.title}, shared by {len(supply.nodes)} nodes, {split}{psus}"


def cords_title(cords: Sequence[CordLine], unread: Collection[str] = ()) -> str:
    """Say how many cords there are, and whether all of them respond; `unread`: devices that cannot be read."""
    lost = [c for c in cords if c.power_w is None and c.device in unread]
    if lost:
        return f"{len(lost)} of {count(len(cords), 'cord')} cannot be read"
    silent = [c for c in cords if c.power_w is None]
    if silent and len(silent) == len(cords):
        return "No cord responds"
    if silent:
        return f"{len(silent)} of {count(len(cords), 'cord')} {'is' if len(silent) == 1 else 'are'} silent"
    powers = [c.power_w for c in cords if c.power_w is not None]
    dead = [c for c in cords if (c.power_w or 0.0) < DEAD_W]
    if dead and sum(powers) >= LOADED_W:
        return f"{names([f'{c.device} {c.point}' for c in dead])} carries nothing"
    return f"{count(len(cords), 'cord')}, {kw(sum(powers))} together"
