"""Power of a run over time, calibrated to reproduce its published figures exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from collectors.simulator.plant.curve import Floats
from collectors.simulator.plant.workload import Workload

STEP_S = 10.0
RISE_S = 15.0
FALL_S = 5.0
_PEAK_S = 150.0
_PEAK_AT = 0.37
_WARM_UP_S = 60.0
_DIP_DEPTH = 3.0
_EDGE_S = 0.5


@dataclass(frozen=True, eq=False)
class PowerWaveform:
    """The wall power of one run.

    Attributes
    ----------
    t_s: sample times from 0 to the end of the run. [s]
    w: power; w[0] is that of the idle node. [W]
    floor_w: wall power while the GPUs idle. [W]
    level_w: wall power at which a busy GPU draws the workload's `gpu_w`. [W]
    active: the part of the run with busy GPUs, (start, end). [s]
    """

    t_s: Floats
    w: Floats
    floor_w: float
    level_w: float
    active: tuple[float, float]


def power_waveform(
    work: Workload, mean_w: float, duration_s: float, idle_w: float, rng: np.random.Generator
) -> PowerWaveform:
    """Return one run of `work` with exactly this mean power and duration."""
    t_s = _sample_times(work, duration_s)
    if work.burst is not None:
        return _inference(work, mean_w, t_s, idle_w, work.burst, rng)
    raw = _training_shape(work, t_s, rng)
    if work.median_w is None or work.max_w is None:
        w = _around_mean(raw * work.swing_w, mean_w, t_s, idle_w)
        return PowerWaveform(t_s, w, idle_w, mean_w, (0.0, duration_s + FALL_S))
    w = _with_median(raw, work.median_w, work.max_w, mean_w, t_s, idle_w)
    return PowerWaveform(t_s, w, idle_w, work.median_w, (0.0, duration_s + FALL_S))


def noise(rng: np.random.Generator, n: int, width: int) -> Floats:
    """Return n values of periodic noise within ±1: uniform steps smoothed by a Hann window of `width` values."""
    steps = rng.random(n) * 2 - 1
    window = np.hanning(width + 2)[1:-1]
    padded = np.concatenate((steps[-width:], steps, steps[:width]))
    smooth = np.convolve(padded, window, mode="same")[width : width + n]
    result: Floats = smooth / np.max(np.abs(smooth))
    return result


def mean_over(t_s: Floats, w: Floats) -> float:
    """Return the time-weighted mean of a piecewise linear curve."""
    return float(np.sum(np.diff(t_s) * (w[1:] + w[:-1])) / 2 / (t_s[-1] - t_s[0]))


def _sample_times(work: Workload, duration_s: float) -> Floats:
    """Return the sample times: every STEP_S, and the edges of every dip."""
    inner = np.arange(RISE_S, duration_s, STEP_S)
    if work.cycle_s:
        ends = np.arange(1, duration_s // work.cycle_s + 1) * work.cycle_s
        starts = ends - work.dip_s
        inner = np.concatenate((inner, starts - _EDGE_S, starts, ends - _EDGE_S, ends))
    inside = inner[(inner >= RISE_S) & (inner < duration_s - 1.0)]
    return np.concatenate(([0.0], np.unique(np.round(inside, 3)), [duration_s]))


def _training_shape(work: Workload, t_s: Floats, rng: np.random.Generator) -> Floats:
    """Return a dimensionless shape: noise within ±0.8, one peak at +1, dips to −3."""
    n = len(t_s)
    shape = 0.5 * noise(rng, n, min(45, n // 2)) + 0.3 * noise(rng, n, 3)
    if work.median_w is not None:
        shape[t_s < _WARM_UP_S] = -1.0
        peak = np.abs(t_s - _PEAK_AT * t_s[-1]) <= _PEAK_S / 2
        shape[peak] = 1.0 - 0.05 * np.abs(shape[peak])
    if work.cycle_s:
        left_s = work.cycle_s - (t_s + _EDGE_S / 2) % work.cycle_s
        shape[(left_s < work.dip_s) & (shape < 0.9)] = -_DIP_DEPTH
    return shape


def _with_median(raw: Floats, median_w: float, max_w: float, mean_w: float, t_s: Floats, idle_w: float) -> Floats:
    """Scale the shape above the median to reach the maximum, below it to obtain the mean."""
    centre = raw - _median(t_s[1:], raw[1:])
    up = np.clip(centre, 0, None) / centre.max()
    down = np.clip(-centre, 0, None)
    up[0] = down[0] = 0.0
    high = median_w + (max_w - median_w) * up
    high[0] = idle_w
    stretch = (mean_over(t_s, high) - mean_w) / mean_over(t_s, down)
    if stretch <= 0:
        raise ValueError(f"a mean of {mean_w:.0f} W cannot go with a median of {median_w:.0f} W")
    w: Floats = high - stretch * down
    return w


def _median(t_s: Floats, v: Floats) -> float:
    """Return the time-weighted median: each sample stands for the time nearest to it."""
    order = np.argsort(v)
    share = np.cumsum(np.gradient(t_s)[order])
    return float(v[order[np.searchsorted(share, share[-1] / 2)]])


def _around_mean(swing: Floats, mean_w: float, t_s: Floats, idle_w: float) -> Floats:
    running = np.ones_like(t_s)
    running[0] = 0.0
    w = np.where(running > 0, swing, idle_w)
    level = (mean_w - mean_over(t_s, w)) / mean_over(t_s, running)
    return w + level * running


def _inference(
    work: Workload, mean_w: float, t_s: Floats, idle_w: float, burst: tuple[float, float], rng: np.random.Generator
) -> PowerWaveform:
    start, end = burst[0] * t_s[-1], burst[1] * t_s[-1]
    edges = np.array([start, min(start + 4.0, end), max(end - 4.0, start), end])
    t_s = np.union1d(t_s, edges)
    hump = np.interp(t_s, edges, [0.0, 1.0, 1.0, 0.0], left=0.0, right=0.0)
    w = _around_mean(work.swing_w * hump + 2.0 * noise(rng, len(t_s), 3), mean_w, t_s, idle_w)
    floor_w = float(np.median(w[1:][hump[1:] == 0.0]))
    return PowerWaveform(t_s, w, floor_w, floor_w + work.swing_w, (float(start), float(end)))
