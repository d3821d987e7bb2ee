"""The stored readings of a node in a window, read at once."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property
from typing import Literal

from app.domain.energy import AROUND, EnergyRegister, Part, class_limit_pct, counted_power, energy_j
from app.domain.timeseries import Curve, add, from_series, window
from app.services.energy.line_currents import WHOLE, line_currents, mean_current
from app.services.energy.registers_only import (
    ENERGY,
    POWER,
    around_quarters,
    derived_curve,
    register_of,
    registers_only,
)
from app.services.energy.stores import EnergyStores
from app.services.energy.supply_power import SupplyShare, share_of
from app.store.facility import Device, Facility, PowerConnection, SharedSupply, Validity
from app.store.timeseries import Moments, Samples, SeriesInfo
from collectors.contract import Quantity

Source = Literal["pdu", "meter", "bmc", "components"]
COMPONENT = re.compile(r"(gpu|cpu|package)/[^/]+")
_GPU = re.compile(r"gpu/[^/]+")
_FARTHEST_MS = 3_600_000
"""No more than this is read beside a window to see how fast the power changes there."""


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


def margin_ms(infos: Iterable[SeriesInfo]) -> int:
    """Return how much is read beside a window to see how fast the power changes there."""
    return min(_FARTHEST_MS, AROUND * max((info.interval_ms for info in infos), default=0))


def caliber(source: str | None, coverage: float, readings: int = 1) -> str:
    """Return the caliber (RFC 7460, section 2.6): measured, or estimated from a part of the whole or of the time."""
    if source is None or not coverage:
        return "unavailable"
    return "estimated" if source == "components" or not readings else "actual"


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
        self._rated_w = _rated_w(facility, [node]) if known else None
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
        self.derived = registers_only(self.series.values(), lambda s: f"{s.device}/{s.point}" in plugged)
        registers = {info.key for info in self.derived.values()}
        wanted = {f"{key}{q}" for key in plugged for q in (POWER, ENERGY)} & set(self.series)
        wanted |= {line for key in wanted for line in line_currents(self.series[key], self.series)}
        wanted |= {key for keys in self._bmcs.values() for key in keys} | {*self.bmc_keys}
        self._frames = stores.frames
        own_keys = {s.key for s in self._own if s.quantity in (Quantity.POWER, Quantity.UTILIZATION)}
        self._unread = set() if parts else own_keys
        samples = self._around(wanted - registers) | (self._read(own_keys) if parts else {})
        samples |= self._read(registers, *around_quarters(start_ms, end_ms))
        self._rated = {feed: _rated_w(facility, s.nodes) for s in self.supplies for feed in s.feeds}
        self._readings = {key: samples.pop(key) for key in wanted if key.endswith(ENERGY)}
        self._curves = curves_of(samples) | {f"{p}{POWER}": derived_curve(*self._register(p)) for p in self.derived}

    def span(self, feed: Validity) -> tuple[int, int]:
        """Return when a cord or a shared supply powered the node, inside the window."""
        valid_to = self.end_ms if feed.valid_to_ms is None else feed.valid_to_ms
        return max(self.start_ms, feed.valid_from_ms), min(self.end_ms, valid_to)

    def shares(self, *, counted: bool = False) -> list[SupplyShare]:
        """Return the node's share of each shared supply; `counted` as in `power`."""
        bmcs = {node: add([self.curve(key) for key in keys]) for node, keys in self._bmcs.items() if keys}
        return [
            share_of(s, self._node, self.span(s), {f: self.power(f, counted=counted) for f in s.feeds}, bmcs)
            for s in self.supplies
        ]

    def power(self, point: str, *, counted: bool = False) -> Curve:
        """Return the power at `device/point`, derived where it reports a register only.

        With `counted` the latter is the mean between neighbouring readings, whose integral is exact in any window.
        """
        if counted and point in self.derived:
            return counted_power(self.register(point))
        return self.curve(f"{point}{POWER}")

    def register(self, point: str) -> EnergyRegister:
        """Return the register at `device/point`; nothing carries more than the rating of what it powers."""
        return register_of(*self._register(point))

    def _register(self, point: str) -> tuple[SeriesInfo, Samples, float | None]:
        key = f"{point}{ENERGY}"
        return self.series[key], self._readings[key], self._rated.get(point, self._rated_w)

    def has_register(self, point: str) -> bool:
        """Return whether `device/point` reports an energy register."""
        return f"{point}{ENERGY}" in self.series

    def power_key(self, point: str) -> str:
        """Return the series that the power at `device/point` comes from."""
        return f"{point}{ENERGY if point in self.derived else POWER}"

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

    def _around(self, keys: Set[str]) -> dict[str, Samples]:
        margin = margin_ms(self.series[key] for key in keys)
        return self._read(keys, self.start_ms - margin, self.end_ms + margin)

    def _read(self, keys: Set[str], start_ms: int | None = None, end_ms: int | None = None) -> dict[str, Samples]:
        if not keys:
            return {}
        start_ms = self.start_ms if start_ms is None else start_ms
        return self._frames.read(sorted(keys), start_ms, self.end_ms if end_ms is None else end_ms)

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
        return self.meter_part(key, math.fsum(energy_j(curve, start, end) for start, end in spans), spans, covered_s)

    def share_parts(self, share: SupplyShare) -> list[Part]:
        """Return what the meters of a shared supply contributed; the error limit of its split is not known."""
        limit = None if len(share.supply.nodes) == 1 else math.nan
        return [
            self.meter_part(
                self.power_key(key),
                joules,
                [(share.start_ms, share.end_ms)],
                window(share.feeds[key], share.start_ms, share.end_ms).covered_ms / 1000.0,
                limit_pct=limit,
            )
            for key, joules in share.energies().items()
        ]

    def meter_part(
        self,
        key: str,
        joules: float,
        spans: Sequence[tuple[int, int]],
        covered_s: float = 0.0,
        step_j: float = 0.0,
        limit_pct: float | None = None,
    ) -> Part:
        """Return a contribution with the error limit of its meter; the absolute part of a limit of power is W · s."""
        info = self.series.get(key)
        limit = self._limit_pct(info, spans) if limit_pct is None else limit_pct
        limit_abs = (info.accuracy_abs or 0.0) if info else 0.0
        limit_j = limit_abs if info and info.quantity is Quantity.ENERGY else limit_abs * covered_s
        return Part(joules, limit, limit_j, group=(info.meter or info.device) if info else key, step=step_j)

    def _limit_pct(self, info: SeriesInfo | None, spans: Sequence[tuple[int, int]]) -> float:
        """Return the error limit of a meter, of a class by the current; NaN where none is stated [%]."""
        if info is None or info.accuracy_pct is None:
            return math.nan
        if info.accuracy_over_current is None:
            return info.accuracy_pct
        power = self.power(f"{info.device}/{info.point}", counted=True)
        current = mean_current(line_currents(info, self.series), self.curve)
        return class_limit_pct(power, current, info.accuracy_over_current, spans)

    def _whole(self, devices: Sequence[Device]) -> list[str]:
        """Return the power series of a whole node: one total, else all its power supplies."""
        names = {d.key for d in devices}
        power = [s for s in self.series.values() if s.device in names and s.quantity is Quantity.POWER]
        for point in WHOLE:
            if found := [s.key for s in power if s.point == point]:
                return found[:1]
        return [s.key for s in power if s.point.startswith("psu/")]


def _rated_w(facility: Facility, nodes: Iterable[str]) -> float | None:
    """Return the rated power of some nodes together; None where it is not known of one."""
    models = [facility.model_of(facility.nodes[node]) if node in facility.nodes else None for node in nodes]
    rated = [model.rated_w for model in models if model and model.rated_w is not None]
    return sum(rated) if rated and len(rated) == len(models) else None


def _by_number(point: str) -> tuple[int, str]:
    name = point.rpartition("/")[2]
    return (int(name), "") if name.isdigit() else (1 << 30, name)
