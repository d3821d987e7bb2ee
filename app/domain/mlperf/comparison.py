"""An official MLPerf figure beside ∫p dt over the run, and the steps that lead from one to the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.domain.energy import energy_j, mean_w
from app.domain.mlperf.power_rules import INFERENCE_RULE, InferenceResult, NodeMean, TrainingResult
from app.domain.timeseries import Curve, coverage


@dataclass(frozen=True)
class ComparisonStep:
    """One reason why the official figure differs from ours, and by how much [J]."""

    name: str
    joules: float


@dataclass(frozen=True)
class OfficialComparison:
    """The official figure beside ours. energy_j + Σ steps = official_energy_j.

    Attributes
    ----------
    rule: name of the official rule.
    official_energy_j, official_mean_w: by that rule [J, W].
    energy_j, coverage: ∫p dt over the covered part of the run [J], and how much of it is covered (0…1).
    """

    rule: str
    official_energy_j: float
    official_mean_w: float
    energy_j: float
    coverage: float
    steps: tuple[ComparisonStep, ...]

    def without_refused(self, accepted: Sequence[Curve], start_ms: int, end_ms: int) -> OfficialComparison:
        """Return the comparison of the accepted readings alone: the official figure counts the refused ones as well.

        Parameters
        ----------
        accepted: one curve a node [W].
        """
        own = sum(energy_j(curve, start_ms, end_ms) for curve in accepted)
        share = sum(coverage(curve, start_ms, end_ms) for curve in accepted) / len(accepted)
        refused = ComparisonStep("readings refused as impossible, and the time around them", self.energy_j - own)
        return replace(self, energy_j=own, coverage=share, steps=(refused, *self.steps))

    @property
    def difference_pct(self) -> float:
        """Ours against the official figure [%]."""
        return 100 * (self.energy_j / self.official_energy_j - 1)

    def why(self) -> str:
        """The steps from ours to the official figure, in % of the official one; the negligible ones left out."""
        shares = [(s.name, 100 * s.joules / self.official_energy_j) for s in self.steps]
        named = [f"{name} {share:+.2f} %" for name, share in shares if abs(share) >= 0.005]
        return ", ".join(named) or "no difference above 0.005 %"


def compare_inference(result: InferenceResult, curve: Curve, begin_ms: int, end_ms: int) -> OfficialComparison:
    """The official mean × window beside the integral of the node's curve."""
    length_s = (end_ms - begin_ms) / 1000
    own, mean = energy_j(curve, begin_ms, end_ms), _mean(curve, begin_ms, end_ms, result.mean_w)
    steps = (
        ComparisonStep("time not covered", mean * length_s - own),
        ComparisonStep("mean of samples instead of time", (result.mean_w - mean) * length_s),
    )
    share = coverage(curve, begin_ms, end_ms)
    return OfficialComparison(INFERENCE_RULE, result.energy_j, result.mean_w, own, share, steps)


def compare_training(
    result: TrainingResult, curves: Sequence[Curve], start_ms: int, stop_ms: int
) -> OfficialComparison:
    """The official mean over the log's own window × length of the run beside the sum of the nodes' integrals.

    Parameters
    ----------
    curves: one a node, in the order of `result.nodes`.
    """
    length_s = (stop_ms - start_ms) / 1000
    parts = [_node_steps(m, c, start_ms, stop_ms) for m, c in zip(result.nodes, curves, strict=True)]
    own = sum(energy_j(c, start_ms, stop_ms) for c in curves)
    gaps, window, rectangles, conversion = (sum(column) for column in zip(*parts, strict=True))
    steps = (
        ComparisonStep("time not covered", gaps),
        ComparisonStep("mean over the log's own window instead of the run", window),
        ComparisonStep("readings as rectangles, gaps and zeros included", rectangles),
        ComparisonStep("conversion efficiency", conversion),
        ComparisonStep("interconnect estimate", result.energy_switch_j),
    )
    share = sum(coverage(c, start_ms, stop_ms) for c in curves) / len(curves)
    official = result.energy_j
    return OfficialComparison(f"MLPerf Training {result.rule}", official, official / length_s, own, share, steps)


def _node_steps(mean: NodeMean, curve: Curve, start_ms: int, stop_ms: int) -> tuple[float, float, float, float]:
    length_s = (stop_ms - start_ms) / 1000
    own_window = _mean(curve, math.floor(mean.start_ms), math.ceil(mean.stop_ms), mean.mean_w)
    in_run = _mean(curve, start_ms, stop_ms, own_window)
    return (
        in_run * length_s - energy_j(curve, start_ms, stop_ms),
        (own_window - in_run) * length_s,
        (mean.mean_w - own_window) * length_s,
        (mean.conversion_eff - 1) * mean.mean_w * length_s,
    )


def _mean(curve: Curve, start_ms: int, end_ms: int, otherwise: float) -> float:
    mean = mean_w(curve, start_ms, end_ms)
    return otherwise if math.isnan(mean) else mean
