"""Compute the figures of a job, each with its basis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.domain.capacity import headroom
from app.domain.energy import Baseline, K, NodeEnergy, Statistics, TotalEnergy, mean_w, statistics, total_energy
from app.domain.timeseries import Curve, rfc3339, window
from app.models import (
    EnergyMethods,
    FallbackStretch,
    JobFiguresStored,
    JobHeadroom,
    JobNodeFigures,
    JobPowerStatistics,
    MeasuredEnergy,
    SharedNodeFigures,
    UncertaintyBySource,
    stretch_answer,
)
from app.services.attribution import NodeShare
from app.services.energy import Source, caliber
from app.services.factors import SiteFactors
from app.services.jobs.breakdown import by_cause, by_part
from app.services.jobs.costs import job_costs, read_factors, site_of
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
    joules, coverage = power.energy.energy_j, power.energy.coverage
    measured = measured_energy(power)
    duration_s = (power.end_ms - power.start_ms) / 1000
    content: JobFiguresStored = {
        "duration_s": duration_s,
        **measured,
        "energy_kwh": joules / 3.6e6 if coverage else None,
        "power_w": _power(power, found),
        **_headroom(power.rated_w, math.nan if power.is_coarse else found.max),
        "load_factor": None if power.is_coarse else _number(found.load_factor),
        "gpu": gpu_figures(power.parts, _timezones(power)),
        "by_part": by_part(power),
        "by_cause": by_cause(power, inputs.idle),
        **job_costs(power, inputs.factors, joules),
        "nameplates": nameplates(power),
        "shared": power.is_shared,
        "inside_j": math.fsum(part.energy_j for part in power.parts if part.inside is not None),
        "uncertainty": _uncertainty(power.energy),
        "energy_by": _energy_by(power.parts),
        "fallback": _fallback(power.parts),
    }
    return Summary(
        content,
        inputs.now_ms,
        energy_j=content["energy_j"],
        inside_j=content["inside_j"],
        mean_w=_number(found.mean),
        median_w=content["power_w"]["median"],
        max_w=content["power_w"]["max"],
        duration_s=duration_s,
        coverage=coverage,
        source=measured["source"],
        sparkline=sparkline(power.total, power.start_ms, power.end_ms),
    )


def measured_energy(power: JobPower) -> MeasuredEnergy:
    """Return the energy [J] of a job or of a part of its time, and how it was measured."""
    energy, source = power.energy, _source(power.parts)
    return {
        "energy_j": energy.energy_j if energy.coverage else None,
        "coverage": energy.coverage,
        "readings": energy.readings,
        "method": energy.method,
        "by_method": {"counter": None, "integral": None} | dict(energy.by_method),
        "power_basis": power.power_basis,
        "source": source,
        "caliber": _caliber(power, source, energy.coverage),
        "uncertainty_pct": _uncertainty_pct(energy),
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


def _power(power: JobPower, found: Statistics) -> JobPowerStatistics:
    """Return the figures of the power; of registers with too few steps the mean alone.

    `max_over_s`: the highest mean over that time, where power is derived; null where it was measured.
    """
    known = not power.is_coarse
    span_ms = power.span_at(found.max_at_ms) if known and found.max_at_ms is not None else 0
    return {
        "mean": _number(found.mean),
        "median": _number(found.median) if known else None,
        "min": _number(found.min) if known else None,
        "max": _number(found.max) if known else None,
        "p5": _number(found.p5) if known else None,
        "p25": _number(found.p25) if known else None,
        "p75": _number(found.p75) if known else None,
        "p95": _number(found.p95) if known else None,
        "p99": _number(found.p99) if known else None,
        "max_at": rfc3339(found.max_at_ms) if known else None,
        "max_over_s": span_ms / 1000 if span_ms else None,
    }


def _headroom(rated_w: float | None, max_w: float) -> JobHeadroom:
    if rated_w is None or math.isnan(max_w):
        return {"rated_w": rated_w, "headroom_w": None, "headroom_pct": None}
    left = headroom(rated_w, max_w)
    return {"rated_w": rated_w, "headroom_w": left.w, "headroom_pct": left.pct}


def _caliber(power: JobPower, source: Source | None, coverage: float) -> str:
    """A share of a measured node is derived from measurements, not one itself."""
    found = caliber(source, coverage, power.energy.readings)
    return "estimated" if found == "actual" and power.is_shared else found


def _uncertainty_pct(energy: TotalEnergy) -> float | None:
    joules = abs(energy.energy_j)
    return _number(100 * K * energy.uncertainty.total_j / joules) if joules else None


def _uncertainty(energy: TotalEnergy) -> UncertaintyBySource:
    found = energy.uncertainty
    by_meter = {meter: _number(own_j) for meter, own_j in found.by_meter.items()}
    return {"by_meter": by_meter, "other_j": _number(found.other_j)}


def _timezones(power: JobPower) -> dict[str, str | None]:
    """Node → zone of the clocks of its site."""
    sites = power.inputs.facility.at(power.end_ms).sites
    keys = {part.power.node: site_of(power, part) for part in power.parts}
    return {node: sites[key].timezone if key and key in sites else None for node, key in keys.items()}


def _energy_by(parts: Sequence[JobPart]) -> EnergyMethods:
    """Return the energy of all nodes by each method alone; null where a node lacks it."""
    nodes = [part.energy for part in parts]
    integral, counter = total_energy(nodes, "integral"), total_energy(nodes, "counter")
    integral_j, counter_j = (e.energy_j if e and e.coverage else None for e in (integral, counter))
    return {
        "integral": integral_j,
        "counter": counter_j,
        "difference_pct": 100 * (counter_j / integral_j - 1) if counter_j and integral_j else None,
        "integral_coverage": integral.coverage if integral else None,
        "counter_coverage": counter.coverage if counter and counter_j is not None else None,
        "integral_uncertainty_pct": _uncertainty_pct(integral) if integral else None,
        "counter_uncertainty_pct": _uncertainty_pct(counter) if counter else None,
        "counter_step_j": None if counter_j is None else _step_j(nodes),
    }


def _step_j(nodes: Sequence[NodeEnergy]) -> float | None:
    return _number(math.fsum(part.step for node in nodes if node.counter for part in node.counter.parts))


def _source(parts: Sequence[JobPart]) -> Source | None:
    """Where the energy comes from; of several, the one that says least about the wall."""
    sources = {_energy_source(p) for p in parts}
    return next((source for source in _LEAST_FIRST if source in sources), None)


def _energy_source(part: JobPart) -> Source | None:
    """Return what the energy comes from: registers are those of the cords."""
    return part.power.wall_source if part.energy.method == "counter" else part.power.source


def _node(part: JobPart) -> JobNodeFigures:
    power, found = part.power, statistics(part.own, part.power.start_ms, part.power.end_ms)
    energy = part.energy.by(part.energy.method)
    return {
        "node": power.node,
        "energy_j": energy.energy_j if energy else None,
        "method": part.energy.method if energy else None,
        "readings": energy.readings if energy else 0,
        "power_basis": power.power_basis,
        "max_w": None if power.is_coarse else _number(found.max),
        "source": _energy_source(part),
        "coverage": part.covered_ms / part.span_ms,
        "missing": [key for key, _ in power.missing],
        "inside": None if part.inside is None else {"job": part.inside.job, "name": part.inside.name},
        "share": None if part.share is None else _share(part, part.share),
    }


def _share(part: JobPart, share: NodeShare) -> SharedNodeFigures:
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


def _fallback(parts: Sequence[JobPart]) -> list[FallbackStretch]:
    """Return the times in which a BMC replaces silent outlets."""
    rows: list[FallbackStretch] = [
        {"node": p.power.node, "source": "bmc", **stretch_answer(start, end)}
        for p in parts
        for start, end in p.power.fallback
    ]
    return rows[:_MOST_STRETCHES]
