"""Jobs of Slurm: what `sacct`, `squeue --json`, slurmrestd or `scontrol show job -d` print, made into jobs.

A heterogeneous job is one job: its components start together for one purpose, so its energy is theirs together. Its
nodes keep the times of their own component. The tasks of an array are jobs of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from zoneinfo import ZoneInfo

from app.errors import Invalid
from app.importers.slurm.json_answers import read_json
from app.importers.slurm.record import Skipped, SlurmRecord, SlurmShare, runs, split_skipped
from app.importers.slurm.sacct import ASKED, read_text
from app.importers.slurm.scontrol import SIGN, read_scontrol
from app.importers.slurm.tres import Gpus

__all__ = ["ASKED", "Skipped", "SlurmAllocation", "SlurmJob", "SlurmJobs", "read_slurm"]


@dataclass(frozen=True)
class SlurmAllocation:
    """A share of a node and how long it was held, in ms; end None: still."""

    share: SlurmShare
    start_ms: int
    end_ms: int | None


@dataclass(frozen=True, kw_only=True)
class SlurmJob:
    """A job that ran or runs (end_ms None).

    Attributes
    ----------
    job_id: as users know it; raw_ids: the plain numbers of its parts.
    tags: what Slurm knows beside.
    """

    job_id: str
    raw_ids: tuple[str, ...]
    cluster: str | None
    submit_ms: int | None
    start_ms: int
    end_ms: int | None
    state: str
    name: str
    user: str | None
    account: str | None
    partition: str | None
    held: tuple[SlurmAllocation, ...]
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SlurmJobs:
    """What a text holds.

    Attributes
    ----------
    tells_gpus: some job of it was given GPUs, so that a job without any has none.
    exact: the share of each node is known; else it is the job's total, divided evenly.
    """

    jobs: tuple[SlurmJob, ...]
    skipped: tuple[Skipped, ...]
    tells_gpus: bool
    exact: bool


def read_slurm(text: str, tz: ZoneInfo, columns: Sequence[str] = ()) -> SlurmJobs:
    """Every job of the text that ran or runs; the others are named with the reason.

    Parameters
    ----------
    tz: zone of local times; JSON has none.
    columns: fields of `sacct -P` printed without a heading.

    Raises
    ------
    Invalid
        It is none of the formats.
    """
    lost: Sequence[Skipped] = ()
    exact = bool(SIGN.search(text))
    if text.lstrip()[:1] in ("{", "["):
        records = read_json(text)
    elif exact:
        records = read_scontrol(text, tz)
    elif "|" in text or columns:
        records, lost = read_text(text, tz, columns)
    elif not text.strip() or text.startswith("No jobs in the system"):
        records = []
    else:
        raise Invalid(
            "these are no jobs of Slurm",
            f"give it `sacct --json`, or `sacct -P --format={ASKED}`",
            code="no_slurm_jobs",
        )
    good, skipped = split_skipped(records)
    tells_gpus = any(share.gpus.count for record in good for share in record.shares)
    return SlurmJobs(tuple(_jobs(good)), (*lost, *skipped), tells_gpus, exact)


def _jobs(records: Iterable[SlurmRecord]) -> Iterable[SlurmJob]:
    parts: dict[tuple[str | None, str], list[SlurmRecord]] = defaultdict(list)
    for record in records:
        if record.het is None:
            yield _job([record])
        else:
            parts[record.cluster, record.het[0]].append(record)
    for components in parts.values():
        for run in _runs_of(components):
            yield _job(run)


def _runs_of(components: Sequence[SlurmRecord]) -> list[list[SlurmRecord]]:
    """Components of one heterogeneous job, by run: a requeue starts all of them again."""
    runs_: list[list[SlurmRecord]] = []
    for record in sorted(components, key=lambda r: (r.start_ms or 0, r.het or ("", 0))):
        fits = [run for run in runs_ if record.het not in [other.het for other in run]]
        if fits:
            fits[-1].append(record)
        else:
            runs_.append([record])
    return [sorted(run, key=lambda r: r.het or ("", 0)) for run in runs_]


def _job(parts: Sequence[SlurmRecord]) -> SlurmJob:
    """One job of its parts, a single one unless it is heterogeneous; the first stands for it."""
    first = parts[0]
    held = [SlurmAllocation(share, part.start_ms or 0, part.end_ms) for part in parts for share in part.shares]
    ends = [part.end_ms for part in parts]
    submits = [part.submit_ms for part in parts if part.submit_ms is not None]
    return SlurmJob(
        job_id=first.het[0] if first.het else first.job_id,
        raw_ids=tuple(part.raw_id or part.job_id for part in parts),
        cluster=first.cluster,
        submit_ms=min(submits, default=None),
        start_ms=min(one.start_ms for one in held),
        end_ms=None if None in ends else max(end for end in ends if end is not None),
        state=_state([part.state for part in parts]),
        name=first.name,
        user=first.user,
        account=first.account,
        partition=first.partition,
        held=tuple(_apart(held)),
        tags=_tags(parts),
    )


def _state(states: Sequence[str]) -> str:
    """Running while a part runs, else what became of the first part that did not complete."""
    going = [state for state in states if runs(state)]
    return next(iter(going), None) or next((state for state in states if state != "completed"), states[0])


def _apart(held: Sequence[SlurmAllocation]) -> Iterable[SlurmAllocation]:
    """A node that several components hold: its time cut where their times differ, what they hold added up."""
    by_node: dict[str, list[SlurmAllocation]] = defaultdict(list)
    for one in held:
        by_node[one.share.node].append(one)
    for several in by_node.values():
        yield from several if len(several) == 1 else _pieces(several)


def _pieces(several: Sequence[SlurmAllocation]) -> Iterable[SlurmAllocation]:
    last = max(one.start_ms for one in several) + 1
    late = max((one.end_ms or 0 for one in several), default=0)
    open_ms = max(last, late + 1)  # beyond every real time: no end
    ends = [open_ms if one.end_ms is None else one.end_ms for one in several]
    cuts = sorted({*(one.start_ms for one in several), *ends})
    for begin, end in pairwise(cuts):
        here = [one.share for one, until in zip(several, ends, strict=True) if one.start_ms <= begin and end <= until]
        if here:
            yield SlurmAllocation(_added(here), begin, None if end == open_ms else end)


def _added(shares: Sequence[SlurmShare]) -> SlurmShare:
    cores = [share.cores for share in shares if share.cores is not None]
    counts = [share.gpus.count for share in shares if share.gpus.count is not None]
    indices = [share.gpus.indices for share in shares if share.gpus.indices is not None]
    whole = len(indices) == len(shares)
    gpus = Gpus(
        sum(counts) if len(counts) == len(shares) else None,
        shares[0].gpus.type,
        tuple(sorted({index for some in indices for index in some})) if whole else None,
    )
    return replace(shares[0], cores=sum(cores) if len(cores) == len(shares) else None, gpus=gpus)


def _tags(parts: Sequence[SlurmRecord]) -> dict[str, str]:
    first = parts[0]
    counts = [share.gpus.count for part in parts for share in part.shares]
    totals = [part.tres.get("gres/gpu") for part in parts]
    gpus = _sum(totals) if _sum(totals) is not None else _sum(counts)
    types = {share.gpus.type for part in parts for share in part.shares if share.gpus.type}
    tags = {
        "slurm_job_id": first.raw_id if not first.het else None,
        "slurm_array": first.array_id,
        "slurm_het_parts": len(parts) if first.het else None,
        "slurm_gpus": gpus or None,
        "slurm_gpu_type": types.pop() if len(types) == 1 else None,
        "slurm_suspended_s": max(part.suspended_s for part in parts) or None,
        "slurm_consumed_energy_j": _sum([part.energy_j for part in parts]),
    }
    return {name: str(value) for name, value in tags.items() if value is not None}


def _sum(numbers: Sequence[int | None]) -> int | None:
    """The sum; None where one of them is not known."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known and len(known) == len(numbers) else None
