"""Power samples: pinned ones and real ones where the checkout has them beside it, else of the same kind."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

START_MS = 1_750_000_000_000
SHARED = Path(os.environ.get("WATTLINE_SHARED_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
PINNED = SHARED.parent / "bench" / "power_samples.py"
KINDS = ("exact, 1 W", "exact, 1 mW", "±3 ms, 1 W", "±3 ms, 1 mW")

Trace = tuple[NDArray[np.int64], NDArray[np.float64]]


def frames(
    n_frames: int, n_series: int, quantum_w: float, seed: int = 7
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Time stamps [ms] at 10 s and values [W], shape (n_frames, n_series), in steps of `quantum_w`."""
    rng = np.random.default_rng(seed)
    t_ms = START_MS + 10_000 * np.arange(n_frames, dtype=np.int64)
    values = np.stack([_watts(rng, n_frames, 30, quantum_w) for _ in range(n_series)], axis=1)
    return t_ms, values


def _watts(rng: np.random.Generator, n: int, dwell: int, quantum_w: float) -> NDArray[np.float64]:
    """Load levels that last, noise that grows with the load."""
    load = np.repeat(rng.choice([0.0, 40, 120, 210, 330, 480], size=n // dwell + 1), dwell)[:n]
    watts = rng.uniform(60, 110) + load + rng.normal(0, 1, n) * (0.6 + 0.015 * load)
    whole = np.round(np.maximum(watts, 0) / quantum_w)
    return whole if quantum_w == 1 else whole / round(1 / quantum_w)


def mix(n_series: int = 50, n_points: int = 100_000) -> dict[str, list[Trace]]:
    """Series at 1 Hz by kind: every second in steps of 1 mW instead of 1 W, half of them beside the second."""
    if PINNED.exists():
        spec = importlib.util.spec_from_file_location("power_samples", PINNED)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        _, t, v = module.samples(n_series, n_points)
    else:
        t, v = _mix(n_series, n_points)
    found: dict[str, list[Trace]] = {kind: [] for kind in KINDS}
    for s in range(n_series):
        part = slice(s * n_points, (s + 1) * n_points)
        found[KINDS[2 * (s < n_series // 2) + s % 2]].append((t[part], v[part]))
    return found


def _mix(n_series: int, n_points: int) -> Trace:
    rng = np.random.default_rng(7)
    t = [START_MS + 1000 * np.arange(n_points, dtype=np.int64) for _ in range(n_series)]
    late = [rng.integers(-3, 4, n_points) if s < n_series // 2 else 0 for s in range(n_series)]
    values = [_watts(rng, n_points, 300, 0.001 if s % 2 else 1.0) for s in range(n_series)]
    return np.concatenate([a + b for a, b in zip(t, late, strict=True)]), np.concatenate(values)


def real() -> Iterator[tuple[str, int, NDArray[np.int64], NDArray[np.float64]]]:
    """Real meter logs: name, interval [ms], times, values[n, m]; MLPerf's where they lie beside the checkout."""
    from tests.conformance.mlperf.mlperf import folders, read

    for kind in ("inference", "training"):
        for i, folder in enumerate(folders(kind)):
            for j, node in enumerate(read(folder).nodes):
                values = np.stack([column.values for column in node.log.columns], axis=1)
                yield f"{kind}-{i}-{j}", node.log.interval_ms, node.log.t_ms, values


HOURS = 26
JOB_END_MS = START_MS + HOURS * 3_600_000


def job_traces() -> dict[str, Trace]:
    """26 h of a node: power and load of eight GPUs at 1 Hz, six outlets at 10 s. Keys are `point:quantity`."""
    rng = np.random.default_rng(11)
    n = HOURS * 3600
    t = START_MS + 1000 * np.arange(n, dtype=np.int64)
    load = np.repeat(rng.choice([5.0, 60, 90, 98], n // 240 + 1), 240)[:n]
    found: dict[str, Trace] = {}
    for gpu in range(8):
        percent = np.round(np.clip(load + rng.normal(0, 3, n), 0, 100))
        found[f"gpu/{gpu}:utilization"] = (t, percent)
        found[f"gpu/{gpu}:power"] = (t, np.round((80 + 6 * percent + rng.normal(0, 4, n)) * 1000) / 1000)
    for outlet in range(6):
        watts = np.round(300 + 9 * load[::10] + rng.normal(0, 6, n // 10))
        found[f"outlet/{outlet}:power"] = (t[::10], watts)
    return found
