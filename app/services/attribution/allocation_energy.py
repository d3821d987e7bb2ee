"""The share of a node's energy that a job gets when it shares the node with other jobs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.domain.energy import Part
from app.domain.timeseries import Curve
from app.services.attribution.attribution import attribution_of
from app.services.attribution.gpu_claims import SLICES, held_gpus
from app.services.attribution.node_inputs import NodeInputs
from app.services.energy import NodePower
from app.store.facility import Model
from app.store.jobs import Allocation, JobNode
from collectors.contract import Quantity


@dataclass(frozen=True)
class NodeShare:
    """A job's share of a node, inside a window.

    Attributes
    ----------
    curve: the job's power [W], level in each common interval; covered where its share is known.
    energy_j, gpu_j: energy of the job, and that of its GPUs in it [J].
    node_j: energy of the node [J]; idle_j and unattributed_j of it belong to no job.
    covered_ms, known_ms, whole_ms: time in which the node is covered, any of the share is known, none of it is missing.
    all_cores: of the node; None where its model does not state them.
    others: how many other jobs were on it.
    parts: contribution of each meter to the energy, for its uncertainty. time_j: that of the time resolution [J].
    """

    curve: Curve
    energy_j: float
    gpu_j: float
    node_j: float
    idle_j: float
    unattributed_j: float
    covered_ms: int
    known_ms: int
    whole_ms: int
    all_cores: int | None
    others: int
    parts: Sequence[Part]
    time_j: float


def gpu_parts(
    node: JobNode, others: Sequence[Allocation], labels: Mapping[str, str], slices: int | None
) -> dict[str, float]:
    """Return GPU point → the job's part of it, 0…1. A job without a list holds what no other job on the node lists."""
    listed = [held_gpus(o.part.gpus, labels, slices or SLICES) for o in others if o.part.gpus is not None]
    if node.gpus is not None:
        mine = held_gpus(node.gpus, labels, slices or SLICES)
        sums = {point: part + sum(one.get(point, 0.0) for one in listed) for point, part in mine.items()}
        return {point: part / max(1.0, sums[point]) for point, part in mine.items()}
    if len(listed) < len(others):
        return {}
    left = {point: 1.0 - sum(one.get(point, 0.0) for one in listed) for point in labels}
    return {point: part for point, part in left.items() if part > 0}


def node_share(
    inputs: NodeInputs, job: str, power: NodePower, model: Model | None, gpus: Mapping[str, float], others: int
) -> NodeShare:
    """Return a job's share of a node in the window of its power; `gpus` are its parts of the GPUs."""
    found = attribution_of(inputs, power)
    share = found.shares.get(job)
    at = slice(share.first, share.first + len(share.known)) if share else slice(0)
    covered_ms = found.covered_ms[at]
    node_j = float(found.node_j[at].sum())
    each_j = {point: float(np.nansum(joules[at])) for point, joules in found.gpu_j.items()}
    rest_j = node_j - math.fsum(each_j.values())
    residual_j = float(share.residual_j.sum()) if share else 0.0
    gpu_j = float(share.gpu_j.sum()) if share else 0.0
    of_rest = residual_j / rest_j if rest_j > 0 else 0.0
    whole = power.energy.by(power.energy.method)
    return NodeShare(
        curve=found.power(job),
        energy_j=gpu_j + residual_j,
        gpu_j=gpu_j,
        node_j=node_j,
        idle_j=float(found.idle_j[at].sum()),
        unattributed_j=float(found.unattributed_j[at].sum()),
        covered_ms=int(covered_ms.sum()),
        known_ms=int(covered_ms[share.known].sum()) if share else 0,
        whole_ms=int(covered_ms[share.whole].sum()) if share else 0,
        all_cores=model.cores if model else None,
        others=others,
        parts=_parts(inputs, power, each_j, gpus, of_rest, float(covered_ms.sum()) / 1000.0),
        time_j=(gpu_j + residual_j) / node_j * whole.time_j if whole and node_j > 0 else 0.0,
    )


def _parts(
    inputs: NodeInputs,
    power: NodePower,
    gpu_j: Mapping[str, float],
    mine: Mapping[str, float],
    of_rest: float,
    covered_s: float,
) -> list[Part]:
    """Return the contributions of the meters to a share = own GPUs + `of_rest` · (node − all GPUs): the wall counts by
    `of_rest`, a GPU by the job's part of it less `of_rest`.
    """
    whole = power.energy.by(power.energy.method) if power.power_basis == "derived" else None
    wall = [
        replace(p, value=of_rest * p.value, limit_abs=of_rest * p.limit_abs, step=of_rest * p.step)
        for p in (whole.parts if whole else power.parts)
    ]
    exporters = [d.key for d in inputs.facility.at(power.start_ms).devices_of(power.node, "exporter")]
    infos = {info.point: info for info in inputs.frames.series(exporters) if info.quantity is Quantity.POWER}
    for point, joules in gpu_j.items():
        info = infos.get(point)
        limit = math.nan if info is None or info.accuracy_pct is None else info.accuracy_pct
        group = (info.meter or info.device) if info else point
        weight = mine.get(point, 0.0) - of_rest
        limit_w = info.accuracy_abs or 0.0 if info else 0.0
        wall.append(Part(weight * joules, limit, abs(weight) * limit_w * covered_s, group=group))
    return wall
