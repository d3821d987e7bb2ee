"""The curves of a node: its power by every source, its cords, its GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.domain.timeseries import Curve, add
from app.errors import NotFound
from app.services.energy import NodePower, PowerBasis, read_node_power
from app.services.jobs import Drawn, NamedCurve, thinned
from app.services.pages.stores import PageStores

NodeCurveView = Literal["sources", "feed", "gpu", "utilization"]


@dataclass(frozen=True)
class NodeCurves:
    """The curves of a view. `source`, `power_basis`: of the headline; `why`: why the wall power is not known, if so."""

    source: str | None
    power_basis: PowerBasis
    why: str | None
    fallback: Sequence[tuple[int, int]]
    series: Sequence[Drawn]
    rated_w: float | None
    control_w: float | None


def node_curves(
    stores: PageStores, node: str, view: NodeCurveView, start_ms: int, end_ms: int, max_points: int
) -> NodeCurves:
    """Return the curves of a node over a window, with the facility as it was; peaks and gaps are kept.

    Raises
    ------
    NotFound
        There was no such node at the end of the window.
    """
    facility = stores.facility.at(end_ms)
    known = facility.nodes.get(node)
    if known is None:
        raise NotFound(f"there is no node {node!r}", "GET /api/v1/nodes lists them")
    power = read_node_power(stores, node, start_ms, end_ms, parts=view != "feed")
    model = facility.model_of(known)
    return NodeCurves(
        power.source,
        power.power_basis,
        power.why,
        power.fallback,
        [thinned(one, max_points) for one in _VIEWS[view](power)],
        model.rated_w if model else None,
        model.control_w if model else None,
    )


def _sources(power: NodePower) -> list[NamedCurve]:
    """Return those that exist of: headline, wall, BMC, Σ GPU, components, and wall − components."""
    gpus = add(list(power.gpus.values())) if power.gpus else None
    rows: tuple[tuple[str, str, str | None, Curve | None], ...] = (
        ("total", "headline", power.source, power.total),
        ("wall", "wall", power.wall_source, power.wall if power.wall_source else None),
        ("bmc", "BMC", "bmc", power.bmc),
        ("gpus", "Σ GPU", "components", gpus),
        ("components", "components", "components", power.components),
        ("residual", "wall − components", "derived", power.residual),
    )
    return [_named(power, key, label, source, curve) for key, label, source, curve in rows if curve is not None]


def _feeds(power: NodePower) -> list[NamedCurve]:
    return [_named(power, f"{key}:power", key, power.wall_source, curve) for key, curve in power.feeds.items()]


def _gpus(power: NodePower) -> list[NamedCurve]:
    return _by_gpu(power, power.gpus, "power")


def _loads(power: NodePower) -> list[NamedCurve]:
    return [replace(one, unit="%") for one in _by_gpu(power, power.gpu_utilization, "utilization")]


def _by_gpu(power: NodePower, curves: Mapping[str, Curve], quantity: str) -> list[NamedCurve]:
    labels = power.gpu_labels
    return [_named(power, f"{p}:{quantity}", labels.get(p) or p, "components", c) for p, c in curves.items()]


def _named(power: NodePower, key: str, label: str, source: str | None, curve: Curve) -> NamedCurve:
    return NamedCurve(key, label, source, curve, power.start_ms, power.end_ms)


_VIEWS = {"sources": _sources, "feed": _feeds, "gpu": _gpus, "utilization": _loads}
