"""Schedule of batch jobs: one week that repeats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from collectors.simulator.plant.curve import ANCHOR_MS, WEEK_MS
from collectors.simulator.plant.workload import CASPART, HOUR, LATIF, Workload

DAY = 24 * HOUR
_USERS = ("ada", "emmy", "grace", "katherine", "lise")
_SPREAD = np.sqrt(0.4) * np.array([0.0, 1.0, -1.0, 2.0, -2.0])
"""Five deviations with mean 0 and sample standard deviation 1 (ddof = 1)."""
_POWER_ORDER = (1, 4, 0, 3, 2)
JOBS_PER_WEEK = 1000
"""Increment of the job numbers of a cluster per week."""


@dataclass(frozen=True)
class ScheduledRun:
    """One job of the week.

    Attributes
    ----------
    number: number of the job within its week, unique in its cluster.
    start_s: from the start of the week; duration_s: [s]
    mean_w: at the wall, over exactly duration_s. [W]
    """

    cluster: str
    node: str
    number: int
    work: Workload
    repeat: int
    start_s: float
    duration_s: float
    mean_w: float

    @property
    def end_s(self) -> float:
        """Return the second of the week at which the run ends."""
        return self.start_s + self.duration_s

    @property
    def user(self) -> str:
        """Return the user who submitted it."""
        return _USERS[(self.number + len(self.work.key)) % len(_USERS)]


@dataclass(frozen=True)
class Occurrence:
    """A run of one particular week, in absolute time."""

    run: ScheduledRun
    job_id: str
    submit_ms: int
    start_ms: int
    end_ms: int


def latif_week(nodes: Sequence[str]) -> list[ScheduledRun]:
    """Schedule the jobs of the third paper on each of its nodes: three rounds per week, staggered by node."""
    order = [LATIF[key] for key in ("resnet152-b512", "gpu-cpu-burn", "llama2-13b-llava", "resnet152-b4096")]
    runs: list[ScheduledRun] = []
    for i, node in enumerate(nodes):
        start = 1.5 * HOUR + i * 0.7 * HOUR + 30.0
        for turn in range(3 * len(order)):
            work = order[(turn + i) % len(order)]
            repeat = turn // len(order) + 1
            run = ScheduledRun("bnl", node, len(runs), work, repeat, start, work.full_duration_s, work.mean_w)
            runs.append(run)
            start = np.ceil((run.end_s + (3.2 + 0.5 * ((turn + 2 * i) % 4)) * HOUR) / 60) * 60 + 30.0
    return runs


def caspart_week(gpu_node: str, cpu_node: str) -> list[ScheduledRun]:
    """Schedule the runs of the first paper: one repeat per day on five days, the single runs on the sixth."""
    runs: list[ScheduledRun] = []
    for node, only_cpu in ((gpu_node, False), (cpu_node, True)):
        works = [w for w in CASPART.values() if (w.tags["node_type"] == "cpu-only") is only_cpu]
        for day in range(6):
            start = day * DAY + (6.0 if only_cpu else 7.0) * HOUR + 30.0
            for work in works:
                if (work.energy_std_j > 0) is (day < 5):
                    run = repeat_of(work, node, len(runs), day if day < 5 else 0, start)
                    runs.append(run)
                    start = np.ceil((run.end_s + 0.6 * HOUR) / 60) * 60 + 30.0
    return runs


def repeat_of(work: Workload, node: str, number: int, repeat: int, start_s: float) -> ScheduledRun:
    """Return one of five repeats (0 … 4). Energy and power vary independently; the run time follows from both."""
    mean_w = work.mean_w + work.power_std_w * _SPREAD[_POWER_ORDER[repeat]]
    energy_j = work.energy_j + work.energy_std_j * _SPREAD[repeat]
    part = 1.0 if work.shortened_s is None else work.shortened_s / work.full_duration_s
    return ScheduledRun(
        "horeka", node, number, work, repeat + 1, start_s, float(part * energy_j / mean_w), float(mean_w)
    )


def occurrences(runs: Sequence[ScheduledRun], from_ms: int, to_ms: int) -> Iterator[Occurrence]:
    """Yield every run that overlaps the window, per week in order of start."""
    for week in range((from_ms - ANCHOR_MS) // WEEK_MS, (to_ms - ANCHOR_MS) // WEEK_MS + 1):
        for run in sorted(runs, key=lambda r: r.start_s):
            start_ms = ANCHOR_MS + week * WEEK_MS + round(run.start_s * 1000)
            end_ms = start_ms + round(run.duration_s * 1000)
            if start_ms < to_ms and end_ms > from_ms:
                waited_ms = (45 + 37 * (run.number % 11)) * 1000
                job_id = str(week * JOBS_PER_WEEK + run.number)
                yield Occurrence(run, job_id, start_ms - waited_ms, start_ms, end_ms)
