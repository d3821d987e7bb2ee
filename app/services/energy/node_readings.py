"""The stored readings of a node in a window, read at once."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property
from typing import Literal

from app.domain.energy import CounterEnergy, Part, counter_energy, energy_j
from app.domain.timeseries import Curve, add, from_series, window
from app.services.energy.stores import EnergyStores
from app.services.energy.supply_power import SupplyShare, share_of
from app.store.facility import Device, Facility, PowerConnection, SharedSupply, Validity
from app.store.timeseries import Moments, Samples, SeriesInfo
from collectors.contract import Quantity

Source = Literal["pdu", "meter", "bmc", "components"]
COMPONENT = re.compile(r"(gpu|cpu|package)/[^/]+")
_GPU = re.compile(r"gpu/[^/]+")
WHOLE = ("total", "inlet", "node", "system")


def curves_of(samples: Mapping[str, Samples]) -> dict[str, Curve]:
    """Return the curves of series; those of one stream share their time base."""
    keys: dict[Moments, list[str]] = defaultdict(list)
    for key, one in samples.items():
        keys[one.moments].append(key)
    found: dict[str, Curve] = {}
    for when, group in keys.items():
        values = [samples[key].v for key in group]
        found |= zip(group, from_series(when.t_ms, values, when.tau_ms, when.max_gap_ms), strict=True)
    return found


def caliber(source: str | None, coverage: float) -> str:
    """Return the caliber (RFC 7460, section 2.6): measured, or estimated from a part of the whole."""
    if source is None or not coverage:
        return "unavailable"
    return "estimated" if source == "components" else "actual"


def gpu_quantities(stores: EnergyStores, node: str, t_ms: int) -> list[tuple[str, str]]:
    """Return the GPUs whose power or utilization the exporters of a node report, as (point, quantity)."""
    own = stores.facility.at(t_ms).devices_of(node, "exporter")
    series = [s for device in own for s in stores.frames.series(device.key) if _GPU.fullmatch(s.point)]
    wanted = (Quantity.POWER, Quantity.UTILIZATION)
    found = {(s.point, s.quantity.value) for s in series if s.quantity in wanted}
    return sorted(found, key=lambda pair: (_by_number(pair[0]), pair[1]))


class NodeReadings:
    """The series of a node's cords, BMC, GPUs and other components, and their readings."""

    def __init__(self, stores: EnergyStores, node: str, start_ms: int, end_ms: int, *, parts: bool = False) -> None:
        self.start_ms, self.end_ms = start_ms, end_ms
        self.feeds: list[PowerConnection] = stores.facility.feeds(node, start_ms, end_ms)
        self.supplies: list[SharedSupply] = stores.facility.supplies(node, start_ms, end_ms)
        self._node = node
        facility: Facility = stores.facility.at(start_ms)
        self._devices = facility.devices
        known = facility.nodes.get(node)
        model = facility.model_of(known) if known else None
        self._rated_w = model.rated_w if model else None
        own = facility.devices_of(node, "bmc", "exporter")
        plugged = {feed.key for feed in self.feeds} | {feed for supply in self.supplies for feed in supply.feeds}
        sharers = {other for supply in self.supplies if supply.split == "bmc" for other in supply.nodes}
        bmcs = [d for other in sorted(sharers) for d in facility.devices_of(other, "bmc")]
        self._fed_by = {key.partition("/")[0] for key in plugged}
        names = sorted(self._fed_by | {d.key for d in (*own, *bmcs)})
        self.series: dict[str, SeriesInfo] = {s.key: s for s in stores.frames.series(names)} if names else {}
        self._bmcs = {other: self._whole([d for d in bmcs if d.node == other]) for other in sorted(sharers)}
        self.bmc_keys = self._whole([d for d in own if d.kind == "bmc"])
        self._own = [s for s in self.series.values() if s.device in {d.key for d in own if d.kind == "exporter"}]
        self.component_keys = [
            s.key for s in self._own if s.quantity is Quantity.POWER and COMPONENT.fullmatch(s.point)
        ]
        wanted = {f"{key}:{q}" for key in plugged for q in ("power", "energy")} & set(self.series)
        wanted |= {key for keys in self._bmcs.values() for key in keys}
        self._frames = stores.frames
        own_keys = {s.key for s in self._own if s.quantity in (Quantity.POWER, Quantity.UTILIZATION)}
        self._unread = set() if parts else own_keys
        samples = self._read(wanted | {*self.bmc_keys} | (own_keys if parts else set()))
        self._registers = {key: samples.pop(key) for key in wanted if key.endswith(":energy")}
        self._curves = curves_of(samples)

    def span(self, feed: Validity) -> tuple[int, int]:
        """Return when a cord or a shared supply powered the node, inside the window."""
        valid_to = self.end_ms if feed.valid_to_ms is None else feed.valid_to_ms
        return max(self.start_ms, feed.valid_from_ms), min(self.end_ms, valid_to)

    def shares(self) -> list[SupplyShare]:
        """Return the node's share of each shared supply."""
        bmcs = {node: add([self.curve(key) for key in keys]) for node, keys in self._bmcs.items() if keys}
        return [
            share_of(s, self._node, self.span(s), {f: self.curve(f"{f}:power") for f in s.feeds}, bmcs)
            for s in self.supplies
        ]

    def bmc_series(self, supply: SharedSupply) -> list[str]:
        """Return the series that a shared supply is split by."""
        return [key for node in supply.nodes for key in self._bmcs.get(node, ())] if supply.split == "bmc" else []

    def curve(self, key: str) -> Curve:
        """Return the curve of a series; empty where no device reports it."""
        found = self._curves.get(key)
        if found is None and key in self._unread:
            found = self._exporters.get(key)
        return Curve.empty() if found is None else found

    @cached_property
    def _exporters(self) -> dict[str, Curve]:
        """Readings of GPUs and CPUs, many times as many as those of the whole node: read at the first use."""
        return curves_of(self._read(self._unread))

    def _read(self, keys: Set[str]) -> dict[str, Samples]:
        return self._frames.read(sorted(keys), self.start_ms, self.end_ms)

    def feed_source(self) -> Source:
        """Return `meter` where only bench or panel meters power the node, else `pdu`."""
        kinds = {d.kind for key in self._fed_by if (d := self._devices.get(key))}
        return "meter" if kinds == {"meter"} else "pdu"

    def bmc(self) -> Curve | None:
        """Return the power of the whole node by its BMC."""
        return add([self.curve(key) for key in self.bmc_keys]) if self.bmc_keys else None

    @cached_property
    def components(self) -> Curve | None:
        """Return Σ GPU + CPU packages: only a part of the node."""
        return add([self.curve(key) for key in self.component_keys]) if self.component_keys else None

    def of_gpus(self, quantity: Quantity) -> dict[str, Curve]:
        """Return by point the curve of each GPU with readings."""
        found = {s.point: self.curve(s.key) for s in self._own if s.quantity is quantity and _GPU.fullmatch(s.point)}
        return {point: found[point] for point in sorted(found, key=_by_number) if len(found[point])}

    def gpu_labels(self) -> dict[str, str]:
        """Return by point the label of each GPU."""
        return {s.point: s.label for s in self._own if _GPU.fullmatch(s.point)}

    def part(self, key: str, curve: Curve, spans: Iterable[tuple[int, int]]) -> Part:
        """Return what a meter contributed, and its error limit."""
        spans = list(spans)
        covered_s = sum(window(curve, start, end).covered_ms for start, end in spans) / 1000.0
        return self._part(key, math.fsum(energy_j(curve, start, end) for start, end in spans), covered_s)

    def share_parts(self, share: SupplyShare) -> list[Part]:
        """Return what the meters of a shared supply contributed; the error limit of its split is not known."""
        limit = None if len(share.supply.nodes) == 1 else math.nan
        return [
            self._part(
                f"{key}:power",
                joules,
                window(share.feeds[key], share.start_ms, share.end_ms).covered_ms / 1000.0,
                limit_pct=limit,
            )
            for key, joules in share.energies().items()
        ]

    def counter_part(self, feed: PowerConnection, counter: CounterEnergy) -> Part:
        """Return what a register contributed."""
        return self._part(f"{feed.key}:energy", counter.energy_j, step_j=counter.step_j)

    def _part(
        self, key: str, joules: float, covered_s: float = 0.0, step_j: float = 0.0, limit_pct: float | None = None
    ) -> Part:
        info = self.series.get(key)
        limit = info.accuracy_pct if info and info.accuracy_pct is not None else math.nan
        limit = limit if limit_pct is None else limit_pct
        limit_j = (info.accuracy_abs or 0.0) * covered_s if info else 0.0
        return Part(joules, limit, limit_j, group=(info.meter or info.device) if info else key, step=step_j)

    def counter(self, key: str, start_ms: int, end_ms: int) -> CounterEnergy:
        """Return the increments of a register inside a span; no cord carries more than the rating of its node."""
        info, samples = self.series[key], self._registers[key]
        return counter_energy(
            samples.t_ms, samples.v, start_ms, end_ms, info.counter_modulus, self._rated_w, info.resolution
        )

    def _whole(self, devices: Sequence[Device]) -> list[str]:
        """Return the power series of a whole node: one total, else all its power supplies."""
        names = {d.key for d in devices}
        power = [s for s in self.series.values() if s.device in names and s.quantity is Quantity.POWER]
        for point in WHOLE:
            if found := [s.key for s in power if s.point == point]:
                return found[:1]
        return [s.key for s in power if s.point.startswith("psu/")]


def _by_number(point: str) -> tuple[int, str]:
    name = point.rpartition("/")[2]
    return (int(name), "") if name.isdigit() else (1 << 30, name)
