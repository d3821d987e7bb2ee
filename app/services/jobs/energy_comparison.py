"""A job's energy beside what others make of it: per unit of work, by Slurm, by nameplates times time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from app.errors import Mistake
from app.models import ComparedEnergy, Nameplates, WorkDone
from app.services.jobs.power import JobPart, JobPower, model_at
from app.store.jobs import Job

PER = "per:"
"""A tag `per:samples` counts units of work: the job did so many samples."""
QUERIES = "queries"
"""The tag of imported benchmark runs that counts theirs."""
SLURM = "slurm_consumed_energy_j"
"""The tag that holds Slurm's own ConsumedEnergy [J]."""
COVERED = 0.99
"""Energy over less of the time is compared with nothing: what is missing would count as a difference."""


def units_of_work(tags: Mapping[str, str]) -> dict[str, float]:
    """Unit → how many of it the tags count; what is no positive number counts nothing."""
    counted = {name.removeprefix(PER): value for name, value in tags.items() if name.startswith(PER)}
    if QUERIES in tags:
        counted.setdefault(QUERIES, tags[QUERIES])
    return {unit: count for unit, value in counted.items() if unit and (count := _positive(value)) is not None}


def unit_mistakes(tags: Mapping[str, str]) -> list[Mistake]:
    """Tags that mean to count work and do not."""
    hint = "write it like per:samples = 1.2e6: how many of them the run did"
    return [
        Mistake(f"tags.{name}", f"{value!r} is not a positive number", hint)
        for name, value in tags.items()
        if name.startswith(PER) and (name == PER or _positive(value) is None)
    ]


def per_unit(job: Job, energy_j: float | None) -> dict[str, WorkDone]:
    """Unit → `count` and `j_per` (null without an energy)."""
    return {
        unit: {"count": count, "j_per": None if energy_j is None else energy_j / count}
        for unit, count in units_of_work(job.tags).items()
    }


def compared(job: Job, content: Mapping[str, Any]) -> dict[str, ComparedEnergy]:
    """What others say this job took [J], and by how much that is wrong: their figure / ours − 1 [%].

    `slurm`: its ConsumedEnergy. `gpu_tdp`: rated power of the GPUs held × time, also against the GPUs alone.
    `rated`: nameplate of its nodes × time.
    """
    ours = content.get("energy_j") if (content.get("coverage") or 0.0) >= COVERED else None
    gpu = content.get("gpu") or {}
    stated = {name: joules for name, joules in (content.get("nameplates") or {}).items() if joules is not None}
    if (slurm := _positive(job.tags.get(SLURM))) is not None:
        stated = {"slurm": slurm} | stated
    found: dict[str, ComparedEnergy] = {
        name: {"energy_j": joules, "difference_pct": _wrong(joules, ours)} for name, joules in stated.items()
    }
    if "gpu_tdp" in found:
        of_gpus = gpu.get("energy_j") if ours is not None else None
        found["gpu_tdp"]["difference_from_gpus_pct"] = _wrong(stated["gpu_tdp"], of_gpus)
    return found


def nameplates(power: JobPower) -> Nameplates:
    """Rated power × the time held [J]: of the GPUs (their TDP), of whole nodes; None where not declared."""
    return {"gpu_tdp": _gpu_tdp_j(power), "rated": _rated_j(power)}


def _gpu_tdp_j(power: JobPower) -> float | None:
    found = []
    for part in power.parts:
        model = model_at(power.inputs.facility, part.power.node, power.job.start_ms)
        count = _gpus_held(part, model.gpus if model else None)
        if count and (model is None or model.gpu_tdp_w is None):
            return None
        found.append(count * (model.gpu_tdp_w or 0.0) * part.span_ms / 1000 if model else 0.0)
    return math.fsum(found) or None


def _gpus_held(part: JobPart, gpus: int | None) -> float:
    """How many GPUs; a job that lists none and has the node for itself holds as many as the model has, read or not."""
    held = math.fsum(part.gpu_parts.values())
    return max(held, float(gpus or 0)) if part.node.gpus is None and part.share is None else held


def _rated_j(power: JobPower) -> float | None:
    rated = [(model_at(power.inputs.facility, p.power.node, power.job.start_ms), p.span_ms) for p in power.parts]
    if power.is_shared or not rated or any(model is None or model.rated_w is None for model, _ in rated):
        return None
    return math.fsum((model.rated_w or 0.0) * ms / 1000 for model, ms in rated if model)


def _wrong(theirs: float, ours: float | None) -> float | None:
    return 100 * (theirs / ours - 1) if ours else None


def _positive(text: str | None) -> float | None:
    found = number(text)
    return found if found is not None and math.isfinite(found) and found > 0 else None


def number(text: str | None) -> float | None:
    """Return the number that a tag holds; None where it is not one."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
