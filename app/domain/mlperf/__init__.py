"""The MLPerf power rules and comparison with official results."""

from __future__ import annotations

from app.domain.mlperf.comparison import OfficialComparison, compare_inference, compare_training
from app.domain.mlperf.power_rules import READING, START, STOP, PowerLog, inference_result, rule_of, training_result

__all__ = [
    "READING",
    "START",
    "STOP",
    "OfficialComparison",
    "PowerLog",
    "compare_inference",
    "compare_training",
    "inference_result",
    "rule_of",
    "training_result",
]
