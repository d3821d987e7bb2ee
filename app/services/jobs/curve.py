"""The curves of a job, one view at a time, in few enough points to draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from app.domain.timeseries import Curve, coverage, downsample, window
from app.services.jobs.power import JobPart, JobPower

View = Literal["total", "node", "feed", "gpu", "utilization"]


@dataclass(frozen=True)
class NamedCurve:
    """A curve and what it is: W, or % of utilization. `start_ms`, `end_ms`: when it is part of the job."""

    key: str
    label: str
    source: str | None
    curve: Curve
    start_ms: int
    end_ms: int
    unit: str = "W"


@dataclass(frozen=True)
class Drawn:
    """At most as many points as asked for: t int64[m] [ms], v float64[m], NaN where the line breaks."""

    key: str
    label: str
    source: str | None
    unit: str
    coverage: float
    t_ms: np.ndarray[tuple[int], np.dtype[np.int64]]
    v: np.ndarray[tuple[int], np.dtype[np.float64]]
    downsampled: bool


def unit(view: View) -> str:
    """What the values of a view are in."""
    return "%" if view == "utilization" else "W"


def job_curves(power: JobPower, view: View) -> list[NamedCurve]:
    """The curves of a view, in the order of the job's nodes."""
    if view == "total":
        sources = {p.power.source for p in power.parts}
        source = next(iter(sources)) if len(sources) == 1 else None
        label = power.job.name or "total"
        label = f"{label} · its share of shared nodes" if power.is_shared else label
        return [NamedCurve("total", label, source, power.total, power.start_ms, power.end_ms)]
    return [curve for part in power.parts for curve in _VIEWS[view](part)]


def drawn(power: JobPower, view: View, max_points: int) -> list[Drawn]:
    """The curves of a view as points; peaks and gaps survive."""
    return [thinned(one, max_points) for one in job_curves(power, view)]


def thinned(one: NamedCurve, max_points: int) -> Drawn:
    """A curve as at most so many points."""
    part = window(one.curve, one.start_ms, one.end_ms)
    t_ms, v = downsample(part, one.start_ms, one.end_ms, max_points)
    time_base = len(part)
    share = coverage(part, one.start_ms, one.end_ms)
    kept = int(np.count_nonzero(~np.isnan(v)))
    return Drawn(one.key, one.label, one.source, one.unit, share, t_ms, v, kept < time_base)


def _nodes(part: JobPart) -> list[NamedCurve]:
    """The node; of a shared one what the job gets of it too."""
    node, source = part.power.node, part.power.source
    whole = _of(part, node, node if part.share is None else f"{node} · whole node", source, part.power.total)
    if part.share is None:
        return [whole]
    return [_of(part, f"{node}:share", f"{node} · share of the job", source, part.own), whole]


def _feeds(part: JobPart) -> list[NamedCurve]:
    return [
        _of(part, f"{key}:power", f"{part.power.node} · {key}", part.power.source, curve)
        for key, curve in part.power.feeds.items()
    ]


def _gpus(part: JobPart) -> list[NamedCurve]:
    return _by_gpu(part, part.gpus, "power")


def _loads(part: JobPart) -> list[NamedCurve]:
    return [replace(one, unit="%") for one in _by_gpu(part, part.gpu_utilization, "utilization")]


def _by_gpu(part: JobPart, curves: Mapping[str, Curve], quantity: str) -> list[NamedCurve]:
    node, labels = part.power.node, part.power.gpu_labels
    return [
        _of(part, f"{node}/{point}:{quantity}", f"{node} · {labels.get(point) or point}", "components", curve)
        for point, curve in curves.items()
    ]


def _of(part: JobPart, key: str, label: str, source: str | None, curve: Curve) -> NamedCurve:
    return NamedCurve(key, label, source, curve, part.power.start_ms, part.power.end_ms)


_VIEWS: Mapping[View, Callable[[JobPart], Sequence[NamedCurve]]] = {
    "node": _nodes,
    "feed": _feeds,
    "gpu": _gpus,
    "utilization": _loads,
}
