"""The page of a job, apart from its zoomed figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, cast

from app.domain.energy import statistics
from app.models import JobFiguresShown, TimeMs, sent_as
from app.presentation.charts import Figure
from app.presentation.jobs.breakdown_chart import Split, job_split
from app.presentation.jobs.job_title import hardware, kind, nodes_of, telling_tags
from app.presentation.jobs.load_duration import load_duration_figure
from app.presentation.jobs.provenance import Evidence, present_provenance
from app.presentation.text import THIN, num
from app.services.facility import SiteName, site_name
from app.services.jobs import JobPower
from app.services.pages import JobPage
from app.store.facility import Facility
from app.store.jobs import Job

ALIKE = 0.05


@dataclass(frozen=True)
class NodePart:
    """A node of the job: how to call it, and its part of the energy."""

    key: str
    label: str
    model: str | None
    gpus: int | None
    source: str | None
    energy_j: float | None
    max_w: float | None
    coverage: float | None


@dataclass(frozen=True)
class PerUnit:
    """Energy of one piece of work, where a tag counts them (`per:samples`)."""

    unit: str
    count: float
    energy_j: float


@dataclass(frozen=True)
class JobView:
    """The job page without its zoomed figures. `summary` is the one of `GET /api/v1/jobs/{id}`, without its moment."""

    now_ms: Annotated[TimeMs, sent_as("now")]
    site: SiteName
    id: str
    name: str
    kind: str
    state: str | None
    running: bool
    user: str | None
    project: str | None
    cluster: str | None
    job_id: str | None
    submit_ms: Annotated[TimeMs | None, sent_as("submit")]
    start_ms: Annotated[TimeMs, sent_as("start")]
    end_ms: Annotated[TimeMs | None, sent_as("end")]
    hardware: str
    shown_tags: Sequence[tuple[str, str]]
    tags: Mapping[str, str]
    nodes: Sequence[NodePart]
    nodes_title: str
    summary: JobFiguresShown
    computed_ms: Annotated[TimeMs, sent_as("computed")]
    max_at: str | None
    per_units: Sequence[PerUnit]
    split: Split | None
    evidence: Evidence
    figures: Mapping[str, Figure]


def present_job(data: JobPage) -> JobView:
    """Present the page of a job."""
    job, summary, power, facility = data.job, data.summary, data.power, data.facility
    nodes = _nodes(facility, job, power)
    watts = summary.content.get("power_w")
    max_at = watts.get("max_at") if isinstance(watts, dict) else None
    return JobView(
        now_ms=data.now_ms,
        site=_site(facility, job),
        id=job.id,
        name=job.name or job.job_id or job.id,
        kind=kind(job.tags),
        state=job.state,
        running=job.end_ms is None,
        user=job.user,
        project=job.project,
        cluster=job.cluster,
        job_id=job.job_id,
        submit_ms=job.submit_ms,
        start_ms=job.start_ms,
        end_ms=job.end_ms,
        hardware=hardware(facility, job),
        shown_tags=telling_tags(job.tags),
        tags=job.tags,
        nodes=nodes,
        nodes_title=_nodes_title(nodes),
        summary=cast("JobFiguresShown", summary.content),
        computed_ms=abs(summary.computed_at_ms),
        max_at=max_at if isinstance(max_at, str) else None,
        per_units=_per_units(summary.content),
        split=job_split(summary.content, len({node.node for node in job.nodes})),
        evidence=present_provenance(job, summary, power, data.provenance),
        figures={"duration": _duration(job, power)},
    )


def _duration(job: Job, power: JobPower) -> Figure:
    found = statistics(power.total, power.start_ms, power.end_ms)
    silence = "No readings from the meters of this job's nodes while it ran."
    if power.is_shared and any(len(part.power.total) for part in power.parts):
        silence = "Its nodes were measured, but the share of this job is not known."
    return load_duration_figure(
        power.total, power.start_ms, power.end_ms, found, power.rated_w, f"job-{job.id}-load-duration", silence
    )


def _site(facility: Facility, job: Job) -> SiteName:
    """Return the site of its nodes; all sites if they are at several."""
    sites = {node.site for key in nodes_of(job) if (node := facility.nodes.get(key))}
    return site_name(facility, sites.pop() if len(sites) == 1 else None)


def _nodes(facility: Facility, job: Job, power: JobPower) -> list[NodePart]:
    return [_node(facility, key, power) for key in nodes_of(job)]


def _node(facility: Facility, key: str, power: JobPower) -> NodePart:
    node = facility.nodes.get(key)
    model = facility.model_of(node) if node else None
    parts = [part for part in power.parts if part.power.node == key]
    tops = [statistics(p.own, p.power.start_ms, p.power.end_ms).max for p in parts]
    wanted = sum(p.span_ms for p in parts)
    covered = sum(p.covered_ms for p in parts)
    known = [w for w in tops if not math.isnan(w)]
    return NodePart(
        key=key,
        label=node.title if node else key,
        model=model.title if model else None,
        gpus=model.gpus if model else None,
        source=parts[0].power.source if parts else None,
        energy_j=math.fsum(p.energy_j for p in parts) if covered else None,
        max_w=None if any(p.power.is_coarse for p in parts) else max(known, default=None),
        coverage=covered / wanted if wanted else None,
    )


def _nodes_title(nodes: Sequence[NodePart]) -> str:
    """Whether the nodes of a job took alike, or which did not."""
    known = {n.label: n.energy_j for n in nodes if n.energy_j}
    if len(known) < 2:
        return "Nodes"
    mean = math.fsum(known.values()) / len(known)
    odd = max(known, key=lambda label: abs(known[label] - mean))
    share = known[odd] / mean - 1
    if abs(share) < ALIKE:
        return f"The {len(known)} nodes used the same energy"
    return f"{odd} took {num(abs(100 * share))}{THIN}% {'more' if share > 0 else 'less'} than the mean"


def _per_units(content: Mapping[str, object]) -> list[PerUnit]:
    found = content.get("per")
    units = {unit: per for unit, per in found.items() if per["j_per"]} if isinstance(found, Mapping) else {}
    once = {per["count"]: unit for unit, per in reversed(units.items())}  # queries of a benchmark are its samples
    return [PerUnit(_one(unit), units[unit]["count"], units[unit]["j_per"]) for unit in units if unit in once.values()]


def _one(unit: str) -> str:
    """`query` of queries, `sample` of samples."""
    if unit.endswith("ies"):
        return f"{unit[:-3]}y"
    return unit.removesuffix("s") if len(unit) > 1 else unit
