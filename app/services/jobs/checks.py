"""What is wrong with a job: its times, its nodes, what it says it holds of them, what its tags count."""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.timeseries import rfc3339
from app.errors import Mistake
from app.services.attribution import SLICES, gpu_claim
from app.services.jobs.energy_comparison import unit_mistakes
from app.services.jobs.power import held, model_at
from app.services.jobs.stores import JobStores
from app.store.facility import FacilityStore, Model, StillFacility
from app.store.jobs import Job, JobNode

_FOR_EVER = 1 << 62
_ROUNDING = 1e-9
_HINT = 'GPUs are named by index or UUID, each once: [0, 1]; slices of a cut one as "0:3/7" or "0:3g.40gb"; [] is none'


def mistakes(stores: JobStores, job: Job) -> list[Mistake]:
    """Everything that is wrong with a job."""
    facility, now_ms = StillFacility(stores.facility), stores.now_ms()
    return [
        *_time_mistakes(job),
        *_within_mistakes(job),
        *_node_mistakes(facility, job, now_ms),
        *_overlaps(job),
        *_held_mistakes(facility, job, now_ms),
        *unit_mistakes(job.tags),
    ]


def _time_mistakes(job: Job) -> list[Mistake]:
    hint = "times are RFC 3339 with an offset, or integer milliseconds; leave `end` away while it runs"
    if job.end_ms is not None and job.end_ms <= job.start_ms:
        when = "before it starts" if job.end_ms < job.start_ms else "in the moment it starts"
        return [Mistake("end", f"the job ends ({rfc3339(job.end_ms)}) {when}", hint)]
    found = []
    for i, node in enumerate(job.nodes):
        begin, end = held(node, job.start_ms, job.end_ms if job.end_ms is not None else _FOR_EVER)
        if begin >= end:
            found.append(Mistake(f"nodes.{i}", f"{node.node} is held for no time inside the job", hint))
    return found


def _within_mistakes(job: Job) -> list[Mistake]:
    if job.within is None or job.job_id is None:
        return []
    hint = "leave `within` away: it is for what runs inside a scheduler's job and has no number of its own"
    return [Mistake("within", f"job {job.job_id} is the scheduler's own and cannot be within {job.within!r}", hint)]


def _node_mistakes(facility: FacilityStore, job: Job, now_ms: int) -> list[Mistake]:
    if not job.nodes:
        return [Mistake("nodes", "a job needs at least one node", 'list them as [{"node": "hgx-01"}]')]
    known = facility.at(job.start_ms).nodes.keys() | facility.at(now_ms).nodes.keys()
    hint = "GET /api/v1/nodes lists the nodes; a new one is made by `wattline apply` or POST /api/v1/nodes"
    return [
        Mistake(f"nodes.{i}.node", f"there is no node {node.node!r}", hint)
        for i, node in enumerate(job.nodes)
        if node.node not in known
    ]


def _overlaps(job: Job) -> list[Mistake]:
    hint = "list a node once, or give its parts `start` and `end` that do not overlap"
    last = job.end_ms if job.end_ms is not None else _FOR_EVER
    spans: dict[str, list[tuple[int, int]]] = {}
    found = []
    for i, node in enumerate(job.nodes):
        begin, end = held(node, job.start_ms, last)
        others = spans.setdefault(node.node, [])
        if any(begin < other_end and other_begin < end for other_begin, other_end in others):
            found.append(Mistake(f"nodes.{i}", f"the job overlaps itself on {node.node}", hint))
        others.append((begin, end))
    return found


def _held_mistakes(facility: FacilityStore, job: Job, now_ms: int) -> Iterator[Mistake]:
    """GPUs and cores that a node of this model does not have, or that are named twice."""
    for i, node in enumerate(job.nodes):
        model = model_at(facility, node.node, job.start_ms) or model_at(facility, node.node, now_ms)
        for where, detail, hint in (*_gpus(node, model), *_cores(node, model)):
            yield Mistake(f"nodes.{i}.{where}", detail, hint)


def _gpus(node: JobNode, model: Model | None) -> Iterator[tuple[str, str, str]]:
    sums: dict[str, float] = {}
    for gpu in node.gpus or ():
        try:
            claim = gpu_claim(gpu, (model.gpu_slices if model else None) or SLICES)
        except ValueError as error:
            yield "gpus", str(error), _HINT
            continue
        if model and model.gpus is not None and claim.name.isdigit() and int(claim.name) >= model.gpus:
            has = "none" if not model.gpus else f"{model.gpus}, from 0 to {model.gpus - 1}"
            yield "gpus", f"{node.node} has no GPU {claim.name}: a {model.title} has {has}", _HINT
        sums[claim.name] = sums.get(claim.name, 0.0) + claim.share
    for name, share in sums.items():
        if share > 1 + _ROUNDING:
            yield "gpus", f"GPU {name} of {node.node} is held more than whole", _HINT


def _cores(node: JobNode, model: Model | None) -> Iterator[tuple[str, str, str]]:
    if model and model.cores is not None and node.cores is not None and node.cores > model.cores:
        yield (
            "cores",
            f"{node.cores} cores of {node.node}: a {model.title} has {model.cores}",
            "`cores` of a model counts as jobs count theirs: for Slurm the CPUs of the node, threads included",
        )
