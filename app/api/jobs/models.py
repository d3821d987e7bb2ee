"""Request and answer models of jobs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, Any, NotRequired, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from typing_extensions import TypedDict

from app.api.http import Moment, Text
from app.domain.timeseries import rfc3339
from app.models import MAY_BE_OMITTED, JobSummary, Time
from app.store.jobs import Job, JobNode, Summary


def _texts(given: object) -> object:
    """Tags are text; numbers and truth values are written out."""
    if not isinstance(given, dict):
        return given
    return {
        k: str(v).lower() if isinstance(v, bool) else str(v) if isinstance(v, int | float) else v
        for k, v in given.items()
    }


Index = Annotated[int, Field(ge=0, lt=2**31)]
Tags = Annotated[dict[Text, Text], BeforeValidator(_texts)]
TagChanges = Annotated[dict[Text, Text | None], BeforeValidator(_texts)]


class JobNodeBody(BaseModel):
    """A node's part in a job."""

    model_config = ConfigDict(extra="forbid")

    node: Text = Field(examples=["hgx-01"])
    gpus: list[Index | Text] | None = Field(default=None, description="indices or UUIDs; all of the node without it")
    cores: Index | None = None
    exclusive: bool | None = Field(default=None, description="without it: when no other job overlaps on the node")
    start: Moment | None = Field(default=None, description="where it differs from the job's")
    end: Moment | None = Field(default=None, description="where it differs from the job's")

    def to_node(self) -> JobNode:
        """The store's form."""
        gpus = None if self.gpus is None else tuple(self.gpus)
        return JobNode(self.node, gpus, self.cores, self.exclusive, self.start, self.end)


class JobBody(BaseModel):
    """A job to register."""

    model_config = ConfigDict(extra="forbid")

    cluster: Text | None = Field(default=None, description="whose scheduler numbers it")
    job_id: Text | None = Field(default=None, description="the scheduler's number; it repeats across clusters")
    submit: Moment | None = Field(default=None, description="distinguishes jobs of one number")
    name: Text = ""
    user: Text | None = None
    project: Text | None = None
    partition: Text | None = None
    within: Text | None = Field(default=None, description="the scheduler's number of the job inside which it runs")
    state: Text | None = Field(default=None, examples=["running", "completed", "failed"])
    start: Moment
    end: Moment | None = Field(default=None, description="omitted while it runs")
    nodes: list[JobNodeBody] = Field(min_length=1)
    tags: Tags = Field(default_factory=dict, examples=[{"model": "resnet", "batch_size": "512"}])

    def to_job(self) -> Job:
        """The store's form."""
        plain = self.model_dump(exclude={"submit", "start", "end", "nodes"})
        return Job(
            submit_ms=self.submit,
            start_ms=self.start,
            end_ms=self.end,
            nodes=tuple(node.to_node() for node in self.nodes),
            **plain,
        )


class JobPatch(BaseModel):
    """What changes of a job; omitted fields are kept. `end: null` says that it runs again; a tag of null is removed."""

    model_config = ConfigDict(extra="forbid")

    name: Text = ""
    user: Text | None = None
    project: Text | None = None
    partition: Text | None = None
    within: Text | None = None
    state: Text | None = None
    start: Moment = 0
    end: Moment | None = None
    nodes: list[JobNodeBody] = Field(default_factory=list)
    tags: TagChanges = Field(default_factory=dict)

    def changes(self, job: Job) -> dict[str, Any]:
        """Fields of `Job` and their new values."""
        given = self.model_dump(include=self.model_fields_set - {"nodes", "tags", "start", "end"})
        if "start" in self.model_fields_set:
            given["start_ms"] = self.start
        if "end" in self.model_fields_set:
            given["end_ms"] = self.end
        if "nodes" in self.model_fields_set:
            given["nodes"] = tuple(node.to_node() for node in self.nodes)
        if "tags" in self.model_fields_set:
            merged = {**job.tags, **self.tags}
            given["tags"] = {key: value for key, value in merged.items() if value is not None}
        return given


class JobNodeAnswer(TypedDict):
    """A node of a job. `gpus`: indices or UUIDs, null: all; `start`, `end`: where they differ from those of the job."""

    node: Annotated[str, Field(examples=["hgx-01"])]
    gpus: Sequence[int | str] | None
    cores: int | None
    exclusive: bool | None
    start: NotRequired[Annotated[Time | None, MAY_BE_OMITTED]]
    end: NotRequired[Annotated[Time | None, MAY_BE_OMITTED]]


class JobAnswer(TypedDict):
    """A job with its figures. `id` is that of Wattline, `job_id` that of the scheduler; `end` is null while it runs.

    `sparkline`: mean power [W] of at most 60 equal parts, null where it is not covered.
    """

    id: str
    cluster: str | None
    job_id: str | None
    submit: Time | None
    name: str
    user: str | None
    project: str | None
    partition: str | None
    within: str | None
    state: Annotated[str | None, Field(examples=["running"])]
    start: Time
    end: Time | None
    tags: dict[str, str]
    nodes: list[JobNodeAnswer]
    summary: JobSummary | None
    sparkline: list[float | None]


def job_answer(job: Job, shared: Collection[str] | None = None) -> JobAnswer:
    """Return a job as answers show it; `shared` (None: not asked) are nodes that it does not have for itself."""
    return {
        "id": job.id,
        "cluster": job.cluster,
        "job_id": job.job_id,
        "submit": rfc3339(job.submit_ms),
        "name": job.name,
        "user": job.user,
        "project": job.project,
        "partition": job.partition,
        "within": job.within,
        "state": job.state,
        "start": str(rfc3339(job.start_ms)),
        "end": rfc3339(job.end_ms),
        "tags": dict(job.tags),
        "nodes": [_node(node, shared) for node in job.nodes],
        "summary": _summary(job.summary),
        "sparkline": list(job.summary.sparkline or ()) if job.summary else [],
    }


def _node(node: JobNode, shared: Collection[str] | None) -> JobNodeAnswer:
    exclusive = node.exclusive
    if exclusive is None and shared is not None:
        exclusive = node.node not in shared
    given: JobNodeAnswer = {"node": node.node, "gpus": node.gpus, "cores": node.cores, "exclusive": exclusive}
    if node.start_ms is not None:
        given["start"] = rfc3339(node.start_ms)
    if node.end_ms is not None:
        given["end"] = rfc3339(node.end_ms)
    return given


def _summary(summary: Summary | None) -> JobSummary | None:
    if summary is None:
        return None
    computed_at = rfc3339(abs(summary.computed_at_ms))
    return cast("JobSummary", {**summary.content, "revision": summary.revision, "computed_at": computed_at})


def job_state(job: Job) -> dict[str, Any]:
    """Return a job as the audit log shows it."""
    names = ("cluster", "job_id", "name", "user", "project", "state")
    found: dict[str, Any] = {name: getattr(job, name) for name in names}
    return found | {
        "start": rfc3339(job.start_ms),
        "end": rfc3339(job.end_ms),
        "tags": dict(job.tags),
        "nodes": [node.node for node in job.nodes],
    }
