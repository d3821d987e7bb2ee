"""A node with eight Quadro RTX 6000 whose run time and power follow its power cap, after Koszczał et al. 2023.

G. Koszczał et al., "Performance and Energy Aware Training of a Deep Neural Network in a Multi-GPU Environment with
Power Capping", 2023. The paper gives run times at 260 W and 170 W (figure 7) and the gains at the best caps (table 1).
With the definitions of the metrics these determine power and time of eight GPUs at 260, 200, 170 and 160 W up to a
common power level. The level follows if a capped GPU draws exactly its cap: eight times 90 W is then the published
decrease of power between 260 W and 170 W. Run times at other caps and the idle powers are our assumptions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from collectors.simulator.plant import Floats

GPUS = 8
MIN_W, MAX_W = 100.0, 260.0
HOST_W = 254.7
"""Power of the busy node without its GPUs, from 8 · 90 W = (1 − 0.7562 / 1.0935) · P(260 W)."""
GPU_IDLE_W = 20.0
IDLE_W = 300.0
_REFERENCE_S = {1: 424.0, 2: 228.0, 4: 128.5, 8: 85.6}
"""Run time at 260 W, 5 epochs: 477.0 s · 85.6 / 93.6 · 4.95 / 5.1 for one GPU, a speed-up of 3.3 for four."""
_SLOWER_170 = {1: 477.0 / 424.0, 2: 256.0 / 228.0, 4: 477.0 / 424.0, 8: 93.6 / 85.6}
_DEMAND_W = {1: 260.0, 2: 237.0, 4: 239.0, 8: 260.0}
"""Uncapped power of one GPU; below 260 W where the published gains (5.5 %, 11.5 %) require it."""
_CAPS_W = (100.0, 110.0, 120.0, 130.0, 140.0, 150.0, 160.0, 170.0, 200.0, 260.0)
_TIMES = (2.05, 1.78, 1.58, 1.43, 1.31, 1.215, 1.1349, 93.6 / 85.6, 1.0494, 1.0)
"""Run time relative to that at 260 W, eight GPUs."""
_EPOCHS, _DIP, _DIP_DEPTH = 5, 0.012, 0.35
_LADDER = (0.0, 0.6, -0.6, 1.2, -1.2, 0.3, -0.3, 0.9, -0.9, 0.0)
_OTHER_ORDER = (3, 9, 6, 1, 7, 4, 0, 8, 5, 2)
_TIME_SPREAD, _POWER_SPREAD = 0.0025, 0.003


@dataclass(frozen=True)
class Training:
    """Duration and mean node power of one run at a cap. [s], [W]"""

    duration_s: float
    mean_w: float

    def power(self, t_s: Floats) -> Floats:
        """Return the node power at seconds `t_s` of the run; its mean over the run is `mean_w`. [W]"""
        u = t_s / self.duration_s
        dips = (u * _EPOCHS) % 1.0 > 1.0 - _DIP * _EPOCHS
        level = 1.0 / (1.0 - _DIP_DEPTH * _DIP * _EPOCHS)
        w: Floats = self.mean_w * (level * np.where(dips, 1.0 - _DIP_DEPTH, 1.0) + 0.01 * np.sin(80 * np.pi * u))
        return w


def training(gpus: int, cap_w: float, repeat: int) -> Training:
    """Return the run with this repetition number (from 1). Ten repeats average to the published time and power.

    Raises
    ------
    ValueError
        The number of GPUs was not published, or the cap is out of range.
    """
    if gpus not in _REFERENCE_S or not MIN_W <= cap_w <= MAX_W:
        raise ValueError(f"{gpus} GPUs at {cap_w:g} W: expected 1, 2, 4 or 8 GPUs at {MIN_W:g}–{MAX_W:g} W")
    turn = (repeat - 1) % len(_LADDER)
    duration_s = run_time_s(gpus, cap_w) * (1 + _TIME_SPREAD * _LADDER[turn])
    mean_w = mean_power_w(gpus, cap_w) * (1 + _POWER_SPREAD * _LADDER[_OTHER_ORDER[turn]])
    return Training(duration_s, mean_w)


def run_time_s(gpus: int, cap_w: float) -> float:
    """Return the run time of five epochs. [s]"""

    def eight(watts: float) -> float:
        return float(np.interp(watts, _CAPS_W, _TIMES))

    least = eight(_DEMAND_W[gpus])
    slower = (_SLOWER_170[gpus] - 1) / (eight(170.0) - least)
    return _REFERENCE_S[gpus] * (1 + slower * (eight(min(cap_w, _DEMAND_W[gpus])) - least))


def mean_power_w(gpus: int, cap_w: float) -> float:
    """Return the mean node power, idle GPUs included. [W]"""
    return HOST_W + gpus * min(cap_w, _DEMAND_W[gpus]) + (GPUS - gpus) * GPU_IDLE_W
