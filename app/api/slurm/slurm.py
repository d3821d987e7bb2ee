"""Routes that receive jobs from Slurm."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from app.api.http import ActorDep, AllStoresDep, Json, Text, access
from app.api.jobs import KNOWN_JOB, JobAnswer, job_answer, job_state
from app.api.slurm.bodies import SLURM_BODY
from app.api.slurm.models import EpilogQuery, PrologQuery
from app.errors import Forbidden
from app.importers.tables import decode
from app.services.access import Actor, record, require_cluster
from app.services.slurm import SlurmReport, SlurmWishes, begin, end, import_slurm

router = APIRouter(prefix="/api/v1/jobs/slurm", tags=["jobs"], dependencies=[access("jobs:write")])


async def _body(request: Request) -> bytes:
    return await request.body()


@router.post("", summary="Bring in jobs of Slurm", response_model=SlurmReport, openapi_extra=SLURM_BODY)
def import_slurm_jobs(
    stores: AllStoresDep,
    actor: ActorDep,
    body: Annotated[bytes, Depends(_body)],
    cluster: Annotated[Text | None, Query(description="whose jobs they are; without it, what the text says")] = None,
    tz: Annotated[str, Query(description="zone of times without an offset, e.g. `Europe/Berlin`")] = "UTC",
    columns: Annotated[str, Query(description="fields of `sacct -P -n`, as its `--format` names them")] = "",
    node_prefix: Annotated[Text, Query(description="added in front of Slurm's node names")] = "",
    dry_run: Annotated[bool, Query(description="only say what would happen")] = False,
) -> Json:
    """The body is what `sacct --json`, `sacct -P`, `squeue --json` or `scontrol show job -d` prints, of any version.

    How many jobs were created, changed and unchanged, and each that was skipped with the reason. A job is identified by
    cluster, number and submit time; bringing it in again restates it.
    """
    _require_scheduler(actor, cluster)
    names = tuple(name for name in columns.split(",") if name)
    report = import_slurm(stores, decode(body), SlurmWishes(cluster or None, tz, names, node_prefix, dry_run))
    if not dry_run and (report.created or report.changed):
        counts = {"created": report.created, "changed": report.changed, "skipped": len(report.skipped)}
        record(stores, actor, "job.import", cluster or "", None, counts)
    return Json(report)


@router.post(
    "/prolog",
    summary="A node begins a job of Slurm",
    status_code=201,
    response_model=JobAnswer,
    responses=KNOWN_JOB,
)
def begin_slurm_job(stores: AllStoresDep, actor: ActorDep, query: Annotated[PrologQuery, Query()]) -> Json:
    """For a node's prolog: the first one registers the job on all its nodes, each reports its own GPUs.

    Accounting corrects start, submit time and number when it brings the job in.
    """
    _require_scheduler(actor, query.cluster)
    job, is_new = begin(stores, query.to_begin(stores.now_ms()))
    if is_new:
        record(stores, actor, "job.create", job.id, None, job_state(job))
    return Json(job_answer(job), 201 if is_new else 200)


@router.post("/epilog", summary="A node ends a job of Slurm", response_model=JobAnswer)
def end_slurm_job(stores: AllStoresDep, actor: ActorDep, query: Annotated[EpilogQuery, Query()]) -> Json:
    """For a node's epilog: the job ends when the last of its nodes has reported. A job that is not known is a 404."""
    _require_scheduler(actor, query.cluster)
    job = end(stores, query.to_end(stores.now_ms()))
    if job.end_ms is not None:
        record(stores, actor, "job.end", job.id, None, job_state(job))
    return Json(job_answer(job))


def _require_scheduler(actor: Actor, cluster: str | None) -> None:
    """Raise an error unless jobs of every user of this cluster may be written."""
    require_cluster(actor.principal, cluster or None)
    if actor.principal.is_user and not actor.principal.may("admin"):
        raise Forbidden("a user cannot report the jobs of a cluster", "use a token of this cluster")
