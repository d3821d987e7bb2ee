"""Everything the job page shows that does not depend on how far it is zoomed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.energy import energy_j
from app.domain.statistics import statistics
from app.figures.load_duration import load_duration_figure
from app.figures.numbers import THIN, num
from app.figures.theme import Figure
from app.services.context import Context
from app.services.job_evidence import Evidence, job_evidence
from app.services.job_power import JobPower, job_power
from app.services.job_split import Split, job_split
from app.services.job_words import hardware, kind, nodes_of, telling_tags
from app.services.jobs import one, shared_nodes, with_summary
from app.services.overview import SiteName, site_name
from app.store.job import Job, Summary
from app.store.snapshot import Facility

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
    """Energy of one piece of work, where a tag counts them (`queries`)."""

    unit: str
    count: int
    energy_j: float


@dataclass(frozen=True)
class JobView:
    """The job page without its zoomed figures. `summary` is the one of `GET /api/v1/jobs/{id}`, without its moment."""

    now_ms: int
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
    submit_ms: int | None
    start_ms: int
    end_ms: int | None
    hardware: str
    shown_tags: Sequence[tuple[str, str]]
    tags: Mapping[str, str]
    nodes: Sequence[NodePart]
    nodes_title: str
    summary: Mapping[str, object]
    computed_ms: int
    max_at: str | None
    per_unit: PerUnit | None
    split: Split | None
    evidence: Evidence
    figures: Mapping[str, Figure]


def job_view(context: Context, id_: str) -> JobView:
    """The job page.

    Raises
    ------
    NotFound
        There is no such job.
    """
    job = with_summary(context, one(context, id_))
    summary = job.summary or Summary({}, context.now_ms())
    power = job_power(context, job)
    facility = context.facility.at(job.start_ms)
    nodes = _nodes(facility, job, power)
    watts = summary.content.get("power_w")
    max_at = watts.get("max_at") if isinstance(watts, dict) else None
    return JobView(
        now_ms=context.now_ms(),
        site=site_name(facility, None),
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
        summary=summary.content,
        computed_ms=abs(summary.computed_at_ms),
        max_at=max_at if isinstance(max_at, str) else None,
        per_unit=_per_unit(job, summary),
        split=job_split(context, power),
        evidence=job_evidence(context, job, summary, power, shared_nodes(context, job)),
        figures={"duration": _duration(job, power)},
    )


def _duration(job: Job, power: JobPower) -> Figure:
    found = statistics(power.total, power.start_ms, power.end_ms)
    return load_duration_figure(
        power.total, power.start_ms, power.end_ms, found, power.rated_w, f"job-{job.id}-load-duration"
    )


def _nodes(facility: Facility, job: Job, power: JobPower) -> list[NodePart]:
    return [_node(facility, key, power) for key in nodes_of(job)]


def _node(facility: Facility, key: str, power: JobPower) -> NodePart:
    node = facility.nodes.get(key)
    model = facility.model_of(node) if node else None
    parts = [part.power for part in power.parts if part.power.node == key]
    tops = [statistics(p.total, p.start_ms, p.end_ms).max for p in parts]
    wanted = sum(p.end_ms - p.start_ms for p in parts)
    covered = sum(p.total.covered_ms for p in parts)
    known = [w for w in tops if not math.isnan(w)]
    return NodePart(
        key=key,
        label=node.title if node else key,
        model=model.title if model else None,
        gpus=model.gpus if model else None,
        source=parts[0].source if parts else None,
        energy_j=math.fsum(energy_j(p.total, p.start_ms, p.end_ms) for p in parts) if covered else None,
        max_w=max(known, default=None),
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
        return f"The {len(known)} nodes took alike"
    return f"{odd} took {num(abs(100 * share))}{THIN}% {'more' if share > 0 else 'less'} than the mean"


def _per_unit(job: Job, summary: Summary) -> PerUnit | None:
    joules, queries = summary.energy_j, job.tags.get("queries", "")
    if joules is None or not queries.isdigit() or int(queries) == 0:
        return None
    return PerUnit("query", int(queries), joules / int(queries))
