"""Read what the figures of a job over a window are made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from app.domain.timeseries import Curve, TimeWindow
from app.errors import Invalid
from app.models import TimeMs, sent_as
from app.services.jobs import JobPower, JobStores, job_power, job_window, one, with_summary
from app.store.jobs import Job
from collectors.contract import HOUR_MS

_MARGIN = 0.055
_MARGIN_MS = (20_000, HOUR_MS)
_SHORTEST_MS = 2_000


@dataclass(frozen=True)
class FigureWindow:
    """The window that the figures show, and the whole one: the run with a margin before and after it [ms]."""

    from_ms: Annotated[TimeMs, sent_as("from")]
    to_ms: Annotated[TimeMs, sent_as("to")]
    first_ms: Annotated[TimeMs, sent_as("first")]
    last_ms: Annotated[TimeMs, sent_as("last")]


@dataclass(frozen=True)
class JobFiguresData:
    """What the figures of a job are made from.

    `power` reaches over the window that is shown. `read_ms`: first and last reading of its meters; None where there
    are none, or where its power is known.
    """

    now_ms: int
    job: Job
    run: TimeWindow
    stretch: FigureWindow
    power: JobPower
    read_ms: tuple[int, int] | None


def read_job_figures(
    stores: JobStores, id_: str, start_ms: int | None = None, end_ms: int | None = None, *, known: Job | None = None
) -> JobFiguresData:
    """Read what the figures of a job, or of a part of its time, are made from; `known`: the job with its figures.

    Raises
    ------
    NotFound, Invalid
        There is no such job; the window ends before it starts or lies elsewhere.
    """
    job = known or with_summary(stores, one(stores, id_))
    run = TimeWindow(*job_window(stores, job))
    whole = around(run, job.end_ms is None)
    view = _view(whole, start_ms, end_ms)
    power = job_power(stores, job, view.start_ms, view.end_ms, beyond=True)
    power.inputs.frames.read_parts()
    return JobFiguresData(
        now_ms=stores.now_ms(),
        job=job,
        run=run,
        stretch=FigureWindow(view.start_ms, view.end_ms, whole.start_ms, whole.end_ms),
        power=power,
        read_ms=None if len(power.total) else stores.frames.span(metering_devices(power)),
    )


def metering_devices(power: JobPower) -> list[str]:
    """Return the devices that power the nodes of a job."""
    return sorted({key.partition("/")[0] for part in power.parts for key in part.power.feeds})


def around(run: TimeWindow, running: bool) -> TimeWindow:
    """Return a run with a margin before and after it."""
    reach = round(min(max(_MARGIN * run.length_ms, _MARGIN_MS[0]), _MARGIN_MS[1]))
    return TimeWindow(run.start_ms - reach, run.end_ms if running else run.end_ms + reach)


def interval_ms(curves: Iterable[Curve]) -> int:
    """Return the usual interval of readings [ms]; 1000 where there are none."""
    steps = [np.diff(curve.t_ms[curve.is_sample]) for curve in curves]
    known = [float(np.median(step)) for step in steps if step.size]
    return max(1, round(float(np.median(known)))) if known else 1000


def _view(whole: TimeWindow, start_ms: int | None, end_ms: int | None) -> TimeWindow:
    start = whole.start_ms if start_ms is None else max(start_ms, whole.start_ms)
    end = whole.end_ms if end_ms is None else min(end_ms, whole.end_ms)
    if end - start < _SHORTEST_MS:
        raise Invalid(
            "the window is shorter than 2 s, or lies outside the job", "give from < to inside it", code="bad_window"
        )
    return TimeWindow(start, end)
