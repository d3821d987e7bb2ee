"""The GPUs of a job: their energy one by one, how busy they were, what they took while they did nothing."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from app.domain.energy import ConditionalEnergy, energy_below, energy_j, statistics
from app.domain.timeseries import Curve, local_date, local_days, window
from app.models import GpuFigure, GpuFigures, GpuIdle
from app.services.jobs.power import JobPart

IDLE_BELOW_PCT = 1.0
"""A GPU is idle where NVML reports a utilization of 0: "percent of time over the past sample period during which one
or more kernels was executing". Source: NVML API reference, nvmlUtilization_t."""
MOST_LISTED = 64
"""A job of more GPUs lists only their sums."""


@dataclass(frozen=True)
class _Gpu:
    """A GPU of a part; `power` is the job's part of it."""

    part: JobPart
    point: str
    power: Curve | None
    load: Curve | None

    @property
    def span(self) -> tuple[int, int]:
        return self.part.power.start_ms, self.part.power.end_ms

    @property
    def idle(self) -> ConditionalEnergy | None:
        """Return energy and time below the idle limit; None where power or utilization is not reported."""
        if self.power is None or self.load is None:
            return None
        found = energy_below(self.power, self.load, IDLE_BELOW_PCT, *self.span)
        return found if found.covered_ms else None

    def idle_by_day(self, timezone: str | None) -> Iterator[tuple[str, float]]:
        """Yield the days in which it was allocated, with the energy [J] that it took below the idle limit."""
        start_ms, end_ms = self.span
        if self.power is None or self.load is None or end_ms <= start_ms:
            return
        first, last = local_date(start_ms, timezone), local_date(end_ms - 1, timezone)
        for day in local_days(first, last + timedelta(days=1), timezone):
            span = max(start_ms, day.start_ms), min(end_ms, day.end_ms)
            found = energy_below(self.power, self.load, IDLE_BELOW_PCT, *span)
            if found.covered_ms:
                yield day.date.isoformat(), found.energy_j


def gpu_figures(parts: Sequence[JobPart], timezones: Mapping[str, str | None]) -> GpuFigures | None:
    """Return the figures of the GPUs that a job holds; None where none of them reports anything.

    timezones: of the days, by node.
    """
    gpus = list(_gpus(parts))
    if not gpus:
        return None
    energy = _energy(parts, gpus)
    return {
        "energy_j": energy,
        "utilization_mean_pct": _load(gpus),
        "idle": _idle(gpus, energy, timezones),
        "count": len(gpus),
        "by_gpu": [_row(gpu) for gpu in gpus] if len(gpus) <= MOST_LISTED else [],
    }


def _gpus(parts: Sequence[JobPart]) -> Iterator[_Gpu]:
    for part in parts:
        for point in dict.fromkeys([*part.gpus, *part.gpu_utilization]):
            yield _Gpu(part, point, part.gpus.get(point), part.gpu_utilization.get(point))


def _energy(parts: Sequence[JobPart], gpus: Sequence[_Gpu]) -> float | None:
    """On a shared node what the division gave it for its GPUs, so that GPUs and rest are the whole."""
    whole = [energy_j(gpu.power, *gpu.span) for gpu in gpus if gpu.power is not None and gpu.part.share is None]
    divided = [part.share.gpu_j for part in parts if part.share is not None and part.gpus]
    return math.fsum([*whole, *divided]) if whole or divided else None


def _load(gpus: Sequence[_Gpu]) -> float | None:
    inside = [window(gpu.load, *gpu.span) for gpu in gpus if gpu.load is not None]
    covered = sum(load.covered_ms for load in inside)
    spans = [gpu.span for gpu in gpus if gpu.load is not None]
    load = math.fsum(energy_j(curve, *span) for curve, span in zip(inside, spans, strict=True))
    return 1000 * load / covered if covered else None


def _idle(gpus: Sequence[_Gpu], energy: float | None, timezones: Mapping[str, str | None]) -> GpuIdle | None:
    """Allocated, and doing nothing."""
    known = [(gpu, below) for gpu in gpus if (below := gpu.idle) is not None]
    if not known:
        return None
    joules = math.fsum(below.energy_j for _, below in known)
    wanted = sum(gpu.part.span_ms for gpu in gpus)
    return {
        "energy_j": joules,
        "energy_pct": 100 * joules / energy if energy else None,
        "gpu_hours": sum(below.below_ms for _, below in known) / 3.6e6,
        "below_pct": IDLE_BELOW_PCT,
        "coverage": sum(below.covered_ms for _, below in known) / wanted if wanted else None,
        "by_day": _by_day([gpu for gpu, _ in known], timezones),
    }


def _by_day(gpus: Sequence[_Gpu], timezones: Mapping[str, str | None]) -> dict[str, float]:
    days: dict[str, float] = defaultdict(float)
    for gpu in gpus:
        for day, joules in gpu.idle_by_day(timezones.get(gpu.part.power.node)):
            days[day] += joules
    return dict(sorted(days.items()))


def _row(gpu: _Gpu) -> GpuFigure:
    found = statistics(gpu.power, *gpu.span) if gpu.power is not None else None
    covered = found is not None and found.covered_ms > 0
    idle = gpu.idle
    return {
        "node": gpu.part.power.node,
        "gpu": gpu.point,
        "label": gpu.part.power.gpu_labels.get(gpu.point) or None,
        "part": gpu.part.gpu_parts.get(gpu.point, 1.0),
        "energy_j": energy_j(gpu.power, *gpu.span) if covered and gpu.power is not None else None,
        "mean_w": found.mean if covered and found else None,
        "max_w": found.max if covered and found else None,
        "coverage": found.covered_ms / gpu.part.span_ms if found else 0.0,
        "utilization_mean_pct": _load([gpu]),
        "idle_energy_j": idle.energy_j if idle else None,
    }
