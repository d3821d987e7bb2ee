"""A server: its wall power over a week, divided among GPUs, other components and losses of the power supplies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from collectors.simulator.plant.accelerators import Accelerators, GpuWork
from collectors.simulator.plant.curve import WEEK_S, Floats, Millis, WeekCurve
from collectors.simulator.plant.power_waveform import FALL_S, PowerWaveform, noise, power_waveform
from collectors.simulator.plant.schedule import ScheduledRun

_IDLE_STEP_S = 60.0
_IDLE_NOISE = 0.008


@dataclass(frozen=True)
class ServerModel:
    """Properties shared by all servers of one model.

    Attributes
    ----------
    idle_w: at the wall, without a job. [W]
    gpus, gpu_idle_w, gpu_name: its accelerators. [W]
    psu_fixed_w, psu_share: loss of the power supplies = fixed + share × output. [W], [1]
    busy_w: if not 0, the server runs a service instead of jobs, between idle_w and busy_w over the day. [W]
    """

    idle_w: float
    gpus: int = 0
    gpu_idle_w: float = 0.0
    gpu_name: str = ""
    gpu_cap_w: float = 0.0
    psu_fixed_w: float = 10.0
    psu_share: float = 0.05
    busy_w: float = 0.0


MODELS: dict[str, ServerModel] = {
    "hgx-h100": ServerModel(1790, 8, 74, "NVIDIA H100 80GB HBM3", 700, psu_fixed_w=60, psu_share=0.045),
    "horeka-green": ServerModel(482, 4, 55, "NVIDIA A100-SXM4-40GB", 400, psu_fixed_w=15),
    "horeka-blue": ServerModel(214),
    "server-1kw": ServerModel(420, busy_w=860),
    "inference-4gpu": ServerModel(680, 4, 60, "NVIDIA L40S", 350, psu_fixed_w=15),
    "server-steady": ServerModel(900),
}


class SimulatedNode:
    """One server as a pure function of time. Times are int64[n] ms, results float64[n]."""

    def __init__(
        self, key: str, model: ServerModel, rated_w: float, runs: Sequence[ScheduledRun] = (), seed: int = 0
    ) -> None:
        self.key = key
        self.model = model
        self.rated_w = rated_w
        self.runs = sorted(runs, key=lambda run: run.start_s)
        self._seed = seed

    @cached_property
    def _waveforms(self) -> list[PowerWaveform]:
        return [
            power_waveform(run.work, run.mean_w, run.duration_s, self.model.idle_w, self._rng(i))
            for i, run in enumerate(self.runs)
        ]

    def _rng(self, purpose: int) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64([self._seed, purpose]))

    @cached_property
    def wall(self) -> WeekCurve:
        """Return the power at the wall, sum of all cords. [W]"""
        t_s = np.arange(0.0, WEEK_S, _IDLE_STEP_S)
        w = self._service(t_s) if self.model.busy_w else self._idle(t_s)
        parts_t, parts_w, at = [], [], 0.0
        for run, waveform in zip(self.runs, self._waveforms, strict=True):
            between = (t_s >= at) & (t_s < run.start_s)
            parts_t += [t_s[between], run.start_s + waveform.t_s, [run.end_s + FALL_S]]
            parts_w += [w[between], waveform.w, [self.model.idle_w]]
            at = run.end_s + FALL_S + 1.0
        rest = t_s >= at
        return WeekCurve(
            np.concatenate([*parts_t, t_s[rest], [float(WEEK_S)]]), np.concatenate([*parts_w, w[rest], w[:1]])
        )

    def _idle(self, t_s: Floats) -> Floats:
        return self.model.idle_w * (1 + _IDLE_NOISE * noise(self._rng(900), len(t_s), 15))

    def _service(self, t_s: Floats) -> Floats:
        """Return the power of a service: highest in the early afternoon, low at night, lower at weekends. [W]"""
        rng = self._rng(901)
        late_h, depth = 4 * rng.random() - 1, 0.45 + 0.3 * rng.random()
        day = 0.5 - 0.5 * np.cos(2 * np.pi * (t_s / 3600 - 6 - late_h) / 24)
        weekend = 1 - 0.25 * np.interp(t_s / 86_400, [0, 0.3, 4.7, 5.3, 6.7, 7], [0.5, 0, 0, 1, 1, 0.5])
        wiggle = 0.10 * noise(rng, len(t_s), 45) + 0.05 * noise(rng, len(t_s), 4)
        share = np.clip(0.12 + depth * day * weekend + wiggle, 0.0, 1.0)
        w: Floats = self.model.idle_w + (self.model.busy_w - self.model.idle_w) * share
        return w

    @cached_property
    def gpus(self) -> Accelerators:
        """Return the GPUs; none in a CPU-only server."""
        spread = self._rng(902).random(max(self.model.gpus, 1)) - 0.5
        gains = 1 + 0.02 * (spread - spread.mean())
        works = [
            _gpu_work(run, waveform) for run, waveform in zip(self.runs, self._waveforms, strict=True) if run.work.gpus
        ]
        return Accelerators(self.wall, self.model.gpus, self.model.gpu_idle_w, gains, works)

    def supply_loss(self, t_ms: Millis) -> Floats:
        """Return the losses of the power supplies. [W]"""
        return self.wall.at(t_ms) - self.output(t_ms)

    def output(self, t_ms: Millis) -> Floats:
        """Return the output power of the power supplies. [W]"""
        delivered: Floats = (self.wall.at(t_ms) - self.model.psu_fixed_w) / (1 + self.model.psu_share)
        return delivered

    def host(self, t_ms: Millis) -> Floats:
        """Return the power of CPUs, memory, fans and network: the output of the power supplies without the GPUs. [W]"""
        rest: Floats = self.output(t_ms) - self.gpus.power(t_ms).sum(axis=0)
        return rest


def _gpu_work(run: ScheduledRun, waveform: PowerWaveform) -> GpuWork:
    start, end = waveform.active
    return GpuWork(run, waveform.floor_w, waveform.level_w - waveform.floor_w, run.start_s + start, run.start_s + end)
