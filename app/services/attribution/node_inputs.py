"""Read everything that the power of nodes and its division among jobs are computed from, for all nodes at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from app.domain.timeseries import TimeWindow
from app.services.attribution.stores import AttributionStores
from app.services.energy import around_quarters, line_currents, margin_ms, registers_only
from app.store.facility import FacilityStore, History, StillFacility
from app.store.jobs import Allocation, held_around
from app.store.timeseries import Moments, ReadingSource, Samples, SeriesInfo
from collectors.contract import Quantity

NodeSpan = tuple[str, int, int]
"""A node and the window [ms] in which it is looked at."""
_OF_PARTS = (Quantity.POWER, Quantity.UTILIZATION)


@dataclass(frozen=True)
class Allocations:
    """What jobs held of some nodes, read at once."""

    by_node: Mapping[str, Sequence[Allocation]] = field(default_factory=dict)

    def on(self, node: str, start_ms: int, end_ms: int) -> list[Allocation]:
        """Return the allocations of a node in [start, end), in the order in which they began."""
        return [one for one in self.by_node.get(node, ()) if one.start_ms < end_ms and one.end_ms > start_ms]


class BatchedReadings:
    """The readings of some devices in one window: those of whole nodes, and those of GPUs and CPUs at their first use.

    GPUs and CPUs are many times as many; both are read in one go for all nodes.
    """

    def __init__(
        self,
        source: ReadingSource,
        infos: Iterable[SeriesInfo],
        whole: Collection[str],
        parts: Collection[str],
        window: TimeWindow,
        whole_window: TimeWindow,
    ) -> None:
        self._source = source
        self._window = window.start_ms, window.end_ms
        self._by_device: dict[str, list[SeriesInfo]] = defaultdict(list)
        for info in infos:
            self._by_device[info.device].append(info)
        self._max_gap_ms = {info.key: info.max_gap_ms for some in self._by_device.values() for info in some}
        self._unread = set(parts)
        around = whole_window.start_ms, whole_window.end_ms
        self._samples = source.read(sorted(whole), *around) if whole else {}
        self._clipped: dict[tuple[Moments, int, int, int], tuple[slice, Moments]] = {}
        self._given: dict[tuple[str, int, int], Samples] = {}

    def emptied(self) -> BatchedReadings:
        """Return the same window without any series."""
        window = TimeWindow(*self._window)
        return BatchedReadings(self._source, (), (), (), window, window)

    def read_parts(self) -> None:
        """Read what exporters report of GPUs and CPUs, unless that is done."""
        if self._unread:
            self._samples |= self._source.read(sorted(self._unread), *self._window)
            self._unread.clear()

    def series(self, device: str | Collection[str] | None = None) -> list[SeriesInfo]:
        """Return the series of these devices (of one of them, or of several)."""
        devices = [device] if isinstance(device, str) else self._by_device if device is None else device
        return [info for key in devices for info in self._by_device.get(key, ())]

    def read(self, keys: Sequence[str], start_ms: int, end_ms: int) -> dict[str, Samples]:
        """Return samples as the store does."""
        if not self._unread.isdisjoint(keys):
            self.read_parts()
        found = {}
        for key in keys:
            place = key, start_ms, end_ms
            if place not in self._given:
                self._given[place] = self._clip(*place)
            found[key] = self._given[place]
        return found

    def _clip(self, key: str, start_ms: int, end_ms: int) -> Samples:
        """Return the samples of a window and a neighbour on either side, at most max_gap away."""
        samples = self._samples.get(key)
        if samples is None:
            return Samples.empty()
        place = samples.moments, self._max_gap_ms[key], start_ms, end_ms
        found = self._clipped.get(place)
        if found is None:
            rows = _rows(samples.moments, self._max_gap_ms[key], start_ms, end_ms)
            found = self._clipped[place] = rows, samples.moments[rows]
        return Samples(found[1], samples.v[found[0]])


def _rows(moments: Moments, max_gap_ms: int, start_ms: int, end_ms: int) -> slice:
    t_ms = moments.t_ms
    first, last = (int(i) for i in np.searchsorted(t_ms, (start_ms, end_ms)))
    first, last = max(0, first - 1), min(len(t_ms), last + 1)
    low, high = (int(i) for i in np.searchsorted(t_ms, (start_ms - max_gap_ms, end_ms + max_gap_ms + 1)))
    return slice(max(first, low), max(low, min(last, high)))


@dataclass(frozen=True)
class NodeInputs:
    """What the power of nodes, and its division among jobs, are computed from."""

    facility: FacilityStore
    frames: BatchedReadings
    allocations: Allocations

    def without_readings(self) -> NodeInputs:
        """Return the same with no reading."""
        return replace(self, frames=self.frames.emptied())


def read_nodes(
    stores: AttributionStores, spans: Sequence[NodeSpan], allocations: Allocations | None = None
) -> NodeInputs:
    """Read what some nodes are computed from, each in its window, in a few statements for all of them.

    `allocations`: those of the nodes, where they are known already.
    """
    facility = StillFacility(stores.facility)
    start_ms, end_ms = min((s[1] for s in spans), default=0), max((s[2] for s in spans), default=0)
    if allocations is None:
        allocations = read_allocations(stores, [node for node, _, _ in spans], start_ms, end_ms)
    meters = _meters(facility.history(), spans)
    infos = stores.frames.series(sorted(meters.devices)) if meters.devices else []
    measuring = [info for info in infos if meters.measure_whole(info)]
    known = {info.key for info in infos}
    whole = {info.key for info in measuring} | {key for info in measuring for key in line_currents(info, known)}
    parts = {info.key for info in infos if info.device in meters.exporters and info.quantity in _OF_PARTS} - whole
    window = TimeWindow(start_ms, end_ms)
    readings = BatchedReadings(stores.frames, infos, whole, parts, window, _around(measuring, window))
    return NodeInputs(facility, readings, allocations)


def _around(infos: Sequence[SeriesInfo], window: TimeWindow) -> TimeWindow:
    """Return the time to read: the window and what shows how fast the power changes, or what power is derived from."""
    margin = margin_ms(infos)
    start_ms, end_ms = window.start_ms - margin, window.end_ms + margin
    if registers_only(infos, lambda _: True):
        wide = around_quarters(window.start_ms, window.end_ms)
        start_ms, end_ms = min(start_ms, wide[0]), max(end_ms, wide[1])
    return TimeWindow(start_ms, end_ms)


def read_allocations(stores: AttributionStores, nodes: Collection[str], start_ms: int, end_ms: int) -> Allocations:
    """Read what jobs held of some nodes in [start, end), and what they held while these allocations lasted."""
    if not nodes:
        return Allocations()
    return Allocations(held_around(stores.engine, sorted(set(nodes)), start_ms, end_ms, stores.now_ms()))


@dataclass(frozen=True)
class _Meters:
    """What measures some nodes: points that power them, and keys of their devices."""

    points: frozenset[str]
    bmcs: frozenset[str]
    exporters: frozenset[str]

    @property
    def devices(self) -> frozenset[str]:
        return self.bmcs | self.exporters | {point.partition("/")[0] for point in self.points}

    def measure_whole(self, info: SeriesInfo) -> bool:
        at_point = f"{info.device}/{info.point}" in self.points
        power_or_energy = info.quantity in (Quantity.POWER, Quantity.ENERGY)
        return (at_point and power_or_energy) or (info.device in self.bmcs and info.quantity is Quantity.POWER)


def _meters(history: History, spans: Sequence[NodeSpan]) -> _Meters:
    points, bmcs, exporters = set(), set(), set()
    for node, start_ms, end_ms in spans:
        facility = history.at(start_ms)
        supplies = history.supplies(node, start_ms, end_ms)
        points |= {feed.key for feed in history.feeds(node, start_ms, end_ms)}
        points |= {feed for supply in supplies for feed in supply.feeds}
        sharing = {node, *(other for supply in supplies for other in supply.nodes)}
        bmcs |= {device.key for other in sharing for device in facility.devices_of(other, "bmc")}
        exporters |= {device.key for device in facility.devices_of(node, "exporter")}
    return _Meters(frozenset(points), frozenset(bmcs), frozenset(exporters))
