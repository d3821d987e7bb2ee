"""The MLPerf power rules, each as its reference implementation computes it.

They are stated beside our own energy, never in its place: `mlperf_comparison` says why the two differ.

Sources: Inference, mlcommons/inference b66003e1 tools/submission/submission_checker power_check.py. Training,
mlcommons/logging result_summarizer.py: commit 4054425 (2024-05-16, rule "v4.0") and c401ff0 (2024-09-19, "v4.1+").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

START, READING, STOP = 0, 1, 2
INFERENCE_RULE = "MLPerf Inference: mean of the samples in the window"
TrainingRule = Literal["v4.0", "v4.1+"]
_PER_QUERY = {"singlestream", "multistream"}
_SAMPLES_PER_MULTISTREAM_QUERY = 8
_DROPPED_EACH_SIDE = {"unet3d": 4}


@dataclass(frozen=True)
class InferenceResult:
    """An inference run by the official rule.

    Attributes
    ----------
    mean_w: arithmetic mean of the kept samples, not weighted by time [W].
    energy_j: mean_w × length of the window [J].
    samples, dropped: kept samples; samples of the window at 0 W or less.
    metric, unit: what is published: W, or mJ per query.
    """

    mean_w: float
    energy_j: float
    samples: int
    dropped: int
    metric: float
    unit: Literal["W", "mJ"]


def inference_result(
    t_ms: NDArray[np.int64],
    watts: NDArray[np.float64],
    begin_ms: int,
    end_ms: int,
    scenario: str,
    scenario_in_log: str = "",
    queries: int | None = None,
) -> InferenceResult:
    """Rule A: samples strictly inside the window and above 0 W, their plain mean.

    Parameters
    ----------
    t_ms, watts: the meter's log unchanged, error values included [ms, W].
    scenario: of the result's folder; it decides the metric.
    scenario_in_log: a multistream result measured as SingleStream counts eightfold.
    queries: result_query_count; without it a metric per query is NaN.
    """
    inside = (t_ms > begin_ms) & (t_ms < end_ms)
    kept = inside & (watts > 0)
    mean = float(watts[kept].mean()) if kept.any() else math.nan
    duration_s = (end_ms - begin_ms) / 1000
    metric, unit = mean, "W"
    if scenario.lower() in _PER_QUERY:
        metric, unit = mean * duration_s * 1000 / queries if queries else math.nan, "mJ"
        if scenario.lower() == "multistream" and scenario_in_log.lower() == "singlestream":
            metric *= _SAMPLES_PER_MULTISTREAM_QUERY
    dropped = int(inside.sum() - kept.sum())
    return InferenceResult(mean, mean * duration_s, int(kept.sum()), dropped, metric, "W" if unit == "W" else "mJ")


@dataclass(frozen=True, eq=False)
class PowerLog:
    """A training node's log in file order, nothing left out.

    Attributes
    ----------
    kind: int8[n], START, READING or STOP.
    t_ms: float64[n] [ms]. watts: float64[n], 0 where no reading [W].
    conversion_eff: efficiency by which AC readings become DC ones.
    """

    kind: NDArray[np.int8]
    t_ms: NDArray[np.float64]
    watts: NDArray[np.float64]
    conversion_eff: float = 1.0


@dataclass(frozen=True)
class NodeMean:
    """A node log's mean power by the rule [W, before conversion] and the window it is the mean of [ms]."""

    mean_w: float
    start_ms: float
    stop_ms: float
    conversion_eff: float


def node_mean(log: PowerLog, rule: TrainingRule) -> NodeMean:
    """Rule B: every reading is charged for the time since the one before it, over the log's own window.

    v4.1+ sorts the lines by time first. v4.0 takes them in file order and lets the window reach to the last reading
    where its stop line is earlier.

    Raises
    ------
    ValueError
        The log has no start, or its window has no length.
    """
    order = np.argsort(log.t_ms, kind="stable") if rule == "v4.1+" else np.arange(len(log.t_ms))
    kind, t, watts = log.kind[order], log.t_ms[order], log.watts[order]
    if not (kind == START).any():
        raise ValueError("no power_measurement_start")
    first = int(np.argmax(kind == START))
    stops = np.flatnonzero(kind == STOP)
    end = int(stops[0]) if len(stops) else len(kind)
    read = np.flatnonzero(kind[:end] == READING)
    read = read[read > first]
    start = float(t[first])
    last = float(t[read].max()) if len(read) else start
    stop = float(t[stops[-1]]) if len(stops) else last
    if rule == "v4.0":
        stop = max(stop, last)
    if stop <= start:
        raise ValueError(f"its stop is not after its start: rule {rule} divides by zero on it")
    aggregate = float((watts[read] * np.diff(t[read], prepend=start)).sum())
    return NodeMean(aggregate / (stop - start), start, stop, log.conversion_eff)


@dataclass(frozen=True)
class TrainingResult:
    """A training run by the official rule: energies [J], and each node's mean."""

    rule: TrainingRule
    energy_nodes_j: float
    energy_switch_j: float
    nodes: tuple[NodeMean, ...]

    @property
    def energy_j(self) -> float:
        """Nodes and switches together [J]."""
        return self.energy_nodes_j + self.energy_switch_j


def training_result(
    nodes: Sequence[PowerLog],
    switches_w: Sequence[float],
    start_ms: int,
    stop_ms: int,
    rule: TrainingRule,
) -> TrainingResult:
    """Rule B for one run: mean power of each node × conversion efficiency × length of the run, plus the switches.

    Parameters
    ----------
    switches_w: constant estimates, conversion included [W]. A switch with real readings instead counts 0 J.
    start_ms, stop_ms: run_start and run_stop of the result.
    """
    length_s = (stop_ms - start_ms) / 1000
    means = tuple(node_mean(log, rule) for log in nodes)
    return TrainingResult(
        rule,
        sum(m.conversion_eff * m.mean_w * length_s for m in means),
        sum(switches_w) * length_s,
        means,
    )


def rule_of(round_name: str, logs: Sequence[PowerLog]) -> TrainingRule:
    """The rule in force at a round: `v4.0` or later; of an unknown round, v4.1+ where it can be applied."""
    if round_name:
        return "v4.0" if round_name.lstrip("v") in ("4.0", "40") else "v4.1+"
    try:
        for log in logs:
            node_mean(log, "v4.1+")
    except ValueError:
        return "v4.0"
    return "v4.1+"


def benchmark_energy_j(
    benchmark: str, lengths_s: Sequence[float], energies_j: Sequence[float], scaling: float = 1.0
) -> float:
    """A benchmark's published energy [J]: the mean over its runs less the fastest and the slowest, × scaling.

    Runs are ranked by time, not by energy; unet3d drops four on each side. NaN when no run is left.
    """
    drop = _DROPPED_EACH_SIDE.get(benchmark, 1)
    ranked = [energies_j[i] for i in np.argsort(lengths_s, kind="stable")]
    left = ranked[drop : len(ranked) - drop]
    return scaling * sum(left) / len(left) if left else math.nan
