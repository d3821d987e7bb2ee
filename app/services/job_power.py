"""The power of a job: its nodes, each over the time the job held it, and their sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.curve import Curve
from app.domain.splice import Member, sum_while_present
from app.services.context import Context
from app.services.node_power import NodePower, node_power
from app.store.job import Job, JobNode


@dataclass(frozen=True)
class JobPart:
    """A node's part in a job: its power while the job held it, and the job's own GPUs by point."""

    node: JobNode
    power: NodePower
    gpus: Mapping[str, Curve]
    gpu_utilization: Mapping[str, Curve]


@dataclass(frozen=True)
class JobPower:
    """The power of a job in [start_ms, end_ms]; for a running job until now.

    Attributes
    ----------
    total: sum of the nodes [W], defined where every node the job held then is covered.
    rated_w, control_w: nameplates and control runs of the nodes together; None where one is not known.
    """

    job: Job
    start_ms: int
    end_ms: int
    parts: Sequence[JobPart]
    total: Curve
    rated_w: float | None
    control_w: float | None


def job_window(context: Context, job: Job) -> tuple[int, int]:
    """When a job ran [ms]; a running one until now."""
    end_ms = context.now_ms() if job.end_ms is None else job.end_ms
    return job.start_ms, max(job.start_ms, end_ms)


def job_power(context: Context, job: Job, start_ms: int | None = None, end_ms: int | None = None) -> JobPower:
    """The power of a job, or of a stretch of it."""
    first, last = job_window(context, job)
    start_ms = first if start_ms is None else max(first, start_ms)
    end_ms = last if end_ms is None else min(last, end_ms)
    parts = []
    for node in job.nodes:
        begin, end = held(node, start_ms, end_ms)
        if begin < end:
            parts.append(_part(node, node_power(context, node.node, begin, end)))
    total = sum_while_present([Member(p.power.total, p.power.start_ms, p.power.end_ms) for p in parts])
    return JobPower(
        job,
        start_ms,
        end_ms,
        parts,
        total,
        _of_models(context, job, "rated_w"),
        _of_models(context, job, "control_w"),
    )


def held(node: JobNode, start_ms: int, end_ms: int) -> tuple[int, int]:
    """When a job held a node, inside a window [ms]."""
    begin = start_ms if node.start_ms is None else max(start_ms, node.start_ms)
    return begin, end_ms if node.end_ms is None else min(end_ms, node.end_ms)


def _part(node: JobNode, power: NodePower) -> JobPart:
    own = {point for point, label in power.gpu_labels.items() if _holds(node, point, label)}
    return JobPart(
        node,
        power,
        {point: curve for point, curve in power.gpus.items() if point in own},
        {point: curve for point, curve in power.gpu_utilization.items() if point in own},
    )


def _holds(node: JobNode, point: str, label: str) -> bool:
    """Whether a job holds a GPU, which it names by index or UUID; without a list it holds them all."""
    if node.gpus is None:
        return True
    name = point.partition("/")[2]
    return any(str(gpu) == name or (isinstance(gpu, str) and gpu and gpu in label) for gpu in node.gpus)


def _of_models(context: Context, job: Job, name: str) -> float | None:
    facility = context.facility.at(job.start_ms)
    found = []
    for key in {node.node for node in job.nodes}:
        node = facility.nodes.get(key)
        model = facility.model_of(node) if node else None
        found.append(getattr(model, name) if model else None)
    known = [w for w in found if w is not None]
    return sum(known) if known and len(known) == len(found) else None
