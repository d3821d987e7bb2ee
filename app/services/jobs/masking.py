"""What is left of figures where other people's jobs are masked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from app.errors import Forbidden
from app.models import InsideJob
from app.services.jobs.stores import JobStores
from app.store.jobs import ANOTHER_JOB, Job


def require_in_full(job: Job) -> None:
    """Raise an error about a job of which only the totals are shown.

    Raises
    ------
    Forbidden
    """
    if job.is_foreign:
        raise Forbidden("this job belongs to another user: only its totals are shown", "GET /api/v1/jobs/ID has them")


def shown_names(stores: JobStores, ids: Collection[str]) -> dict[str, str]:
    """Return the names of jobs as the user sees them."""
    found = stores.jobs.many(ids) if ids else {}
    return {id_: found[id_].name or id_ if id_ in found else ANOTHER_JOB for id_ in ids}


def with_stored_totals(job: Job) -> Job:
    """Return a job of another user with its stored figures: nothing is computed from what is masked."""
    if job.summary is None:
        return job
    content = {**job.summary.content, "per": {}, "compared": {}, "by_node": _without_outer(job.summary.content)}
    content.pop("nameplates", None)
    return replace(job, summary=replace(job.summary, content=content))


def _without_outer(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [{**node, "inside": None} for node in content.get("by_node", ())]


def with_shown_names(stores: JobStores, job: Job) -> Job:
    """Return a job with the names of those in which it runs as the user sees them."""
    if stores.jobs.view.is_open or job.summary is None:
        return job
    nodes = cast("Sequence[Mapping[str, Any]]", job.summary.content.get("by_node", ()))
    outer = {node["inside"]["job"] for node in nodes if node.get("inside")}
    if not outer:
        return job
    seen = stores.jobs.many(outer)
    named = [{**node, "inside": _outer(seen, node["inside"]["job"]) if node.get("inside") else None} for node in nodes]
    return replace(job, summary=replace(job.summary, content={**job.summary.content, "by_node": named}))


def _outer(seen: Mapping[str, Job], id_: str) -> InsideJob:
    """Return the job in which another one runs, as the user sees it: without its id if jobs of others are hidden."""
    if id_ not in seen:
        return {"job": None, "name": ANOTHER_JOB}
    return {"job": id_, "name": seen[id_].name or id_}
