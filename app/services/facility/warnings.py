"""Warn about what is allowed but probably not intended: nodes without feeds, redundant cords on one feed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from app.domain.capacity import dead_lines
from app.store.facility import Device, Facility, FacilityObject, Node, SharedSupply
from app.store.timeseries import LatestFrame
from collectors.contract import Quantity

_SOME = 6
_OTHER_LINES = 2
_LINE = re.compile(r"(?:unit/\d+/)?inlet(?:/\d+)?/(l\d)")


def warnings(known: Facility, objects: Iterable[FacilityObject]) -> list[str]:
    """Return warnings about the nodes and shared supplies among some objects; `known` is the whole facility."""
    written = list(objects)
    devices = dict(known.devices) | {thing.key: thing for thing in written if isinstance(thing, Device)}
    supplies = dict(known.supplies) | {thing.key: thing for thing in written if isinstance(thing, SharedSupply)}
    nodes = [thing for thing in written if isinstance(thing, Node)]
    shared = {node for supply in supplies.values() for node in supply.nodes}
    bare = [node.key for node in nodes if not node.feeds and node.key not in shared]
    places = {node.key: node.rack for node in (*known.nodes.values(), *nodes)}
    found = []
    if bare:
        some = ", ".join(sorted(bare)[:_SOME]) + (" …" if len(bare) > _SOME else "")
        found.append(f"nodes without feeds have no wall reading: {some}")
    for thing in written:
        if isinstance(thing, Node | SharedSupply):
            rack = thing.rack if isinstance(thing, Node) else places.get(next(iter(thing.nodes), ""))
            found += _on_one_feed(thing, rack, devices)
    return found


def _on_one_feed(thing: Node | SharedSupply, rack: str | None, devices: Mapping[str, Device]) -> Iterator[str]:
    """Find several cords that all end at one feed in a rack with another feed."""
    if len(thing.feeds) < 2 or rack is None:
        return
    used = {_feed_of(device) for key in thing.feeds if (device := devices.get(key.partition("/")[0]))}
    others = {_feed_of(d) for d in devices.values() if d.rack == rack and d.kind == "pdu"} - used
    if len(used) == 1 and others:
        kind = "nodes" if isinstance(thing, Node) else "supplies"
        (feed,) = used
        where = f"{', '.join(sorted(others))} {'is' if len(others) == 1 else 'are'} unused in its rack"
        yield f"all {len(thing.feeds)} cords of {kind}.{thing.key} end at {feed}; {where}"


def _feed_of(device: Device) -> str:
    return f"feed {device.feed}" if device.feed else device.key


def dead_line_warnings(latest: Mapping[str, Sequence[LatestFrame]]) -> list[str]:
    """Return a warning for each device whose breaker is declared with three phases and that reports one live line."""
    found = []
    for device, frames in sorted(latest.items()):
        amps, volts = _of_lines(frames, Quantity.CURRENT), _of_lines(frames, Quantity.VOLTAGE)
        dead = dead_lines(amps, volts) if len(amps) > 1 else {"L2", "L3"} - amps.keys()
        if amps and len(dead) == _OTHER_LINES:
            live, others = ", ".join(sorted(amps.keys() - dead)), " and ".join(sorted(dead))
            found.append(
                f"devices.{device}: its breaker has 3 phases, but only {live} is live: {others} are not measured; if "
                "the PDU has one phase, declare phases = 1"
            )
    return found


def _of_lines(frames: Sequence[LatestFrame], quantity: Quantity) -> dict[str, float | None]:
    """Return the latest value of each line."""
    found: dict[str, float | None] = {}
    for frame in frames:
        for series, value in zip(frame.layout.series, frame.values.tolist(), strict=True):
            if series.quantity is quantity and (line := _LINE.fullmatch(series.point)):
                found[line[1].upper()] = value if math.isfinite(value) else None
    return found
