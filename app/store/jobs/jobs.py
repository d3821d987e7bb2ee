"""Store jobs, their nodes and their summaries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, cast

from sqlalchemy import ColumnElement, Connection, Engine, Select, case, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from app.domain.access import EVERY_JOB, JobVisibility
from app.domain.timeseries import AHEAD_MS
from app.models import OUTDATED
from app.store.accounts import any_day
from app.store.database import among_texts, insertion, reading, ulid, writing
from app.store.jobs.expiry import ended_on, expire
from app.store.jobs.index_queries import SORTED_HERE, choices, matching, page, totals
from app.store.jobs.job import BadCursor, DuplicateJob, Job, JobFilter, JobNode, Summary
from app.store.jobs.job_changes import record_changes
from app.store.jobs.job_index import job_index
from app.store.jobs.job_list import JOB, PART, SORTS, SUMMARY, JobOrder, sorted_jobs
from app.store.jobs.job_rows import ABSENT, EVERYTHING, PLAIN, read_jobs, shown
from app.store.jobs.list_totals import JobChoices, JobTotals, job_choices, job_totals
from app.store.jobs.visible import masked, visible
from collectors.contract import wall_clock_ms

__all__ = ["SORTS", "BadCursor", "DuplicateJob", "Job", "JobFilter", "JobNode", "JobStore", "Summary"]

_AT_ONCE = 500


class JobStore:
    """All jobs. Safe to share between threads."""

    def __init__(
        self, engine: Engine, now_ms: Callable[[], int] = wall_clock_ms, view: JobVisibility = EVERY_JOB
    ) -> None:
        self._engine = engine
        self._now_ms = now_ms
        self.view = view

    def seen_by(self, view: JobVisibility) -> JobStore:
        """Return the same jobs as a user sees them: other people's are masked or hidden."""
        return JobStore(self._engine, self._now_ms, view)

    def create(self, job: Job) -> str:
        """Register a job and return its id; summaries of other jobs on its nodes are outdated. Raises DuplicateJob."""
        job = replace(job, id=job.id or ulid(self._now_ms()))
        with writing(self._engine) as connection:
            row = insertion(connection, JOB).values(_columns(asdict(job))).on_conflict_do_nothing().returning(JOB.c.id)
            if connection.scalar(row) is None:
                raise DuplicateJob(self._twin(connection, job))
            _store_nodes(connection, job.id, job.nodes)
            nodes = sorted({node.node for node in job.nodes})
            now_ms = self._now_ms()
            expire(connection, nodes, job.start_ms, now_ms if job.end_ms is None else job.end_ms, now_ms, job.id)
            record_changes(connection, [job.id])
        return job.id

    def create_many(self, jobs: Sequence[Job]) -> list[str]:
        """Register jobs, a few hundred per transaction; return the ids of those that were not registered yet."""
        created: list[str] = []
        for begin in range(0, len(jobs), _AT_ONCE):
            some = {
                one.id: one for one in (replace(j, id=ulid(self._now_ms())) for j in jobs[begin : begin + _AT_ONCE])
            }
            with writing(self._engine) as connection:
                rows = insertion(connection, JOB).values([_columns(asdict(job)) for job in some.values()])
                new = [str(id_) for id_ in connection.scalars(rows.on_conflict_do_nothing().returning(JOB.c.id))]
                parts = [{"job": id_} | asdict(node) for id_ in new for node in some[id_].nodes]
                if parts:
                    connection.execute(insert(PART), parts)
                record_changes(connection, new)
            created += new
        return created

    def patch(self, id_: str, **changes: object) -> Job | None:
        """Change fields of a job by their names in `Job` (`nodes` replaces all nodes); return None if it is unknown.

        Raises DuplicateJob, or TypeError for a field that does not exist or cannot be changed.
        """
        unknown = set(changes) - set(PLAIN) - {"nodes"} | set(changes) & {"id"}
        if unknown:
            raise TypeError(f"a job's {', '.join(sorted(unknown))} cannot be changed")
        try:
            with writing(self._engine) as connection:
                _write(connection, id_, dict(changes))
                record_changes(connection, [id_])
        except IntegrityError:
            raise self._duplicate(id_, {name: changes[name] for name in changes if name != "nodes"}) from None
        return self.get(id_)

    def patch_many(self, changes: Mapping[str, Mapping[str, object]]) -> None:
        """Patch many jobs by their ids, a few hundred per transaction; the fields that identify them must stay."""
        ids = sorted(changes)
        for begin in range(0, len(ids), _AT_ONCE):
            with writing(self._engine) as connection:
                some = ids[begin : begin + _AT_ONCE]
                for id_ in some:
                    _write(connection, id_, dict(changes[id_]))
                record_changes(connection, some)

    def put_node(self, id_: str, node: JobNode) -> None:
        """Replace the part of one node in a job; the other nodes stay, even if they are changed at the same time."""
        with writing(self._engine) as connection:
            if _is_stored(connection, id_):
                connection.execute(delete(PART).where(PART.c.job == id_, PART.c.node == node.node))
                _store_nodes(connection, id_, [node])
                record_changes(connection, [id_])

    def remove(self, id_: str) -> None:
        """Delete a job with its nodes and its summary."""
        with writing(self._engine) as connection:
            connection.execute(delete(JOB).where(JOB.c.id == id_))
            record_changes(connection, [id_])

    def get(self, id_: str) -> Job | None:
        """Return a job with its nodes and summary."""
        return self._first(EVERYTHING.where(JOB.c.id == id_, *visible(JobFilter(), self.view)))

    def many(self, ids: Collection[str]) -> dict[str, Job]:
        """Return jobs by id; unknown ids are omitted."""
        with reading(self._engine) as connection:
            query = EVERYTHING.where(among_texts(connection, JOB.c.id, sorted(ids)), *visible(JobFilter(), self.view))
            return {job.id: job for job in shown(connection, query, self.view)}

    def find(self, cluster: str | None, job_id: str, submit_ms: int | None) -> Job | None:
        """Return a job by its scheduler identity."""
        identity = _columns({"cluster": cluster, "job_id": job_id, "submit_ms": submit_ms})
        return self._first(EVERYTHING.where(*(JOB.c[name] == value for name, value in identity.items())))

    def scheduled(self, cluster: str | None, job_ids: Sequence[str]) -> list[Job]:
        """Return the jobs of a cluster by scheduler ids, every run of an id."""
        found: list[Job] = []
        for begin in range(0, len(job_ids), _AT_ONCE):
            asked = job_ids[begin : begin + _AT_ONCE]
            query = EVERYTHING.where(JOB.c.cluster == (cluster or ""), JOB.c.job_id.in_(asked))
            with reading(self._engine) as connection:
                found += shown(connection, query, self.view)
        return found

    def overlapping(
        self, node: str | Collection[str], start_ms: int, end_ms: int | None, exclude: Sequence[str] = ()
    ) -> list[Job]:
        """Return the jobs that hold a node (any of several) for some of [start, end), by start; end None is open."""
        nodes = [node] if isinstance(node, str) else sorted(node)
        begin = func.coalesce(PART.c.start_ms, JOB.c.start_ms)
        end = func.coalesce(PART.c.end_ms, JOB.c.end_ms)
        held = (  # asked first: beside the rest of the question SQLite would go through every job before `end_ms`
            select(PART.c.job)
            .join(JOB, JOB.c.id == PART.c.job)
            .where(or_(end.is_(None), end > start_ms), PART.c.job.not_in(exclude))
        )
        if end_ms is not None:
            held = held.where(begin < end_ms)
        with reading(self._engine) as connection:
            ids = sorted(set(connection.scalars(held.where(among_texts(connection, PART.c.node, nodes)))))
            query = EVERYTHING.where(among_texts(connection, JOB.c.id, ids)).order_by(JOB.c.start_ms, JOB.c.id)
            return shown(connection, query, self.view)

    def save_summary(self, id_: str, summary: Summary, *, revise: bool = True) -> int:
        """Store the summary of a job and return its revision, counted from 1; 0 if the job was deleted meanwhile.

        With `revise` False the figures have not changed and the revision stays.
        """
        values = {name: value for name, value in asdict(summary).items() if name in SUMMARY.c}
        values |= {"job": id_, "revision": 1}
        with writing(self._engine) as connection:
            is_ahead = JOB.c.touched_ms > self._now_ms() + AHEAD_MS  # by a clock that was set back since
            touched = case((is_ahead, summary.computed_at_ms - 1), else_=JOB.c.touched_ms)
            computed = update(JOB).where(JOB.c.id == id_)
            computed = computed.values(summarised_at_ms=summary.computed_at_ms, touched_ms=touched)
            if not connection.execute(computed).rowcount:
                return 0
            row = insertion(connection, SUMMARY).values(values)
            changes: dict[str, ColumnElement[Any]] = {name: row.excluded[name] for name in values}
            changes["revision"] = SUMMARY.c.revision + int(revise)
            saved = row.on_conflict_do_update(index_elements=["job"], set_=changes).returning(SUMMARY.c.revision)
            revision = int(connection.execute(saved).scalar_one())
            record_changes(connection, [id_])
            return revision

    def expire(self, nodes: Sequence[str], start_ms: int, end_ms: int, now_ms: int) -> int:
        """Record that readings of `nodes` in [start, end) arrived or changed at `now_ms`.

        Summaries of ended jobs and node days there become outdated. Returns the number of jobs.
        """
        with reading(self._engine) as connection:  # most readings touch no ended job: no lock for nothing
            ids = sorted(set(connection.scalars(ended_on(nodes, start_ms, end_ms))))
            days = any_day(connection, nodes, start_ms, end_ms)
        if ids or days:
            with writing(self._engine) as connection:
                expire(connection, nodes, start_ms, end_ms, now_ms)
        return len(ids)

    def outdated(self, limit: int) -> list[str]:
        """Return the ended jobs whose summary is missing or out of date, newest first; reads no other job."""
        query = select(JOB.c.id).where(OUTDATED).order_by(JOB.c.end_ms.desc(), JOB.c.id.desc()).limit(limit)
        with reading(self._engine) as connection:
            return [str(id_) for id_ in connection.scalars(query)]

    def _first(self, query: Select[Any]) -> Job | None:
        with reading(self._engine) as connection:
            return next(iter(shown(connection, query, self.view)), None)

    def _twin(self, connection: Connection, job: Job) -> str:
        identity = _columns({"cluster": job.cluster, "job_id": job.job_id, "submit_ms": job.submit_ms})
        query = select(JOB.c.id).where(*(JOB.c[name] == value for name, value in identity.items()))
        return connection.scalar(query) or job.id

    def _duplicate(self, id_: str, changes: dict[str, Any]) -> DuplicateJob:
        job = self.get(id_)
        with reading(self._engine) as connection:
            return DuplicateJob(self._twin(connection, replace(job, **changes)) if job else id_)

    def list(
        self, which: JobFilter | None = None, sort: str = "-start", limit: int = 100, cursor: str | None = None
    ) -> tuple[list[Job], str | None]:
        """Return a page of jobs and the cursor of the next. `sort` is one of SORTS, descending with a leading '-';
        jobs without the value come last. Raises BadCursor.
        """
        order = JobOrder.parse(sort, self.view)
        found = self._sorted(which or JobFilter(), order, limit + 1, cursor)
        page = [id_ for _, id_ in found[:limit]]
        with reading(self._engine) as connection:
            whole = connection.execute(EVERYTHING.where(among_texts(connection, JOB.c.id, page)))
            jobs = {job.id: job for job in read_jobs(connection, whole)}
        seen = masked([jobs[id_] for id_ in page if id_ in jobs], self.view)
        return seen, order.cursor(*found[limit - 1]) if len(found) > limit else None

    def _sorted(
        self, which: JobFilter, order: JobOrder, limit: int, cursor: str | None
    ) -> Sequence[tuple[object, str]]:
        if order.name in SORTED_HERE:
            with job_index(self._engine).current(self._engine) as columns:
                if columns is not None:
                    return page(columns, matching(columns, which, self.view), order, limit, cursor)
        return sorted_jobs(self._engine, which, order, limit, cursor)

    def prepare_lists(self) -> None:
        """Make or update the copy in memory that answers lists, which takes seconds with many jobs."""
        job_index(self._engine).prepare(self._engine)

    def totals(self, which: JobFilter) -> JobTotals:
        """Return sums over all jobs of a filter."""
        with job_index(self._engine).current(self._engine) as columns:
            if columns is not None:
                return totals(columns, matching(columns, which, self.view), self.view)
        return job_totals(self._engine, which, self.view)

    def choices(self) -> JobChoices:
        """Return the choices of the filters."""
        with job_index(self._engine).current(self._engine) as columns:
            if columns is not None:
                return choices(columns, self.view)
        return job_choices(self._engine, self.view)


def _columns(values: dict[str, Any]) -> dict[str, Any]:
    """Return fields of a job as columns of its row."""
    row = {name: value for name, value in values.items() if name in PLAIN}
    return row | {name: absent for name, absent in ABSENT.items() if name in row and row[name] is None}


def _write(connection: Connection, id_: str, changes: dict[str, Any]) -> None:
    nodes = cast("Sequence[JobNode] | None", changes.pop("nodes", None))
    if changes:
        connection.execute(update(JOB).where(JOB.c.id == id_).values(_columns(changes)))
    if nodes is not None and _is_stored(connection, id_):
        connection.execute(delete(PART).where(PART.c.job == id_))
        _store_nodes(connection, id_, nodes)


def _is_stored(connection: Connection, id_: str) -> bool:
    """Return whether a job is stored; it cannot be deleted before the transaction ends."""
    query = select(JOB.c.id).where(JOB.c.id == id_).with_for_update(read=True, key_share=True)
    return connection.scalar(query) is not None


def _store_nodes(connection: Connection, id_: str, nodes: Iterable[JobNode]) -> None:
    rows = [{"job": id_} | asdict(node) for node in nodes]
    if rows:
        connection.execute(insert(PART), rows)
