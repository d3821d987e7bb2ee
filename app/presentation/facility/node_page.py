"""The node page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from app.domain.capacity import headroom
from app.domain.energy import statistics
from app.domain.timeseries import TimeWindow, add, coverage
from app.models import TimeMs, sent_as
from app.presentation.charts import PENDING_MS, PowerFigures, holes
from app.presentation.facility import node as figures
from app.presentation.facility.node_source import CordLine, SourceFacts, cords_title, curve_name, source_facts
from app.presentation.facility.rack_page import Draw
from app.presentation.text import Missing, UnreadView, WindowView, by_device, known_power_fields, unread_view
from app.services.energy import NodePower, PowerBasis
from app.services.facility import SiteName, site_name
from app.services.pages import NodePage
from app.store.database import Unread
from app.store.facility import Facility, Model
from app.store.jobs import Job


@dataclass(frozen=True)
class NodeFacts:
    """The node itself."""

    key: str
    label: str
    rack: str | None
    rack_label: str | None
    position_u: int | None


@dataclass(frozen=True)
class ModelFacts:
    """The model of the node."""

    label: str
    gpus: int | None
    rated_w: float | None
    budget_w: float | None
    control_w: float | None


@dataclass(frozen=True)
class NodeStatistics:
    """Statistics of the window, over the covered time. `max_over_s`: over how long a derived maximum is a mean.

    `coverage`: None where not everything can be read; then `gaps` is not known either.
    """

    max_w: float | None
    max_at_ms: Annotated[TimeMs | None, sent_as("max_at")]
    max_over_s: float | None
    power_basis: PowerBasis
    p99_w: float | None
    median_w: float | None
    mean_w: float | None
    energy_j: float
    coverage: float | None
    gaps: int
    since_ms: Annotated[TimeMs | None, sent_as("since")]
    headroom_w: float | None
    headroom_pct: float | None


@dataclass(frozen=True)
class JobBand:
    """A job that held the node for some of the window."""

    id: str
    name: str
    user: str | None
    start_ms: Annotated[TimeMs, sent_as("start")]
    end_ms: Annotated[TimeMs | None, sent_as("end")]
    energy_j: float | None


@dataclass(frozen=True)
class NodeView:
    """Everything the node page shows. `unread`: what of it the database cannot read now."""

    now_ms: Annotated[TimeMs, sent_as("now")]
    site: SiteName
    node: NodeFacts
    model: ModelFacts | None
    window: WindowView
    draw: Draw
    stats: NodeStatistics
    source: SourceFacts
    cords: Sequence[CordLine]
    cords_title: str
    jobs: Sequence[JobBand]
    figures: PowerFigures
    unread: UnreadView | None = None


def node_view(page: NodePage, unread: Unread | None = None) -> NodeView:
    """Return the node page; `unread`: what its data are read without."""
    facility, node, power, view = page.facility, page.node, page.power, page.window
    lost = unread_view(unread, _devices(facility, node.key))
    model = facility.model_of(node)
    stats = _stats(power, model, view, page.began_ms)
    rack = facility.racks.get(node.rack) if node.rack else None
    now = page.live.nodes[node.key]
    cords = [CordLine(f.device, f.point, page.latest.value(f"{f.key}:power")) for f in facility.powering(node.key)]
    return NodeView(
        now_ms=page.now_ms,
        site=site_name(facility, node.site),
        node=NodeFacts(node.key, node.title, node.rack, rack.title if rack else node.rack, node.position_u),
        model=_model(model),
        window=WindowView.of(view),
        draw=Draw(
            **known_power_fields(now.power),
            rated_w=model.rated_w if model else None,
            source=now.source,
            instead_of=now.instead_of,
        ),
        stats=replace(stats, coverage=None, gaps=0) if lost else stats,
        source=source_facts(facility, node, power, page.latest, view, is_read=not lost),
        cords=cords,
        cords_title=cords_title(cords, lost.devices if lost else ()),
        jobs=[_band(job) for job in page.jobs],
        figures=_figures(
            power, {} if lost else _missing(power), model, view, f"node-{node.key}", is_partial=now.power.is_partial
        ),
        unread=lost,
    )


def _devices(facility: Facility, node: str) -> set[str]:
    """Return the devices of a node, and those that power it."""
    own = {device.key for device in facility.devices.values() if device.node == node}
    return own | {feed.device for feed in facility.powering(node)}


def _model(model: Model | None) -> ModelFacts | None:
    if model is None:
        return None
    return ModelFacts(model.title, model.gpus, model.rated_w, model.budget_w, model.control_w)


def _stats(power: NodePower, model: Model | None, view: TimeWindow, began_ms: int | None) -> NodeStatistics:
    found = statistics(power.total, view.start_ms, view.end_ms)
    coarse = power.is_coarse
    max_w = math.nan if coarse else found.max
    is_whole = not math.isnan(max_w) and power.source != "components"
    room = headroom(model.rated_w, max_w) if is_whole and model and model.rated_w else None
    span_ms = 0 if coarse or found.max_at_ms is None else power.span_at(found.max_at_ms)
    energy = power.energy.by(power.energy.method)
    return NodeStatistics(
        max_w=_known(max_w),
        max_at_ms=None if coarse else found.max_at_ms,
        max_over_s=span_ms / 1000 if span_ms else None,
        power_basis=power.power_basis,
        p99_w=None if coarse else _known(found.p99),
        median_w=None if coarse else _known(found.median),
        mean_w=_known(found.mean),
        energy_j=energy.energy_j if energy else 0.0,
        coverage=coverage(power.total, view.start_ms, view.end_ms),
        gaps=len(holes(power.total, view, began_ms)),
        since_ms=began_ms if began_ms is not None and view.start_ms < began_ms < view.end_ms else None,
        headroom_w=room.w if room else None,
        headroom_pct=room.pct if room else None,
    )


def _known(x: float) -> float | None:
    return None if math.isnan(x) else x


def _band(job: Job) -> JobBand:
    energy = job.summary.energy_j if job.summary else None
    return JobBand(job.id, job.name or job.id, job.user, job.start_ms, job.end_ms, energy)


def _figures(
    power: NodePower, missing: Missing, model: Model | None, view: TimeWindow, name: str, *, is_partial: bool
) -> PowerFigures:
    gpu_curves = {_gpu_name(point): curve for point, curve in power.gpus.items()}
    sources = figures.NodeSources(
        wall=power.total,
        wall_name=curve_name(power),
        is_coarse=power.is_coarse,
        gpu_sum=add(list(gpu_curves.values())) if gpu_curves else None,
        bmc=power.bmc if power.source != "bmc" else None,
        residual=power.residual,
        rated_w=model.rated_w if model else None,
        control_w=model.control_w if model else None,
        missing=missing,
        is_partial=is_partial,
    )
    return {
        "power": figures.power(sources, view, name),
        "gpus": figures.gpus(gpu_curves, view, f"{name}-gpus") if gpu_curves else None,
    }


def _missing(power: NodePower) -> dict[str, Sequence[tuple[int, int]]]:
    """Return the gaps by device; outlets of one device are silent together."""
    past = [
        (series, [s for s in stretches if s[1] < power.end_ms or s[1] - s[0] > PENDING_MS])
        for series, stretches in power.missing
    ]
    return by_device(past)


def _gpu_name(point: str) -> str:
    """Return `GPU 3` for the point `gpu/3`."""
    kind, _, number = point.rpartition("/")
    return f"GPU {number}" if kind.endswith("gpu") else point
