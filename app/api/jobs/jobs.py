"""Jobs and their figures."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Response

from app.api.http import ActorDep, AllStoresDep, Json, Moment, Page, StoresDep, access
from app.api.jobs.models import JobAnswer, JobBody, JobPatch, job_answer, job_state
from app.errors import Invalid
from app.services.access import (
    Actor,
    job_user,
    record,
    require_cluster,
    require_own_job,
    require_own_twin,
    require_unbound,
)
from app.services.jobs import divided_nodes, with_shown_names
from app.services.jobs import registry as service
from app.services.stores import Stores
from app.store.jobs import SORTS, Job, JobFilter

router = APIRouter(prefix="/api/v1/jobs", tags=["jobs"], dependencies=[access("read")])
changes = APIRouter(prefix="/api/v1/jobs", tags=["jobs"], dependencies=[access("jobs:write")])

KNOWN_JOB: dict[int | str, dict[str, Any]] = {200: {"description": "The job was known already", "model": JobAnswer}}

Tag = Annotated[list[str] | None, Query(description="`model:resnet`; given several times, all must match")]


@changes.post("", summary="Register a job", status_code=201, response_model=JobAnswer, responses=KNOWN_JOB)
def register_job(stores: AllStoresDep, seen: StoresDep, actor: ActorDep, body: JobBody) -> Json:
    """201 with our `id`. The same (cluster, job_id, submit) and start again: 200, and given fields replace stored ones.

    The same identity with another start is a 409; a job that ends before it starts, overlaps itself, or names an
    unknown node is a 422. A user registers own jobs, a token of a cluster the jobs of that cluster.
    """
    wanted = body.to_job()
    require_cluster(actor.principal, wanted.cluster)
    wanted = replace(wanted, user=job_user(actor.principal, wanted.user))
    before = require_own_twin(stores, actor.principal, wanted)
    job, is_new = service.register(stores, wanted)
    record(
        stores,
        actor,
        "job.create" if is_new else "job.change",
        job.id,
        None if is_new or before is None else job_state(before),
        job_state(job),
    )
    return _shown(stores, seen, job, 201 if is_new else 200)


@changes.patch("/{id}", summary="Change a job, or end it", response_model=JobAnswer)
def change_job(stores: AllStoresDep, seen: StoresDep, actor: ActorDep, id: str, body: JobPatch) -> Json:
    """Omitted fields are kept; tags are merged, a tag of null is removed. A job of another user is a 403, or a 404
    where the jobs of others are hidden.
    """
    before = _own(stores, seen, actor, id)
    fields = body.changes(before)
    if "user" in fields:
        fields["user"] = job_user(actor.principal, fields["user"])
    job = service.change(stores, id, **fields) if fields else service.with_summary(stores, before)
    if fields:
        record(stores, actor, "job.change", id, job_state(before), job_state(job))
    return _shown(stores, seen, job, 200)


@changes.delete("/{id}", summary="Delete a job", status_code=204)
def delete_job(stores: AllStoresDep, seen: StoresDep, actor: ActorDep, id: str) -> Response:
    """Delete a job with its nodes, tags and figures. The figures of jobs on the same nodes are computed again, and an
    event `job_deleted` is recorded. Readings stay.
    """
    before = _own(stores, seen, actor, id)
    require_unbound(actor.principal, "delete jobs")
    service.remove(stores, id)
    record(stores, actor, "job.delete", id, job_state(before), None)
    return Response(status_code=204)


def _own(stores: Stores, seen: Stores, actor: Actor, id_: str) -> Job:
    """Return a job that the principal may change; what it cannot see does not exist."""
    if actor.principal.may("read") or actor.principal.is_user:
        service.one(seen, id_)
    job = service.one(stores, id_)
    require_own_job(actor.principal, job)
    return job


def _shown(stores: Stores, seen: Stores, job: Job, status: int) -> Json:
    """Return a job that was written, with the job in which it runs as the principal sees it."""
    return Json(job_answer(with_shown_names(seen, job), divided_nodes(stores, job)), status)


def job_filter(
    cluster: str | None = None,
    job_id: str | None = None,
    user: str | None = None,
    project: str | None = None,
    node: str | None = None,
    state: Annotated[str | None, Query(description="`running`: every job without an end")] = None,
    tag: Tag = None,
    q: Annotated[str | None, Query(description="words; each in the name, the user, an id, a node or a tag")] = None,
    coverage: Annotated[
        Literal["complete", "gaps"] | None, Query(description="only jobs covered all the time, or not")
    ] = None,
    start: Annotated[Moment | None, Query(alias="from", description="jobs that ran after this")] = None,
    end: Annotated[Moment | None, Query(alias="to", description="jobs that ran before this")] = None,
) -> JobFilter:
    """What a request asks of jobs."""
    return JobFilter(
        cluster=cluster,
        job_id=job_id,
        user=user,
        project=project,
        node=node,
        state=None if state == "running" else state,
        ended=False if state == "running" else None,
        tags=_tags(tag or []),
        from_ms=start,
        to_ms=end,
        q=q,
        complete=None if coverage is None else coverage == "complete",
    )


def _tags(pairs: list[str]) -> dict[str, str]:
    for pair in pairs:
        if not all(pair.partition(":")[::2]):
            raise Invalid(f"tag {pair!r} is not name:value", "write it like tag=model:resnet", code="bad_tag")
    return dict(pair.partition(":")[::2] for pair in pairs)


@router.get("", summary="List jobs", response_model=Page[JobAnswer])
def list_jobs(
    stores: StoresDep,
    which: Annotated[JobFilter, Depends(job_filter)],
    sort: Annotated[str, Query(description=f"one of {', '.join(SORTS)}; falling with a leading `-`")] = "-start",
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    cursor: Annotated[str | None, Query(description="`next` of the page before")] = None,
) -> Json:
    """Newest first, with their figures and a sparkline [W] of at most 60 equal stretches. Figures of running jobs may
    be a minute old.
    """
    page, following = service.listing(stores, which, sort, limit, cursor)
    return Json({"items": [job_answer(job) for job in page], "next": following})


@router.get("/{id}", summary="One job with its figures", response_model=JobAnswer)
def get_job(stores: StoresDep, id: str) -> Json:
    """Energy, power, headroom and GPU figures, and their basis."""
    job = service.with_summary(stores, service.one(stores, id))
    return Json(job_answer(job, divided_nodes(stores, job)))
