"""Refuse readings that cannot be true before they are stored, whatever they were delivered with."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from app.domain.capacity import Circuit
from app.domain.plausibility import PlausibilityGate, RefusalRun, rating_limits, refusal_runs
from app.domain.timeseries import FloatArray
from app.services.timeseries.plausible_history import with_history
from app.services.timeseries.stores import IngestStores
from app.store.devices import RefusedReading
from app.store.facility import Device, Facility
from app.store.timeseries import FrameBatch, FrameStore
from collectors.contract import Layout

_GATES = 20_000
_OF_NODE = ("exporter", "bmc")


@dataclass(frozen=True)
class GatedBatch:
    """A batch whose impossible readings are missing, and what was refused of it."""

    batch: FrameBatch
    refused: Sequence[RefusedReading] = ()

    @property
    def count(self) -> int:
        """How many readings were refused."""
        return sum(one.count for one in self.refused)


@dataclass(frozen=True)
class _Declared:
    """What the facility declares of a device: breaker [A, V, phases] and rated power of its node [W]."""

    amps: float | None = None
    volts: float | None = None
    phases: int = 1
    node_w: float | None = None


@dataclass(frozen=True)
class _GateKey:
    """What a gate depends on: the content of a layout and of a declaration."""

    hash: str
    declared: _Declared
    layout: Layout = field(compare=False)


def gate_batches(stores: IngestStores, facility: Facility, batches: Iterable[FrameBatch]) -> list[GatedBatch]:
    """Return the batches without the readings that are refused, in the order given.

    Source: docs/semantics.md, "Impossible readings".
    """
    earlier = _EarlierReadings(stores.frames)
    return [_gated(stores, batch, facility, earlier) for batch in batches]


def record_refusals(stores: IngestStores, gated: Iterable[GatedBatch]) -> int:
    """Count what was refused and store it by series; return how many readings it were."""
    refused = [one for each in gated for one in each.refused]
    stores.refusals.record(refused, stores.now_ms())
    for one in refused:
        stores.counters.add(f"refused {one.reason}", one.count)
    return sum(one.count for one in refused)


class _EarlierReadings:
    """The last accepted reading of each series, loaded for a device only when it is asked for."""

    def __init__(self, frames: FrameStore) -> None:
        self._frames = frames
        self._stored: dict[str, dict[str, tuple[int, float]]] = {}
        self._passed: dict[str, list[FrameBatch]] = defaultdict(list)

    def before(self, batch: FrameBatch) -> FloatArray:
        """Return the last reading of each series before a batch, NaN where none is known."""
        device, first_ms = batch.layout.device, int(batch.t_ms[0])
        if device not in self._stored:
            frames = self._frames.latest([device]).get(device, [])
            self._stored[device] = {k: one for f in frames for k, one in _last(f.layout, f.t_ms, f.values)}
        known = self._stored[device]
        for passed in self._passed.pop(device, ()):
            known |= _last(passed.layout, int(passed.t_ms[-1]), passed.values[-1])
        found = (known.get(series.key) for series in batch.layout.series)
        return np.array([one[1] if one is not None and one[0] < first_ms else np.nan for one in found])

    def learn(self, batch: FrameBatch) -> None:
        """Use the last frame of a gated batch for later batches of the same request."""
        self._passed[batch.layout.device].append(batch)


def _last(layout: Layout, t_ms: int, values: FloatArray) -> list[tuple[str, tuple[int, float]]]:
    """Return the time and value of every series that a frame holds."""
    pairs = zip(layout.series, values.tolist(), strict=True)
    return [(series.key, (t_ms, value)) for series, value in pairs if math.isfinite(value)]


def _gated(stores: IngestStores, batch: FrameBatch, facility: Facility, earlier: _EarlierReadings) -> GatedBatch:
    if not len(batch.t_ms):
        return GatedBatch(batch)
    layout = batch.layout
    gate = _gate(_GateKey(layout.hash, _declared(facility, layout.device), layout))
    reasons = gate.judge(batch.values, lambda: earlier.before(batch))
    reasons = with_history(stores, facility, batch, reasons)
    if reasons is None:
        earlier.learn(batch)
        return GatedBatch(batch)
    runs = refusal_runs(reasons, batch.values, batch.t_ms, layout.max_gap_ms)
    refused = [_refused(layout, run) for run in runs]
    stored = FrameBatch(layout, batch.t_ms, np.where(reasons > 0, np.nan, batch.values))
    earlier.learn(stored)
    return GatedBatch(stored, refused)


@lru_cache(maxsize=_GATES)
def _gate(key: _GateKey) -> PlausibilityGate:
    given, series = key.declared, key.layout.series
    circuit = Circuit(given.amps, given.volts, given.phases) if given.amps and given.volts else None
    rated = rating_limits(
        series,
        breaker_a=given.amps,
        breaker_va=circuit.limit_va if circuit else None,
        phases=given.phases,
        node_w=given.node_w,
    )
    return PlausibilityGate.of(series, rated)


def _declared(facility: Facility, key: str) -> _Declared:
    device = facility.devices.get(key)
    if device is None:
        return _Declared()
    breaker, node_w = device.breaker, _node_w(facility, device)
    if breaker is None:
        return _Declared(node_w=node_w)
    return _Declared(breaker.amps, breaker.volts, breaker.phases, node_w)


def _node_w(facility: Facility, device: Device) -> float | None:
    node = facility.nodes.get(device.node) if device.node and device.kind in _OF_NODE else None
    model = facility.models.get(node.model) if node is not None and node.model else None
    return model.rated_w if model is not None else None


def _refused(layout: Layout, run: RefusalRun) -> RefusedReading:
    series = layout.series[run.column]
    value = run.value if np.isfinite(run.value) else float(np.sign(run.value)) * np.finfo(np.float64).max
    return RefusedReading(
        device=layout.device,
        point=series.point,
        quantity=series.quantity.value,
        reason=run.reason.name.lower(),
        value=value,
        raw=value / series.resolution if series.resolution and abs(value) < 1e18 else None,
        count=run.count,
        first_ms=run.first_ms,
        last_ms=run.last_ms,
        since_ms=run.since_ms,
        run_count=run.run_count,
        max_gap_ms=layout.max_gap_ms,
    )
