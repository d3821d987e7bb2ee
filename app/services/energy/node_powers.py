"""The power of many nodes, read in few statements."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from app.services.energy.node_power import NodePower, read_node_power
from app.services.energy.prefetch import PrefetchedReadings, PrefetchedStores
from app.services.energy.registers_only import around_quarters, registers_only
from app.services.energy.stores import EnergyStores
from app.store.facility import History, StillFacility
from app.store.timeseries import Samples, SeriesInfo
from collectors.contract import Quantity


@dataclass(frozen=True)
class _Meters:
    """What measures some nodes: the points that power them, and the keys of their devices."""

    points: frozenset[str]
    bmcs: frozenset[str]
    exporters: frozenset[str]

    @property
    def devices(self) -> frozenset[str]:
        return self.bmcs | self.exporters | {point.partition("/")[0] for point in self.points}

    def measures_whole(self, info: SeriesInfo) -> bool:
        """Return whether a series is of a cord or of a BMC."""
        if info.quantity is not Quantity.POWER:
            return False
        return f"{info.device}/{info.point}" in self.points or info.device in self.bmcs


def read_node_powers(stores: EnergyStores, nodes: Collection[str], start_ms: int, end_ms: int) -> dict[str, NodePower]:
    """Return the power of each node as `read_node_power` does, without GPUs and CPUs.

    GPUs and CPUs are read only of nodes of which nothing else is known, registers only where no power is reported.
    """
    facility = StillFacility(stores.facility)
    meters = _meters(facility.history(), nodes, start_ms, end_ms)
    known_infos = stores.frames.series(meters.devices) if meters.devices else []
    registers = registers_only(known_infos, lambda i: f"{i.device}/{i.point}" in meters.points)
    infos = [i for i in known_infos if i.quantity is Quantity.POWER] + list(registers.values())
    samples = stores.frames.read([i.key for i in infos if meters.measures_whole(i)], start_ms, end_ms)
    if registers:
        keys = [i.key for i in registers.values()]
        samples |= stores.frames.read(keys, *around_quarters(start_ms, end_ms))

    def powers(some: Collection[str], known: Mapping[str, Samples]) -> dict[str, NodePower]:
        read = PrefetchedStores(PrefetchedReadings(infos, known), facility)
        return {node: read_node_power(read, node, start_ms, end_ms, parts=True) for node in some}

    found = powers(nodes, samples)
    unmeasured = [node for node, power in found.items() if not len(power.total) and power.reading.component_keys]
    keys = [key for node in unmeasured for key in found[node].reading.component_keys]
    return found | powers(unmeasured, samples | stores.frames.read(keys, start_ms, end_ms)) if keys else found


def _meters(history: History, nodes: Collection[str], start_ms: int, end_ms: int) -> _Meters:
    facility = history.at(start_ms)
    supplies = [supply for node in nodes for supply in history.supplies(node, start_ms, end_ms)]
    points = {feed.key for node in nodes for feed in history.feeds(node, start_ms, end_ms)}
    sharing = {*nodes, *(node for supply in supplies for node in supply.nodes)}
    return _Meters(
        frozenset(points | {feed for supply in supplies for feed in supply.feeds}),
        frozenset(d.key for node in sharing for d in facility.devices_of(node, "bmc")),
        frozenset(d.key for node in nodes for d in facility.devices_of(node, "exporter")),
    )
