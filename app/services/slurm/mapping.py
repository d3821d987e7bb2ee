"""Map a Slurm job to ours, and find what it changes of a known one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.importers.slurm import SlurmAllocation, SlurmJob
from app.store.facility import Facility
from app.store.jobs import Job, JobNode

SLURM, PROLOG = "slurm", "slurm-prolog"
"""Origins of jobs: from accounting; from a node's prolog, ahead of accounting."""
_EARLY_MS = 600_000
"""A prolog may run this long before the start in accounting."""
_LATE_MS = 30_000
"""And a short job's so long after its end: clocks differ, and Slurm counts whole seconds."""
RESTART = "slurm_restart"
"""Tag of a requeued job's prologs: how often it was."""
_PLAIN = ("cluster", "job_id", "submit_ms", "start_ms", "end_ms", "name", "user", "project", "partition", "state")


def to_job(slurm_job: SlurmJob, cluster: str | None, facility: Facility, node_prefix: str, *, tells_gpus: bool) -> Job:
    """Our form; `tells_gpus`: a job that names no GPUs has none."""
    return Job(
        cluster=cluster,
        job_id=slurm_job.job_id,
        submit_ms=slurm_job.submit_ms,
        start_ms=slurm_job.start_ms,
        end_ms=slurm_job.end_ms,
        name=slurm_job.name,
        user=slurm_job.user,
        project=slurm_job.account,
        partition=slurm_job.partition,
        state=slurm_job.state,
        tags=slurm_job.tags,
        origin=SLURM,
        nodes=tuple(_node(held, slurm_job, facility, node_prefix, tells_gpus=tells_gpus) for held in slurm_job.held),
    )


def _node(held: SlurmAllocation, slurm_job: SlurmJob, facility: Facility, prefix: str, *, tells_gpus: bool) -> JobNode:
    name = prefix + held.share.node
    return JobNode(
        name,
        _gpus(held, _gpus_of_node(facility, name), tells_gpus=tells_gpus),
        held.share.cores,
        held.share.exclusive,
        held.start_ms if held.start_ms != slurm_job.start_ms else None,
        held.end_ms if held.end_ms != slurm_job.end_ms else None,
    )


def _gpus_of_node(facility: Facility, name: str) -> int | None:
    node = facility.nodes.get(name)
    model = facility.model_of(node) if node else None
    return model.gpus if model else None


def _gpus(held: SlurmAllocation, of_node: int | None, *, tells_gpus: bool) -> tuple[str | int, ...] | None:
    """Return which GPUs of a node a job holds; None where that is unknown."""
    gpus = held.share.gpus
    if gpus.indices is not None:
        return gpus.indices
    if not gpus.count:
        return () if gpus.count == 0 or tells_gpus else None
    return tuple(range(gpus.count)) if gpus.count == of_node else None


def ours(known: Mapping[str, Sequence[Job]], job: Job, raw_ids: Sequence[str]) -> list[Job]:
    """Known jobs that are this one: the one of its identity first, then those that prologs registered ahead of it."""
    same = [one for one in known.get(job.job_id or "", ()) if one.submit_ms == job.submit_ms and one.origin != PROLOG]
    last = 1 << 62 if job.end_ms is None else job.end_ms if same else job.end_ms + _LATE_MS
    ahead = {
        one.id: one
        for number in (job.job_id or "", *raw_ids)
        for one in known.get(number, ())
        if one.origin == PROLOG
        and job.start_ms - _EARLY_MS <= one.start_ms < last
        and (one.end_ms is None or one.end_ms > job.start_ms)
    }
    nearest = min(ahead.values(), key=lambda one: abs(one.start_ms - job.start_ms), default=None)
    if nearest is not None:  # a requeue may begin soon after
        ahead = {id_: one for id_, one in ahead.items() if one.tags.get(RESTART) == nearest.tags.get(RESTART)}
    return [*same, *ahead.values()]


def differences(known: Sequence[Job], job: Job, *, exact: bool) -> dict[str, object]:
    """Fields of the first of `known` that `job` changes, the others' nodes merged in.

    What Slurm does not report is kept: tags of others, GPUs by their UUIDs, the end of a job that has ended, and, where
    the cores of `job` are a total divided evenly (not `exact`), how the same total was divided really.
    """
    first = known[0]
    if not exact and _cores(first) == _cores(job):
        job = replace(job, nodes=tuple(replace(part, cores=None) for part in job.nodes))
    slurm_job = {name: getattr(job, name) for name in _PLAIN}
    if job.end_ms is None and first.end_ms is not None:  # an older word: it does not begin again
        slurm_job |= {"end_ms": None, "state": None}
        parts = tuple(_merged(part, (job,)) for part in first.nodes)
    else:
        parts = tuple(_merged(part, known) for part in job.nodes) + _lost_components(first, job)
        slurm_job["start_ms"] = min(job.start_ms, first.start_ms) if len(parts) > len(job.nodes) else job.start_ms
    slurm_job |= {"nodes": parts, "tags": {**first.tags, **job.tags}}
    if first.origin == PROLOG:
        slurm_job["origin"] = SLURM
    return {
        name: value for name, value in slurm_job.items() if value not in (None, "") and value != getattr(first, name)
    }


def _cores(job: Job) -> dict[str, int] | int:
    """What jobs must have in common for the one's division to be the other's: nodes, each once, and their total."""
    cores = [part.cores for part in job.nodes if part.cores is not None]
    once = len({part.node for part in job.nodes}) == len(job.nodes) == len(cores)
    return {part.node: sum(cores) for part in job.nodes} if once else id(job)


def _merged(part: JobNode, known: Sequence[Job]) -> JobNode:
    others = [other for job in known for other in job.nodes if other.node == part.node]
    for other in others:
        keeps = other.gpus is not None and (part.gpus is None or len(part.gpus) == len(other.gpus))
        part = replace(
            part,
            gpus=other.gpus if keeps else part.gpus,
            cores=part.cores if part.cores is not None else other.cores,
            exclusive=part.exclusive if part.exclusive is not None else other.exclusive,
        )
    return part


def _lost_components(first: Job, job: Job) -> tuple[JobNode, ...]:
    """Return the nodes of heterogeneous components that are missing from this report because they ended long ago."""
    if int(first.tags.get("slurm_het_parts", 0)) <= int(job.tags.get("slurm_het_parts", 0)):
        return ()
    slurm_job = {part.node for part in job.nodes}
    return tuple(part for part in first.nodes if part.node not in slurm_job)
