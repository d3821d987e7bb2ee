"""GPUs of a server. Their power follows that of the busy server, so that their energy is exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collectors.simulator.plant.curve import WEEK_S, Floats, Millis, WeekCurve, week_and_second
from collectors.simulator.plant.schedule import ScheduledRun

_OSCILLATION = 0.012
_OMEGA = 2 * np.pi / 97.0
_AMBIENT_C, _HEATING_C_PER_W = 27.0, 0.062


@dataclass(frozen=True)
class GpuWork:
    """A run on GPUs from start_s to end_s of the week: idle at wall power floor_w, at level at floor_w + span_w."""

    run: ScheduledRun
    floor_w: float
    span_w: float
    start_s: float
    end_s: float


class Accelerators:
    """All GPUs of one node: arrays [gpu, time].

    A busy GPU draws idle + gain · (wall − floor) / span. If several are busy, each also oscillates around that, with
    evenly spaced phases so that the oscillations cancel in the sum.
    """

    def __init__(self, wall: WeekCurve, count: int, idle_w: float, gains: Floats, works: Sequence[GpuWork]) -> None:
        self.count = count
        self._offsets = 2 * np.pi * np.arange(count)[:, None] / max(count, 1)
        self._wall = wall
        self._idle_w = idle_w
        self._works = works
        rows = [(w.start_s, w.end_s, w.floor_w, w.span_w) for w in works] or [(0.0, 0.0, 0.0, 1.0)]
        self._start, self._end, self._floor, self._span = np.array(rows).T
        self._gain, self._amplitude, self._load = self._shares(gains)
        self._energy_before = np.zeros((count, len(rows) + 1))
        whole = self._dynamic_energy(self._end, np.arange(len(rows)))
        np.cumsum(whole, axis=1, out=self._energy_before[:, 1:])

    def _shares(self, gains: Floats) -> tuple[Floats, Floats, Floats]:
        """Return per GPU and run: power above idle at level [W], amplitude of its oscillation [W], utilization [%]."""
        gain, amplitude, load = (np.zeros((self.count, len(self._start))) for _ in range(3))
        for k, work in enumerate(self._works):
            for gpu in working(work.run, self.count):
                gain[gpu, k] = (work.run.work.gpu_w - self._idle_w) * gains[gpu]
                amplitude[gpu, k] = _OSCILLATION * work.run.work.gpu_w if work.run.work.gpus > 1 else 0.0
                load[gpu, k] = work.run.work.utilization_pct / self._mean_drive(work)
        return gain, amplitude, load

    def _mean_drive(self, work: GpuWork) -> float:
        """Return the mean of (wall − floor) / span over the run, 0 while its GPUs idle."""
        bounds = np.array([work.start_s, min(work.end_s, work.run.end_s)])
        energy_j = np.diff(self._wall.integral_in_week(bounds))[0] - work.floor_w * np.diff(bounds)[0]
        return float(energy_j / work.span_w / work.run.duration_s)

    def power(self, t_ms: Millis) -> Floats:
        """Return the power of every GPU. [W]"""
        k, second, working, drive = self._drive(t_ms)
        phase = np.sin(_OMEGA * second + self._offsets)
        power: Floats = self._idle_w + self._gain[:, k] * drive + np.where(working, self._amplitude[:, k] * phase, 0.0)
        return power

    def energy(self, t_ms: Millis) -> Floats:
        """Return ∫power dt of every GPU since the first week. [J]"""
        week, second = week_and_second(t_ms)
        k = np.searchsorted(self._start, second, side="right") - 1
        begun = np.maximum(k, 0)
        current = np.where(k >= 0, self._dynamic_energy(np.minimum(second, self._end[begun]), begun), 0.0)
        weekly = self._energy_before[:, -1:] + self._idle_w * WEEK_S
        return week * weekly + self._energy_before[:, begun] + current + self._idle_w * second

    def utilization(self, t_ms: Millis) -> Floats:
        """Return the utilization of every GPU. [%]"""
        k, _, _, drive = self._drive(t_ms)
        return np.clip(self._load[:, k] * drive, 0.0, 100.0)

    def temperature(self, t_ms: Millis) -> Floats:
        """Return the temperature of every GPU. [°C]"""
        return _AMBIENT_C + _HEATING_C_PER_W * self.power(t_ms)

    def _drive(self, t_ms: Millis) -> tuple[NDArray[np.int64], Floats, NDArray[np.bool_], Floats]:
        """Return run, second of the week, whether busy, and load (1 at level), each at every time."""
        _, second = week_and_second(t_ms)
        k = np.maximum(np.searchsorted(self._start, second, side="right") - 1, 0)
        working = (second >= self._start[k]) & (second < self._end[k])
        drive = np.where(working, (self._wall.at(t_ms) - self._floor[k]) / self._span[k], 0.0)
        return k, second, working, drive

    def _dynamic_energy(self, second: Floats, k: NDArray[np.int64]) -> Floats:
        """Return ∫(power − idle) dt from the start of run k to a second inside it. [J]"""
        start = self._start[k]
        wall_j = self._wall.integral_in_week(second) - self._wall.integral_in_week(start)
        drive_s = (wall_j - self._floor[k] * (second - start)) / self._span[k]
        turns = np.cos(_OMEGA * start + self._offsets) - np.cos(_OMEGA * second + self._offsets)
        dynamic: Floats = self._gain[:, k] * drive_s + self._amplitude[:, k] * turns / _OMEGA
        return dynamic


def working(run: ScheduledRun, count: int) -> range:
    """Return the GPUs of a run; a run on one GPU uses the next one in every repeat."""
    if run.work.gpus >= count:
        return range(count)
    first = (run.repeat - 1) % count
    return range(first, first + run.work.gpus)
