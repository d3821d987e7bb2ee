"""Compute the figures of a job, each with its basis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from app.domain.capacity import headroom
from app.domain.energy import Baseline, K, Part, Statistics, expanded_pct, mean_w, statistics
from app.domain.timeseries import Curve, rfc3339, window
from app.services.attribution import NodeShare
from app.services.energy import Source, caliber
from app.services.factors import SiteFactors
from app.services.jobs.breakdown import by_cause, by_part
from app.services.jobs.costs import job_costs, read_factors
from app.services.jobs.energy_comparison import nameplates
from app.services.jobs.gpus import gpu_figures
from app.services.jobs.idle import idle_baselines
from app.services.jobs.power import JobPart, JobPower, power_of, read_job
from app.services.jobs.stores import JobStores
from app.store.jobs import Job, Summary

SPARKLINE_POINTS = 60
_LEAST_FIRST: tuple[Source, ...] = ("components", "bmc", "pdu", "meter")
_MOST_STRETCHES = 100


@dataclass(frozen=True)
class Energy:
    """Energy of a job both ways [J], each with the share of node-time it covers; counter None unless all have one.

    A shared node has no counter energy: its registers count all its jobs together. `counter_step`: their resolution.
    """

    integral: float
    coverage: float
    counter: float | None = None
    counter_coverage: float | None = None
    counter_step: float | None = None
    counter_is_headline: bool = False

    @property
    def headline(self) -> tuple[float, float, str]:
        """Energy, its coverage, and its method."""
        if self.counter_is_headline and self.counter is not None and self.counter_coverage is not None:
            return self.counter, self.counter_coverage, "counter"
        return self.integral, self.coverage, "integral"


@dataclass(frozen=True)
class SummaryInputs:
    """What the figures of a job are computed from. idle: by node. factors: by site."""

    power: JobPower
    idle: Mapping[str, Baseline | None]
    factors: Mapping[str | None, SiteFactors]
    now_ms: int


def read_summary_inputs(stores: JobStores, job: Job, now_ms: int, *, has_readings: bool = True) -> SummaryInputs:
    """Read what the figures of a job are computed from; without `has_readings` some are deleted."""
    inputs = read_job(stores, job)
    inputs = inputs if has_readings else inputs.without_readings()
    inputs.nodes.frames.read_parts()
    power = power_of(inputs)
    has_idle = not power.is_shared and any(len(part.own) for part in power.parts)
    return SummaryInputs(power, idle_baselines(stores, power) if has_idle else {}, read_factors(stores, power), now_ms)


def summarize(inputs: SummaryInputs) -> Summary:
    """Compute all figures of a job."""
    power = inputs.power
    found = statistics(power.total, power.start_ms, power.end_ms)
    energy = _energy(power.parts)
    joules, coverage, _ = energy.headline
    measured = measured_energy(power, energy)
    duration_s = (power.end_ms - power.start_ms) / 1000
    content: dict[str, Any] = {
        "duration_s": duration_s,
        **measured,
        "energy_kwh": joules / 3.6e6 if coverage else None,
        "power_w": _power(found),
        **_headroom(power.rated_w, found.max),
        "load_factor": _number(found.load_factor),
        "gpu": gpu_figures(power.parts),
        "by_part": by_part(power),
        "by_cause": by_cause(power, inputs.idle),
        **job_costs(power, inputs.factors, joules),
        "nameplates": nameplates(power),
        "shared": power.is_shared,
        "inside_j": math.fsum(part.energy_j for part in power.parts if part.inside is not None),
        "energy_by": _energy_by(energy),
        "fallback": _fallback(power.parts),
    }
    return Summary(
        content,
        inputs.now_ms,
        energy_j=content["energy_j"],
        inside_j=content["inside_j"],
        mean_w=_number(found.mean),
        median_w=_number(found.median),
        max_w=_number(found.max),
        duration_s=duration_s,
        coverage=coverage,
        source=measured["source"],
        sparkline=sparkline(power.total, power.start_ms, power.end_ms),
    )


def measured_energy(power: JobPower, energy: Energy | None = None) -> dict[str, Any]:
    """Return the energy [J] of a job or of a part of its time, and how it was measured."""
    energy = _energy(power.parts) if energy is None else energy
    joules, coverage, method = energy.headline
    source = _source(power.parts)
    return {
        "energy_j": joules if coverage else None,
        "coverage": coverage,
        "method": method,
        "source": source,
        "caliber": _caliber(power, source, coverage),
        "uncertainty_pct": _number(expanded_pct(_parts(power.parts, method))),
        "k": int(K),
        "by_node": [_node(part) for part in power.parts],
    }


def sparkline(curve: Curve, start_ms: int, end_ms: int) -> tuple[float | None, ...]:
    """Mean power [W] of at most 60 equal stretches, none shorter than a second; None where not covered."""
    n = max(1, min(SPARKLINE_POINTS, (end_ms - start_ms) // 1000))
    edges = [start_ms + (end_ms - start_ms) * i // n for i in range(n + 1)]
    part = window(curve, start_ms, end_ms)
    return tuple(_number(mean_w(part, a, b)) for a, b in pairwise(edges))


def _number(x: float) -> float | None:
    return x if math.isfinite(x) else None


def _power(found: Statistics) -> dict[str, Any]:
    names = ("mean", "median", "min", "max", "p5", "p25", "p75", "p95", "p99")
    return {name: _number(getattr(found, name)) for name in names} | {"max_at": rfc3339(found.max_at_ms)}


def _headroom(rated_w: float | None, max_w: float) -> dict[str, float | None]:
    if rated_w is None or math.isnan(max_w):
        return {"rated_w": rated_w, "headroom_w": None, "headroom_pct": None}
    left = headroom(rated_w, max_w)
    return {"rated_w": rated_w, "headroom_w": left.w, "headroom_pct": left.pct}


def _energy(parts: Sequence[JobPart]) -> Energy:
    """Σ of the nodes' own energies: a silent PDU costs its own nodes' minutes, not the whole job."""
    wanted = sum(p.span_ms for p in parts)
    integral = math.fsum(p.energy_j for p in parts)
    coverage = sum(_known_ms(p) for p in parts) / wanted if wanted else 0.0
    counters = [p.power.counter for p in parts if p.power.counter is not None and p.share is None]
    if not parts or len(counters) < len(parts):
        return Energy(integral, coverage)
    counter_coverage = sum(c.covered_ms for c in counters) / wanted
    headline = all(c.is_headline for c in counters) and counter_coverage >= coverage
    step = sum(c.step_j for c in counters)
    return Energy(integral, coverage, math.fsum(c.energy_j for c in counters), counter_coverage, step, headline)


def _known_ms(part: JobPart) -> int:
    return part.own.covered_ms if part.share is None else part.share.known_ms


def _caliber(power: JobPower, source: Source | None, coverage: float) -> str:
    """A share of a measured node is derived from measurements, not one itself."""
    found = caliber(source, coverage)
    return "estimated" if found == "actual" and power.is_shared else found


def _energy_by(energy: Energy) -> dict[str, float | None]:
    both = energy.counter is not None and energy.integral > 0
    return {
        "integral": energy.integral if energy.coverage else None,
        "counter": energy.counter if energy.counter_coverage else None,
        "difference_pct": 100 * (energy.counter / energy.integral - 1) if both and energy.counter else None,
        "integral_coverage": energy.coverage,
        "counter_coverage": energy.counter_coverage,
        "counter_step_j": _number(energy.counter_step) if energy.counter_step is not None else None,
    }


def _source(parts: Sequence[JobPart]) -> Source | None:
    """Where the energy comes from; of several, the one that says least about the wall."""
    sources = {p.power.source for p in parts}
    return next((source for source in _LEAST_FIRST if source in sources), None)


def _parts(parts: Sequence[JobPart], method: str) -> list[Part]:
    if method == "counter":
        return [part for p in parts for part in p.power.counter_parts]
    return [part for p in parts for part in (p.power.parts if p.share is None else p.share.parts)]


def _node(part: JobPart) -> dict[str, Any]:
    power, found = part.power, statistics(part.own, part.power.start_ms, part.power.end_ms)
    return {
        "node": power.node,
        "energy_j": part.energy_j if found.covered_ms else None,
        "max_w": _number(found.max),
        "source": power.source,
        "coverage": _known_ms(part) / part.span_ms,
        "missing": [key for key, _ in power.missing],
        "inside": None if part.inside is None else {"job": part.inside.job, "name": part.inside.name},
        "share": None if part.share is None else _share(part, part.share),
    }


def _share(part: JobPart, share: NodeShare) -> dict[str, Any]:
    """How a shared node was divided: by what, and how much of it is whose."""
    known = share.known_ms > 0
    return {
        "of_node_pct": 100 * share.energy_j / share.node_j if known and share.node_j > 0 else None,
        "gpu_j": share.gpu_j if known else None,
        "rest_j": share.energy_j - share.gpu_j if known else None,
        "node_j": share.node_j if share.covered_ms else None,
        "idle_j": share.idle_j if share.covered_ms else None,
        "unattributed_j": share.unattributed_j if share.covered_ms else None,
        "gpus": dict(part.gpu_parts),
        "cores": part.node.cores,
        "of_cores": share.all_cores,
        "other_jobs": share.others,
        "whole": share.whole_ms / share.covered_ms if share.covered_ms else None,
    }


def _fallback(parts: Sequence[JobPart]) -> list[dict[str, Any]]:
    """Return the times in which a BMC replaces silent outlets."""
    rows = [
        {"node": p.power.node, "source": "bmc", "from": rfc3339(start), "to": rfc3339(end)}
        for p in parts
        for start, end in p.power.fallback
    ]
    return rows[:_MOST_STRETCHES]
