"""Curves of the runs of a study over clock time, time since each start, or the fraction of each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

import numpy as np

from app.domain.studies import Band, band, profile
from app.domain.timeseries import Curve, FloatArray, coverage, downsample
from app.services.energy import gpu_mean
from app.services.jobs import job_power
from app.services.studies.stores import StudyStores
from app.services.studies.studies import Groups
from app.services.studies.study_runs import StudyRun

What = Literal["node", "gpu"]
TimeAxis = Literal["clock", "elapsed", "fraction"]
MOST_CURVES = 40


@dataclass(frozen=True, eq=False)
class RunCurve:
    """The power [W] of a run: of its nodes together, or the mean of its GPUs. `group`: index of its group."""

    run: StudyRun
    group: int
    source: str | None
    curve: Curve
    start_ms: int
    end_ms: int

    @property
    def coverage(self) -> float:
        """Share of the run that is covered."""
        return coverage(self.curve, self.start_ms, self.end_ms)

    def points(self, axis: TimeAxis, max_points: int) -> tuple[FloatArray, FloatArray]:
        """Return x [ms UTC, s since the start, or 0…1] and power [W], NaN in gaps; peaks and gaps are kept."""
        t_ms, v = downsample(self.curve, self.start_ms, self.end_ms, max_points)
        if axis == "clock":
            return t_ms.astype(np.float64), v
        since_ms = t_ms - self.start_ms
        return since_ms / (1000.0 if axis == "elapsed" else self.end_ms - self.start_ms), v


@dataclass(frozen=True, eq=False)
class StudyCurves:
    """The curves in the order of the groups. `omitted`: number of runs that are not drawn."""

    curves: Sequence[RunCurve]
    omitted: int

    def bands(self, groups: int) -> list[Band | None]:
        """Return mean and scatter of each group over `fractions()`; None for a group without a curve."""
        found: list[Band | None] = []
        for i in range(groups):
            own = [profile(c.curve, c.start_ms, c.end_ms) for c in self.curves if c.group == i and len(c.curve)]
            found.append(band(own) if own else None)
        return found


def study_curves(stores: StudyStores, found: Groups, what: What = "node") -> StudyCurves:
    """Return curves of at most 40 runs, evenly from each group, the newest first."""
    newest = [sorted(group.runs, key=lambda run: -run.job.start_ms) for group in found.groups]
    turns = [(i, run) for turn in zip_longest(*newest) for i, run in enumerate(turn) if run is not None]
    chosen = sorted(turns[:MOST_CURVES], key=lambda pair: (pair[0], pair[1].job.start_ms))
    return StudyCurves([_curve(stores, i, run, what) for i, run in chosen], max(0, len(turns) - MOST_CURVES))


def _curve(stores: StudyStores, group: int, run: StudyRun, what: What) -> RunCurve:
    power = job_power(stores, run.job)
    if what == "node":
        return RunCurve(run, group, run.source, power.total, power.start_ms, power.end_ms)
    gpus = {f"{p.power.node}/{point}": curve for p in power.parts for point, curve in p.gpus.items()}
    return RunCurve(run, group, "components" if gpus else None, gpu_mean(gpus), power.start_ms, power.end_ms)
