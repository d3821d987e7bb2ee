"""The energy of a job divided: by part (its GPUs, the rest) and by cause (idle baseline, dynamic)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from app.domain.energy import Baseline, energy_j
from app.domain.timeseries import Curve, add, subtract, window
from app.models import EnergyByCause, EnergyByPart
from app.services.jobs.power import JobPart, JobPower


def by_part(power: JobPower) -> EnergyByPart | None:
    """Return GPU energy and the rest, over the time in which node and GPUs were read; None where no GPU reports power.

    `rest_j` is negative where the GPUs read more than the whole node. `other_gpus_j`: GPUs of its own nodes that an
    exclusive job does not list; of a shared node they are not in its energy.
    """
    known = [part for part in power.parts if part.power.gpus and len(part.own)]
    if not any(part.gpus for part in known):
        return None
    rows = [_shared(part) if part.share is not None else _whole(part) for part in known]
    wanted = sum(part.span_ms for part in power.parts)
    return {
        "gpu_j": math.fsum(gpu_j for gpu_j, _, _, _ in rows),
        "other_gpus_j": math.fsum(other_j for _, other_j, _, _ in rows),
        "rest_j": math.fsum(rest_j for _, _, rest_j, _ in rows),
        "coverage": sum(covered_ms for *_, covered_ms in rows) / wanted if wanted else 0.0,
        "components_only": all(part.power.source == "components" for part in known),
    }


def _shared(part: JobPart) -> tuple[float, float, float, int]:
    share = part.share
    assert share is not None
    return share.gpu_j, 0.0, share.energy_j - share.gpu_j, share.known_ms


def _whole(part: JobPart) -> tuple[float, float, float, int]:
    start, end = part.power.start_ms, part.power.end_ms
    rest = window(subtract(part.own, add(list(part.power.gpus.values()))), start, end)
    own = {point for point in part.power.gpus if point in part.gpus}
    others = set(part.power.gpus) - own
    return (
        _beside(part, rest, sorted(own)),
        _beside(part, rest, sorted(others)),
        energy_j(rest, start, end),
        rest.covered_ms,
    )


def _beside(part: JobPart, rest: Curve, points: Sequence[str]) -> float:
    """Return the energy of some GPUs while the node and all GPUs are covered."""
    if not points:
        return 0.0
    start, end = part.power.start_ms, part.power.end_ms
    both = add([add([part.power.gpus[point] for point in points]), rest])
    return energy_j(both, start, end) - energy_j(rest, start, end)


def by_cause(power: JobPower, idle: Mapping[str, Baseline | None]) -> EnergyByCause | None:
    """Return the idle energy of the nodes while they are covered, and the energy above it.

    None where an idle power is not known, and on shared nodes: their idle power is not one job's.
    """
    if power.is_shared or not any(len(part.own) for part in power.parts):
        return None
    found = [(baseline, part) for part in power.parts if (baseline := idle.get(part.power.node)) is not None]
    if len(found) < len(power.parts):
        return None
    base_j = math.fsum(baseline.w * part.own.covered_ms / 1000 for baseline, part in found)
    measured = [baseline.idle_ms for baseline, _ in found if baseline.idle_ms is not None]
    return {
        "baseline_j": base_j,
        "dynamic_j": math.fsum(part.integral_j for part in power.parts) - base_j,
        "baseline_w": math.fsum(baseline.w for baseline, _ in found),
        "measured_s": min(measured) / 1000 if measured else None,
    }
