"""Register and end jobs from the prolog and epilog of their nodes; accounting corrects them later."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from app.errors import NotFound
from app.services.jobs import registry as service
from app.services.slurm.mapping import PROLOG, RESTART
from app.services.slurm.stores import SlurmStores
from app.store.jobs import DuplicateJob, Job, JobFilter, JobNode

_CPUS = re.compile(r"(\d+)(?:\(x(\d+)\))?")


@dataclass(frozen=True, kw_only=True)
class Begin:
    """What a node's prolog reports.

    Attributes
    ----------
    job_id: the plain number, of a task of an array too.
    cpus_per_node: `2(x3),1`. gpus: of this node, by UUID or index; None: unknown.
    """

    cluster: str | None
    job_id: str
    node: str
    start_ms: int
    nodes: tuple[str, ...] = ()
    cpus_per_node: str = ""
    gpus: tuple[str | int, ...] | None = None
    name: str = ""
    user: str | None = None
    account: str | None = None
    partition: str | None = None
    restart: int = 0


@dataclass(frozen=True, kw_only=True)
class End:
    """What a node's epilog reports."""

    cluster: str | None
    job_id: str
    node: str
    end_ms: int
    exit_code: int | None = None


def begin(stores: SlurmStores, reported: Begin) -> tuple[Job, bool]:
    """Register a job at its first node's prolog, or add what a further node reports; return whether it is new.

    Raises
    ------
    Invalid
        A node of it is not in the facility.
    """
    own = JobNode(reported.node, reported.gpus, _cores(reported).get(reported.node))
    known = _running(stores, reported)
    if known is None:
        job = _job(reported, own)
        service.check(stores, job)
        known, is_new = _create(stores, job)
        if is_new:
            return known, True
    before = next((part for part in known.nodes if part.node == reported.node), JobNode(reported.node))
    gpus = before.gpus if reported.gpus is None else reported.gpus
    part = replace(before, gpus=gpus, cores=before.cores or own.cores)
    if part != before:
        service.check(stores, replace(known, nodes=(part,)))
        stores.jobs.put_node(known.id, part)
        stores.running.invalidate([known.id])
    return service.one(stores, known.id), False


def end(stores: SlurmStores, reported: End) -> Job:
    """Release a node; the job ends when the last of its nodes is released.

    Raises
    ------
    NotFound
        No job of this number runs on the node.
    """
    held = [
        (job, part)
        for job in _open(stores, reported.cluster, reported.job_id)
        for part in job.nodes
        if part.node == reported.node and part.end_ms is None
    ]
    if not held:
        hint = "its prolog did not reach the server; accounting will register the job"
        raise NotFound(f"no job {reported.job_id} runs on {reported.node}", hint)
    known, part = min(held, key=lambda found: found[0].start_ms)
    part = replace(part, end_ms=max(reported.end_ms, known.start_ms + 1))
    stores.jobs.put_node(known.id, part)
    known = service.one(stores, known.id)
    ends = [one.end_ms for one in known.nodes]
    if None not in ends and known.origin == PROLOG:
        changes: dict[str, object] = {"end_ms": max(moment for moment in ends if moment is not None)}
        known_end = {None: None, 0: "completed"}  # without a status only its end is known, not its result
        changes["state"] = known_end.get(reported.exit_code, "failed")
        service.restate(stores, known, changes)
    return service.one(stores, known.id)


def _job(reported: Begin, own: JobNode) -> Job:
    cores = _cores(reported)
    others = [JobNode(node, None, cores.get(node)) for node in _names(reported) if node != reported.node]
    return Job(
        cluster=reported.cluster,
        job_id=reported.job_id,
        start_ms=reported.start_ms,
        name=reported.name,
        user=reported.user,
        project=reported.account,
        partition=reported.partition,
        state="running",
        tags={RESTART: str(reported.restart)} if reported.restart else {},
        origin=PROLOG,
        nodes=(own, *others),
    )


def _create(stores: SlurmStores, job: Job) -> tuple[Job, bool]:
    """A number's first run has no submit time until accounting reports it; a later one counts from its start."""
    for submit_ms in (None, job.start_ms):
        try:
            return service.one(stores, stores.jobs.create(replace(job, submit_ms=submit_ms))), True
        except DuplicateJob as duplicate:
            known = service.one(stores, duplicate.id)
            if known.end_ms is None and known.tags.get(RESTART) == job.tags.get(RESTART):
                return known, False
    return known, False


def _running(stores: SlurmStores, reported: Begin) -> Job | None:
    """The job of this number that runs now: no earlier run, which the node has let go or that counts fewer restarts."""
    count = str(reported.restart) if reported.restart else None
    fits = [
        job
        for job in _open(stores, reported.cluster, reported.job_id)
        if (job.origin != PROLOG or job.tags.get(RESTART) == count)
        and not any(part.node == reported.node and part.end_ms is not None for part in job.nodes)
    ]
    return max(fits, key=lambda job: job.start_ms, default=None)


def _open(stores: SlurmStores, cluster: str | None, job_id: str) -> list[Job]:
    """Jobs without an end, by the number users know, or by the plain one of a task of an array."""
    named = [job for job in stores.jobs.scheduled(cluster, [job_id]) if job.end_ms is None]
    if named:
        return named
    tagged = JobFilter(cluster=cluster or "", tags={"slurm_job_id": job_id}, ended=False)
    return stores.jobs.list(tagged, limit=10)[0]


def _names(reported: Begin) -> tuple[str, ...]:
    return reported.nodes if reported.node in reported.nodes else (reported.node,)


def _cores(reported: Begin) -> dict[str, int]:
    """Per node, of `2(x3),1`; nothing where the lists do not fit together."""
    counts = [
        int(n) for n, times in _CPUS.findall(reported.cpus_per_node) for _ in range(min(int(times or 1), 100_000))
    ]
    names = _names(reported)
    return dict(zip(names, counts, strict=True)) if len(names) == len(counts) else {}
