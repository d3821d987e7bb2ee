"""The figures of a job over a window: its power with load and limits, and its GPUs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from app.domain.timeseries import Curve, Member, TimeWindow, add, sum_while_present, window
from app.models import TimeMs, sent_as
from app.presentation.charts import MAX_POINTS, PowerFigures
from app.presentation.jobs import job_power as figures
from app.presentation.jobs.gpu_heatmap import bucket_length_s, gpu_heat
from app.presentation.jobs.job_power import Axes, JobCurves
from app.presentation.text import by_device, moment, names, num, span
from app.services.energy import gpu_mean
from app.services.jobs import JobPower
from app.services.pages import FigureWindow, JobFiguresData, interval_ms, metering_devices
from app.store.jobs import Job

SOURCE_NAMES = {"pdu": "wall", "meter": "meter", "bmc": "BMC", "components": "components only"}

_BASES = {"measured": "", "derived": ", derived", "mixed": ", partly derived"}


@dataclass(frozen=True)
class JobFigures:
    """The figures of a window; `gpus` is None without GPU readings. Ages state their resolution."""

    now_ms: Annotated[TimeMs, sent_as("now")]
    stretch: FigureWindow
    power_age: str
    gpus_age: str
    figures: PowerFigures


def present_job_figures(data: JobFiguresData, axes: Axes = "strip") -> JobFigures:
    """Present the figures of a job."""
    job, power = data.job, data.power
    view = TimeWindow(data.stretch.from_ms, data.stretch.to_ms)
    step_ms = interval_ms(curve for part in power.parts for curve in part.gpus.values())
    gpus = gpu_curves(power)
    name = f"job-{job.id}"
    return JobFigures(
        now_ms=data.now_ms,
        stretch=data.stretch,
        power_age=_power_age(power),
        gpus_age=_gpus_age(view, step_ms),
        figures={
            "power": figures.power(_curves(data), view, title(job), f"{name}-power", axes),
            "gpus": gpu_heat(gpus, data.run, view, step_ms, f"{name}-gpus") if gpus else None,
        },
    )


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


def every(ms: float) -> str:
    """`1 s readings`."""
    return f"{num(ms / 1000, 0 if ms % 1000 == 0 else 1)}\u2009s readings"


def _curves(data: JobFiguresData) -> JobCurves:
    job, power = data.job, data.power
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
        source=(SOURCE_NAMES[sources.pop()] if len(sources) == 1 else "mixed sources") + _BASES[power.power_basis],
        nodes=nodes if len(nodes) > 1 else {},
        gpu_sum=sum_while_present(sums) if sums else None,
        load=gpu_mean({str(i): curve for i, curve in enumerate(loads)}) if loads else None,
        gpus=len(loads) or sum(len(p.gpus) for p in own),
        rated_w=power.rated_w,
        control_w=power.control_w,
        missing=silent(power),
        silence=_silence(power, data.read_ms),
    )


def _whole(power: JobPower) -> Curve:
    """The nodes themselves, before and after the run too."""
    return sum_while_present([Member(p.power.total, p.power.start_ms, p.power.end_ms) for p in power.parts])


def silent(power: JobPower) -> dict[str, Sequence[tuple[int, int]]]:
    """Return device → when it was silent [ms]; outlets of one device are silent together."""
    return by_device(one for part in power.parts for one in part.power.missing)


def _silence(power: JobPower, read_ms: tuple[int, int] | None) -> str:
    """Say why the power of a job is not known: no cord, no reading yet, none any more, or none at that time."""
    devices = metering_devices(power)
    if not devices:
        return (
            'No meter feeds these nodes: feeds = ["pdu/outlet/1", …] of a node in the facility file names its outlets.'
        )
    who = names(devices) if len(devices) < 4 else f"{len(devices)} meters"
    if read_ms is None:
        return f"Nothing was ever read from {who}."
    first, last = read_ms
    if first >= power.end_ms:
        return f"Readings of {who} begin at {moment(first, power.start_ms)}, after it."
    if last <= power.start_ms:
        return f"The last reading of {who} is of {moment(last, power.end_ms)}, before it."
    return f"No readings from {who} in this window."


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
