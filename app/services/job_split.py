"""Where the energy of a job went: by part (GPUs, the rest) and by cause (idle baseline, dynamic)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.curve import Curve, add, subtract, window
from app.domain.energy import energy_j
from app.figures.numbers import THIN, coverage, num, span
from app.services.context import Context
from app.services.idle import Baseline, idle_baseline
from app.services.job_power import JobPart, JobPower

WHOLE = 0.999
"""A division over less of the time says so."""
MOST_MEASURED = 8
"""The idle power of more nodes is not measured, only taken as declared: each would be a month of readings."""


@dataclass(frozen=True)
class Share:
    """A part of the energy [J], and the colour token of its bar."""

    name: str
    energy_j: float
    color: str


@dataclass(frozen=True)
class Split:
    """Energy divided without remainder; a division that nothing supports is empty. notes: what it stands on."""

    title: str
    parts: Sequence[Share]
    causes: Sequence[Share]
    notes: Sequence[str]


def job_split(context: Context, power: JobPower) -> Split | None:
    """The energy of a job divided; None where neither GPUs nor an idle baseline tell anything."""
    parts, part_notes = _by_part(power)
    causes, cause_notes = _by_cause(context, power)
    if not parts and not causes:
        return None
    return Split(_title(parts, causes), parts, causes, [*part_notes, *cause_notes])


def _title(parts: Sequence[Share], causes: Sequence[Share]) -> str:
    first = (parts or causes)[0]
    share = 100 * first.energy_j / math.fsum(s.energy_j for s in parts or causes)
    if parts:
        return f"{first.name} took {num(share)}{THIN}% of the energy"
    return f"{num(share)}{THIN}% of the energy came on top of idling"


def _by_part(power: JobPower) -> tuple[list[Share], list[str]]:
    known = [part for part in power.parts if part.power.gpus and len(part.power.total)]
    if not known or not any(part.gpus for part in known):
        return [], []
    own = sum(_gpu_j(part, own=True) for part in known)
    others = sum(_gpu_j(part, own=False) for part in known)
    rests = [_rest(part) for part in known]
    rest = math.fsum(energy_j(r, p.power.start_ms, p.power.end_ms) for r, p in zip(rests, known, strict=True))
    if rest < 0:
        return [], ["The GPUs read more than the whole node: the parts contradict each other and are not divided."]
    name = "GPUs" if sum(len(part.gpus) for part in known) > 1 else "The GPU"
    shares = [Share(name, own, "gpu")]
    if others:
        shares.append(Share("Other GPUs", others, "idle"))
    only_parts = all(part.power.source == "components" for part in known)
    shares.append(Share("CPU packages" if only_parts else "Rest", rest, "aux"))
    return shares, _part_notes(power, known, rests, only_parts)


def _part_notes(power: JobPower, known: Sequence[JobPart], rests: Sequence[Curve], only_parts: bool) -> list[str]:
    notes = [] if only_parts else ["Rest: CPUs, fans, memory, network, conversion losses."]
    wanted = sum(part.power.end_ms - part.power.start_ms for part in power.parts)
    both = sum(r.covered_ms for r in rests) / wanted if wanted else 0.0
    if both < WHOLE:
        notes.append(f"Over the {coverage(both)} of the node time in which wall and GPUs were read.")
    return notes


def _rest(part: JobPart) -> Curve:
    """What the node draws beside all its GPUs, where both are covered."""
    power = part.power
    return window(subtract(power.total, add(list(power.gpus.values()))), power.start_ms, power.end_ms)


def _gpu_j(part: JobPart, *, own: bool) -> float:
    """Energy of the job's own GPUs, or of the node's others, where wall and all GPUs are covered."""
    power = part.power
    points = [point for point in power.gpus if (point in part.gpus) is own]
    if not points:
        return 0.0
    gpus = add([power.gpus[point] for point in points])
    both = add([gpus, _rest(part)])
    return energy_j(both, power.start_ms, power.end_ms) - energy_j(_rest(part), power.start_ms, power.end_ms)


def _by_cause(context: Context, power: JobPower) -> tuple[list[Share], list[str]]:
    if not power.parts or not any(len(part.power.total) for part in power.parts):
        return [], []
    many = len(power.parts) > MOST_MEASURED
    idles = [(p, idle_baseline(context, p.power.node, power.end_ms, declared_only=many)) for p in power.parts]
    if any(found is None for _, found in idles):
        return [], []
    known = [(part, found) for part, found in idles if found is not None]
    base = math.fsum(found.w * part.power.total.covered_ms / 1000 for part, found in known)
    whole = math.fsum(energy_j(p.power.total, p.power.start_ms, p.power.end_ms) for p, _ in known)
    if not 0 < base < whole:
        return [], []
    shares = [Share("Dynamic", whole - base, "power"), Share("Idle", base, "idle")]
    return shares, [_baseline_note([found for _, found in known])]


def _baseline_note(found: Sequence[Baseline]) -> str:
    watts = num(sum(b.w for b in found))
    measured = [b.idle_ms for b in found if b.idle_ms is not None]
    if not measured:
        return f"Idle: {watts}{THIN}W, declared by the model."
    where = "the node" if len(found) == 1 else f"{len(found)} nodes"
    return f"Idle: {watts}{THIN}W, the median of {where} over {span(min(measured) / 1000)} without a job in 30 days."
