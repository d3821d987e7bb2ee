"""Synthetic node power: load levels that last minutes, noise that grows with the load, in whole watts or milliwatts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

START_MS = 1_750_000_000_000


def frames(
    n_frames: int, n_series: int, quantum_w: float, seed: int = 7
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Time stamps [ms] at 10 s and values [W], shape (n_frames, n_series), in steps of `quantum_w`."""
    rng = np.random.default_rng(seed)
    t_ms = START_MS + 10_000 * np.arange(n_frames, dtype=np.int64)
    values = np.empty((n_frames, n_series))
    for column in range(n_series):
        level = rng.choice([0.0, 40, 120, 210, 330, 480], size=n_frames // 30 + 1)
        load = np.repeat(level, 30)[:n_frames]
        watts = rng.uniform(60, 110) + load + rng.normal(0, 1, n_frames) * (0.6 + 0.015 * load)
        values[:, column] = np.round(np.maximum(watts, 0) / quantum_w) * quantum_w
    return t_ms, values
