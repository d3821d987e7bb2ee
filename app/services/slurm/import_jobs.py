"""Import Slurm jobs: register new ones, update known ones that Slurm reports differently."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from app.importers.slurm import Skipped, SlurmJob, SlurmJobs, read_slurm
from app.importers.tables import zone
from app.services.invalidation import jobs_changed
from app.services.jobs import mistakes
from app.services.jobs import registry as service
from app.services.slurm.mapping import PROLOG, SLURM, differences, ours, to_job
from app.services.slurm.stores import SlurmStores, for_import
from app.store.jobs import Job

_LONGEST = 2000


@dataclass(frozen=True)
class SlurmWishes:
    """How a text is read.

    Attributes
    ----------
    cluster: whose jobs they are, whatever the text says; without it, what the text says.
    tz: zone of times without an offset. columns: fields of lines without a heading.
    node_prefix: added in front of Slurm's node names.
    dry_run: only say what would happen.
    """

    cluster: str | None = None
    tz: str = "UTC"
    columns: tuple[str, ...] = ()
    node_prefix: str = ""
    dry_run: bool = False


@dataclass
class SlurmReport:
    """What became of the jobs of a text."""

    created: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: list[Skipped] = field(default_factory=list)


def import_slurm(stores: SlurmStores, text: str, wishes: SlurmWishes) -> SlurmReport:
    """Bring the jobs of a text in; each is applied whole, or skipped with the reason.

    Raises
    ------
    Invalid
        The text is none of Slurm's, or there is no such zone.
    """
    read = read_slurm(text, zone(wishes.tz), wishes.columns)
    work = _Work(for_import(stores), wishes.dry_run, SlurmReport())
    work.report.skipped += read.skipped
    for cluster, slurm_jobs in _by_cluster(read.jobs, wishes).items():
        known = _known(stores, cluster, slurm_jobs)
        taken: set[str] = set()
        for one, job in _once(_ours(work.stores, read, cluster, slurm_jobs, wishes), work.report):
            found = [other for other in ours(known, job, one.raw_ids) if other.id not in taken]
            taken |= {other.id for other in found}
            if found:
                work.restate(found, job, exact=read.exact)
            else:
                work.create(job)
    return work.done()


class _Work:
    """What is to be written: gathered first, then written in few transactions."""

    def __init__(self, stores: SlurmStores, dry_run: bool, report: SlurmReport) -> None:
        self.stores = stores
        self.report = report
        self._dry_run = dry_run
        self._new: list[Job] = []
        self._changes: dict[str, dict[str, object]] = {}
        self._spans: dict[str, tuple[int, int]] = {}

    def create(self, job: Job) -> None:
        """Register a job."""
        if why := _obstacle(self.stores, job):
            self.report.skipped.append(Skipped(job.job_id or "", why))
            return
        self._new.append(job)
        self._touch(job)

    def restate(self, known: list[Job], job: Job, *, exact: bool) -> None:
        """Update the first of `known`; the others were the same job, registered ahead by prologs."""
        first, *others = known
        changes = differences(known, job, exact=exact)
        changed = replace(first, **changes)  # type: ignore[arg-type]
        by_hand = first.origin not in (SLURM, PROLOG) and first.start_ms != job.start_ms
        why = f"it is stored as {first.id}, registered by hand with another start" if by_hand else None
        why = why or (service.cannot_be_recomputed(self.stores, first, changed) if changes else None)
        if why := why or (_obstacle(self.stores, changed) if changes else None):
            self.report.skipped.append(Skipped(job.job_id or "", why))
        elif not changes:
            self.report.unchanged += 1
        else:
            self.report.changed += 1
            self._change(first, changed, changes, others)

    def _change(self, first: Job, changed: Job, changes: dict[str, object], others: list[Job]) -> None:
        if self._dry_run:
            return
        if others or {"job_id", "submit_ms", "cluster"} & set(changes):  # registered ahead by a prolog
            service.restate(self.stores, first, changes)
            for other in others:
                self.stores.jobs.remove(other.id)
        else:
            self._changes[first.id] = changes
            self._touch(first)
            self._touch(changed)

    def done(self) -> SlurmReport:
        """Write it all."""
        self.report.created = len(self._new)
        if self._dry_run:
            return self.report
        self.report.created = len(self.stores.jobs.create_many(self._new))
        if missed := len(self._new) - self.report.created:
            self.report.skipped.append(Skipped("", f"{missed} were registered meanwhile: bring them in again"))
        self.stores.jobs.patch_many(self._changes)
        for id_ in self._changes:
            self.stores.running.invalidate([id_])
        for node, (begin_ms, end_ms) in self._spans.items():  # whoever shares a node with them gets another share
            jobs_changed(self.stores, [node], begin_ms, end_ms)
        return self.report

    def _touch(self, job: Job) -> None:
        end_ms = job.end_ms if job.end_ms is not None else self.stores.now_ms()
        for part in job.nodes:
            begin, end = self._spans.get(part.node, (job.start_ms, end_ms))
            self._spans[part.node] = (min(begin, job.start_ms), max(end, end_ms))


def _by_cluster(jobs: Iterable[SlurmJob], wishes: SlurmWishes) -> dict[str | None, list[SlurmJob]]:
    found: dict[str | None, list[SlurmJob]] = defaultdict(list)
    for job in jobs:
        found[wishes.cluster or job.cluster].append(job)
    return found


def _known(stores: SlurmStores, cluster: str | None, jobs: Iterable[SlurmJob]) -> dict[str, list[Job]]:
    ids = sorted({number for job in jobs for number in (job.job_id, *job.raw_ids)})
    found: dict[str, list[Job]] = defaultdict(list)
    for job in stores.jobs.scheduled(cluster, ids):
        found[job.job_id or ""].append(job)
    return found


def _ours(
    stores: SlurmStores, read: SlurmJobs, cluster: str | None, slurm_jobs: Iterable[SlurmJob], wishes: SlurmWishes
) -> Iterator[tuple[SlurmJob, Job]]:
    for one in slurm_jobs:
        facility = stores.facility.at(one.start_ms)
        yield one, to_job(one, cluster, facility, wishes.node_prefix, tells_gpus=read.tells_gpus)


def _once(jobs: Iterable[tuple[SlurmJob, Job]], report: SlurmReport) -> list[tuple[SlurmJob, Job]]:
    """Return each run of a number once: the later record counts."""
    runs: dict[tuple[str | None, int | None], tuple[SlurmJob, Job]] = {}
    for one, job in jobs:
        run = (job.job_id, job.submit_ms)
        if run in runs and runs[run][1].start_ms != job.start_ms:
            why = "given twice with different starts: ask sacct for Submit, which distinguishes the runs of a number"
            report.skipped.append(Skipped(one.job_id, why))
        else:
            runs[run] = (one, job)
    return list(runs.values())


def _obstacle(stores: SlurmStores, job: Job) -> str | None:
    """Return why a job is invalid."""
    texts = [job.job_id, job.cluster, job.name, job.user, job.project, job.partition, job.state, *job.tags.values()]
    if any("\x00" in text or len(text) > _LONGEST for text in texts if text):
        return "a text of it holds a NUL or is longer than 2000 characters"
    found = mistakes(stores, job)
    more = f" (and {len(found) - 1} more like it)" if len(found) > 1 else ""
    return f"{found[0].detail}{more}" if found else None
