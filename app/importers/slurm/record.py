"""A Slurm job as accounting reports it, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from app.errors import Invalid
from app.importers.slurm.nodes import expand
from app.importers.slurm.tres import NO_GPUS, Gpus, gpus_of

RUNNING = frozenset(
    {"running", "completing", "suspended", "configuring", "stopped", "signaling", "resizing", "stage_out"}
)
WAITING = frozenset({"pending", "requeue_hold", "requeue_fed", "special_exit", "resv_del_hold"})


@dataclass(frozen=True, kw_only=True)
class SlurmShare:
    """What a node gave a job. Cores are Slurm's CPUs; unknown values are None."""

    node: str
    cores: int | None = None
    gpus: Gpus = NO_GPUS
    exclusive: bool | None = None


@dataclass(frozen=True, kw_only=True)
class SlurmRecord:
    """One allocation.

    Attributes
    ----------
    job_id: as users know it: 123, 123_4 of an array.
    raw_id: the plain number, where it differs.
    het: number of the heterogeneous job it is a component of, and its place there.
    shares: per node, where known; else `nodes`, `cpus` and `tres` are what there is to divide, and `gpus_by_node`.
    energy_j: ConsumedEnergy.
    trouble: why its times cannot be used.
    """

    job_id: str
    raw_id: str | None = None
    array_id: str | None = None
    het: tuple[str, int] | None = None
    cluster: str | None = None
    submit_ms: int | None = None
    start_ms: int | None = None
    end_ms: int | None = None
    state: str = ""
    name: str = ""
    user: str | None = None
    account: str | None = None
    partition: str | None = None
    nodes: str = ""
    cpus: int | None = None
    tres: Mapping[str, int] = field(default_factory=dict)
    exclusive: bool | None = None
    gpus_by_node: tuple[Gpus, ...] = ()
    shares: tuple[SlurmShare, ...] = ()
    suspended_s: int = 0
    energy_j: int | None = None
    trouble: str | None = None


@dataclass(frozen=True)
class Skipped:
    """A job that is left out, and why."""

    job: str
    why: str


def split_skipped(records: Iterable[SlurmRecord]) -> tuple[list[SlurmRecord], list[Skipped]]:
    """Records of jobs that ran or run, with their shares, and the others."""
    good: list[SlurmRecord] = []
    skipped: list[Skipped] = []
    for record in records:
        try:
            shared = record if _obstacle(record) else replace(record, shares=_shared_out(record))
        except Invalid as error:
            skipped.append(Skipped(record.job_id, str(error)))
            continue
        why = _obstacle(record) or (None if shared.shares else "no node was assigned")
        if why:
            skipped.append(Skipped(record.job_id, why))
        else:
            good.append(shared)
    return good, skipped


def normal_state(text: str) -> str:
    """`CANCELLED by 1001` → cancelled; `COMPLETED+` of a column too narrow is completed."""
    return text.split(" ", 1)[0].rstrip("+").lower()


def runs(state: str) -> bool:
    """Whether a job of this state holds its nodes."""
    return state in RUNNING


def step_energy(steps: Iterable[tuple[str, int | None]]) -> int | None:
    """ConsumedEnergy [J] of a job by the (name, energy) of its steps, as slurmctld (step_mgr.c) adds them up.

    An extern step that has one spans the others and counts alone. Slurm writes 0 where nothing measures: no energy.
    """
    with_energy = [(name, energy) for name, energy in steps if energy]
    spanning = [energy for name, energy in with_energy if name == "extern"]
    return sum(spanning) or sum(energy for _, energy in with_energy) or None


def _obstacle(record: SlurmRecord) -> str | None:
    if record.state in WAITING and record.end_ms is None:
        return f"{record.state}: it has not started"
    if record.trouble:
        return record.trouble
    if record.start_ms is None:
        return "it never started"
    if not runs(record.state):
        if record.end_ms is None:
            return f"{record.state or 'no state'}, but its end is not known"
        if record.end_ms == record.start_ms:
            return "it ran for no time"
        if record.end_ms < record.start_ms:
            return "it ends before it starts"
    return None


def _shared_out(record: SlurmRecord) -> tuple[SlurmShare, ...]:
    """Per node, what the job was given in all: divided where it divides evenly, unknown where it does not."""
    names = [share.node for share in record.shares] or expand(record.nodes)
    total = gpus_of(record.tres)
    gpus = [Gpus(_each(total.count, len(names)), total.type)] * len(names)
    if len(record.gpus_by_node) == len(names):
        gpus = list(record.gpus_by_node)
    if record.shares:
        known = any(share.gpus.count is not None for share in record.shares)
        return record.shares if known else tuple(map(_with_gpus, record.shares, gpus))
    cpus = record.cpus if record.cpus is not None else record.tres.get("cpu")
    cores = _each(cpus, len(names)) or None  # a job holds at least one core: 0 is no count
    return tuple(
        SlurmShare(node=name, cores=cores, gpus=own, exclusive=record.exclusive)
        for name, own in zip(names, gpus, strict=True)
    )


def _with_gpus(share: SlurmShare, gpus: Gpus) -> SlurmShare:
    return replace(share, gpus=gpus)


def _each(total: int | None, parts: int) -> int | None:
    return total // parts if total is not None and parts and total % parts == 0 else None
