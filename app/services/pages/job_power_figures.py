"""The figures of a job over a stretch of time: its power with load and limits, and its GPUs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.timeseries import Curve, Member, TimeWindow, add, sum_while_present, window
from app.errors import Invalid
from app.presentation.charts import MAX_POINTS, Figure
from app.presentation.jobs import Axes, JobCurves, bucket_length_s, gpu_heat
from app.presentation.jobs import job_power as figures
from app.presentation.text import by_device, moment, names, num, span
from app.services.energy import gpu_mean
from app.services.jobs import JobPower, job_power, job_window, one, with_summary
from app.services.pages.stores import PageStores
from app.store.jobs import Job
from collectors.contract import HOUR_MS

SOURCE_NAMES = {"pdu": "wall", "meter": "meter", "bmc": "BMC", "components": "components only"}
_MARGIN = 0.055
_MARGIN_MS = (20_000, HOUR_MS)
_SHORTEST_MS = 2_000


@dataclass(frozen=True)
class FigureWindow:
    """What the figures show, and how far one can look [ms]: the run with a margin before and after it."""

    from_ms: int
    to_ms: int
    first_ms: int
    last_ms: int


@dataclass(frozen=True)
class JobFigures:
    """The figures of a stretch; `gpus` is None where the job has no GPUs that tell. Ages say how fine they are."""

    now_ms: int
    stretch: FigureWindow
    power_age: str
    gpus_age: str
    figures: Mapping[str, Figure | None]


def job_figures(
    stores: PageStores, id_: str, start_ms: int | None = None, end_ms: int | None = None, axes: Axes = "strip"
) -> JobFigures:
    """The figures of a job, of a stretch of it when one is given.

    Raises
    ------
    NotFound, Invalid
        There is no such job; the stretch ends before it starts or lies elsewhere.
    """
    job = with_summary(stores, one(stores, id_))
    run = TimeWindow(*job_window(stores, job))
    whole = around(run, job.end_ms is None)
    view = _view(whole, start_ms, end_ms)
    power = job_power(stores, job, view.start_ms, view.end_ms, beyond=True)
    step_ms = interval_ms(curve for part in power.parts for curve in part.gpus.values())
    gpus = gpu_curves(power)
    name = f"job-{job.id}"
    return JobFigures(
        now_ms=stores.now_ms(),
        stretch=FigureWindow(view.start_ms, view.end_ms, whole.start_ms, whole.end_ms),
        power_age=_power_age(power),
        gpus_age=_gpus_age(view, step_ms),
        figures={
            "power": figures.power(_curves(stores, job, power), view, title(job), f"{name}-power", axes),
            "gpus": gpu_heat(gpus, run, view, step_ms, f"{name}-gpus") if gpus else None,
        },
    )


def around(run: TimeWindow, running: bool) -> TimeWindow:
    """A run with some minutes before and after it."""
    reach = round(min(max(_MARGIN * run.length_ms, _MARGIN_MS[0]), _MARGIN_MS[1]))
    return TimeWindow(run.start_ms - reach, run.end_ms if running else run.end_ms + reach)


def title(job: Job) -> str:
    """What the job held or drew, against its nodes' rating."""
    content = job.summary.content if job.summary else {}
    power = content.get("power_w") or {}
    median, top = (_number(power.get(name) if isinstance(power, dict) else None) for name in ("median", "max"))
    rated = content.get("rated_w")
    nodes = len({node.node for node in job.nodes})
    shared = bool(content.get("shared"))
    rated_w = rated if isinstance(rated, float) else None
    return figures.power_title(median, top, rated_w, nodes, job.end_ms is None, shared=shared)


def gpu_curves(power: JobPower) -> dict[str, Curve]:
    """`GPU 3`, or `hgx-01 · GPU 3` in a job on several nodes → its power."""
    several = len({part.power.node for part in power.parts}) > 1
    found: dict[str, Curve] = {}
    for part in power.parts:
        for point, curve in part.gpus.items():
            name = f"GPU {point.rpartition('/')[2]}"
            found.setdefault(f"{part.power.node} · {name}" if several else name, curve)
    return found


