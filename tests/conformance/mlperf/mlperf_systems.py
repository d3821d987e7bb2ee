"""The section of docs/mlperf.md that compares systems: the same runs as studies, asked at the study endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

GROUPS = "/api/v1/studies/groups"
STREAMS = f"{GROUPS}?by=benchmark&by=scenario&by=system&tag=suite:mlperf-inference"
TRAININGS = f"{GROUPS}?by=benchmark&by=system&tag=suite:mlperf-training"
TITLE = """
## Systems compared

The same jobs as studies (`GET /api/v1/studies/groups`), all with measured energies: joules per query for the stream
scenarios, per sample for Offline runs, and repeated trainings as mean ± sample standard deviation. A group's coverage
is that of its worst run; the energy of a run without full coverage lacks the part that is not covered.
"""


def section(inference: Mapping[str, Any], training: Mapping[str, Any]) -> str:
    """Title and both tables."""
    return TITLE + "\n### Inference\n\n" + _per_unit(inference) + "\n### Training\n\n" + _repeats(training)


def _per_unit(told: Mapping[str, Any]) -> str:
    text = "| benchmark | scenario | system | n | J per query | J per sample | coverage % |\n"
    text += "|---|---|---|---:|---:|---:|---:|\n"
    for group in told["groups"]:
        tags, per = group["tags"], group["j_per"]
        joules = [f"{per[unit]['mean']:.5g}" if unit in per else "–" for unit in ("queries", "samples")]
        coverage = f"{100 * group['coverage']:.2f}"
        cells = (tags["benchmark"], tags["scenario"], tags["system"], str(group["n"]), *joules, coverage)
        text += f"| {' | '.join(cells)} |\n"
    return text


def _repeats(told: Mapping[str, Any]) -> str:
    text = "| benchmark | system | n | MJ | mean kW | duration s | coverage % |\n|---|---|---:|---:|---:|---:|---:|\n"
    for group in told["groups"]:
        tags = group["tags"]
        energy, power = _spread(group["energy_j"], 1e-6, 3), _spread(group["mean_power_w"], 1e-3, 3)
        duration, coverage = _spread(group["duration_s"], 1, 1), f"{100 * group['coverage']:.2f}"
        cells = (tags["benchmark"], tags["system"], str(group["n"]), energy, power, duration, coverage)
        text += f"| {' | '.join(cells)} |\n"
    return text


def _spread(told: Mapping[str, Any], scale: float, digits: int) -> str:
    std = "" if told["std"] is None else f" ± {told['std'] * scale:.{digits}f}"
    return f"{told['mean'] * scale:.{digits}f}{std}"
