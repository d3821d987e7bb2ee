"""Headroom of many nodes and racks, or of long windows, from the minute rollups without reading samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from app.services.energy import INLET, Source, pdus_in, power_series
from app.services.headroom.headroom_row import HeadroomContext, HeadroomRow, accuracy, by_power, derived_from
from app.store.facility import Node, Rack
from app.store.timeseries import SeriesInfo

Measured = tuple[Source | None, Sequence[SeriesInfo]]


class MinuteHeadroom:
    """The power of nodes and racks, and which meters measure it at the end of the window."""

    def __init__(self, context: HeadroomContext) -> None:
        self._facility = context.facility
        self._context = context
        self._power: dict[str, list[SeriesInfo]] = defaultdict(list)
        for info in power_series(context.stores.frames.series(), lambda _: True):
            self._power[info.device].append(info)

    def held(self, kind: str, rows: Sequence[HeadroomRow], measured: Sequence[Measured]) -> list[HeadroomRow]:
        """Return the rows of nodes or racks with their observed power."""
        seen = self._context.in_minutes([f"{kind}/{row.key}:power" for row in rows])
        return [
            by_power(row, one, source, accuracy(infos), derived_from(infos))
            for row, one, (source, infos) in zip(rows, seen.values(), measured, strict=True)
        ]

    def of_node(self, node: Node) -> Measured:
        """Return its cords or those of its shared supply, else its BMC, else its components."""
        feeds = self._facility.powering(node.key)
        cords = {(feed.device, feed.point) for feed in feeds}
        measured = [info for device in {feed.device for feed in feeds} for info in self._power.get(device, ())]
        if found := [info for info in measured if (info.device, info.point) in cords]:
            kinds = {d.kind for feed in feeds if (d := self._facility.devices.get(feed.device))}
            return ("meter" if kinds == {"meter"} else "pdu"), found
        if found := self._of_devices(node, "bmc"):
            return "bmc", found
        return ("components", found) if (found := self._of_devices(node, "exporter")) else (None, [])

    def of_rack(self, rack: Rack) -> Measured:
        """Return the inlets of its PDUs where each reports one, else its nodes."""
        pdus = pdus_in(self._facility, rack.key)
        inlets = [[info for info in self._power.get(d.key, ()) if INLET.fullmatch(info.point)] for d in pdus]
        if inlets and all(inlets):
            return "pdu", [info for each in inlets for info in each]
        nodes = [self.of_node(node) for node in self._facility.nodes_in(rack.key)]
        sources = {source for source, _ in nodes}
        return next(iter(sources)) if len(sources) == 1 else None, [info for _, each in nodes for info in each]

    def of_racks(self, racks: Sequence[Rack]) -> Measured:
        """Return the meters of several racks; their source if it is the same of all that are measured."""
        found = [one for rack in racks if (one := self.of_rack(rack))[1]]
        sources = {source for source, _ in found}
        return next(iter(sources)) if len(sources) == 1 else None, [info for _, infos in found for info in infos]

    def _of_devices(self, node: Node, kind: str) -> list[SeriesInfo]:
        own = self._facility.devices_of(node.key, kind)
        return [info for device in own for info in self._power.get(device.key, ())]
