"""Power curves over time: the basis of every number."""

from __future__ import annotations

from app.domain.timeseries.buckets import bucket_means, bucket_sums
from app.domain.timeseries.concatenate import (
    Member,
    concatenate_curves,
    concatenate_steps,
    filled,
    sum_while_present,
)
from app.domain.timeseries.curve import (
    Curve,
    above_zero,
    add,
    coverage,
    from_samples,
    from_series,
    gaps,
    scale,
    subtract,
    value_at,
    window,
)
from app.domain.timeseries.downsampling import downsample
from app.domain.timeseries.known_sum import known_sum
from app.domain.timeseries.local_calendar import LocalDay, local_date, local_days
from app.domain.timeseries.quantity_classes import CLASSES, QuantityClass
from app.domain.timeseries.time_base import BoolArray, FloatArray, IntArray, TimeBase, reach_ms
from app.domain.timeseries.time_window import TimeWindow
from app.domain.timeseries.timestamps import AHEAD_MS, LATEST_MS, is_current, moment_ms, rfc3339

__all__ = [
    "AHEAD_MS",
    "CLASSES",
    "LATEST_MS",
    "BoolArray",
    "Curve",
    "FloatArray",
    "IntArray",
    "LocalDay",
    "Member",
    "QuantityClass",
    "TimeBase",
    "TimeWindow",
    "above_zero",
    "add",
    "bucket_means",
    "bucket_sums",
    "concatenate_curves",
    "concatenate_steps",
    "coverage",
    "downsample",
    "filled",
    "from_samples",
    "from_series",
    "gaps",
    "is_current",
    "known_sum",
    "local_date",
    "local_days",
    "moment_ms",
    "reach_ms",
    "rfc3339",
    "scale",
    "subtract",
    "sum_while_present",
    "value_at",
    "window",
]