def interval_ms(curves: Iterable[Curve]) -> int:
    """The usual distance of readings [ms]; 1000 where nothing tells."""
    steps = [np.diff(curve.t_ms[curve.is_sample]) for curve in curves]
    known = [float(np.median(step)) for step in steps if step.size]
    return max(1, round(float(np.median(known)))) if known else 1000


def every(ms: float) -> str:
    """`1 s readings`."""
    return f"{num(ms / 1000, 0 if ms % 1000 == 0 else 1)}\u2009s readings"


def _view(whole: TimeWindow, start_ms: int | None, end_ms: int | None) -> TimeWindow:
    start = whole.start_ms if start_ms is None else max(start_ms, whole.start_ms)
    end = whole.end_ms if end_ms is None else min(end_ms, whole.end_ms)
    if end - start < _SHORTEST_MS:
        raise Invalid(
            "the stretch is shorter than 2 s, or lies outside the job", "give from < to inside it", code="bad_window"
        )
    return TimeWindow(start, end)


def _curves(stores: PageStores, job: Job, power: JobPower) -> JobCurves:
    own = [p for p in power.parts if p.gpus]
    loads = [curve for part in power.parts for curve in part.gpu_utilization.values()]
    nodes: dict[str, Curve] = {}
    for part in power.parts:
        nodes.setdefault(part.power.node, part.own)
    sources = {part.power.source for part in power.parts if part.power.source}
    sums = [Member(add(list(p.gpus.values())), p.power.start_ms, p.power.end_ms) for p in own]
    return JobCurves(
        total=power.total,
        whole=_whole(power) if power.is_shared else None,
        start_ms=job.start_ms,
        end_ms=job.end_ms,
        source=SOURCE_NAMES[sources.pop()] if len(sources) == 1 else "mixed sources",
        nodes=nodes if len(nodes) > 1 else {},
        gpu_sum=sum_while_present(sums) if sums else None,
        load=gpu_mean({str(i): curve for i, curve in enumerate(loads)}) if loads else None,
        gpus=len(loads) or sum(len(p.gpus) for p in own),
        rated_w=power.rated_w,
        control_w=power.control_w,
        missing=silent(power),
        silence=_silence(stores, power),
    )


def _whole(power: JobPower) -> Curve:
    """The nodes themselves, before and after the run too."""
    return sum_while_present([Member(p.power.total, p.power.start_ms, p.power.end_ms) for p in power.parts])


def silent(power: JobPower) -> dict[str, Sequence[tuple[int, int]]]:
    """Device → when it told nothing [ms]; outlets of one device are silent together."""
    return by_device(one for part in power.parts for one in part.power.missing)


def _silence(stores: PageStores, power: JobPower) -> str:
    """Why nothing tells the power of a job: no cord, no reading yet, not any more, or not then."""
    devices = sorted({key.partition("/")[0] for part in power.parts for key in part.power.feeds})
    if not devices:
        return (
            'No meter feeds these nodes: feeds = ["pdu/outlet/1", …] of a node in the facility file names its outlets.'
        )
    spans = [span_ for device in devices if (span_ := stores.frames.span(device))]
    who = names(devices) if len(devices) < 4 else f"{len(devices)} meters"
    if not spans:
        return f"Nothing was ever read from {who}."
    first, last = min(a for a, _ in spans), max(b for _, b in spans)
    if first >= power.end_ms:
        return f"Readings of {who} begin at {moment(first, power.start_ms)}, after it."
    if last <= power.start_ms:
        return f"The last reading of {who} is of {moment(last, power.end_ms)}, before it."
    return f"{who} told nothing here."


def _power_age(power: JobPower) -> str:
    feeds = [curve for part in power.parts for curve in part.power.feeds.values()]
    inside = [window(curve, power.start_ms, power.end_ms) for curve in feeds] or [power.total]
    thinned = len(power.total) > MAX_POINTS
    return every(interval_ms(inside)) + (" · drawn min/max" if thinned else "")


def _gpus_age(view: TimeWindow, step_ms: int) -> str:
    length = bucket_length_s(view, step_ms)
    return every(step_ms) + (f", {span(length)} means" if length * 1000 > 1.5 * step_ms else "")


def _number(x: object) -> float:
    return float(x) if isinstance(x, int | float) else math.nan
