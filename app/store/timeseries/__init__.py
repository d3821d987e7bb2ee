"""Frames and chunks: the time-series table."""

from __future__ import annotations

from app.store.timeseries.codec import decode_times, decode_values, encode
from app.store.timeseries.compaction import seal_windows
from app.store.timeseries.frames import FrameStore, ReadingSource
from app.store.timeseries.layouts import STREAM, KnownLayout, LayoutCatalog, lock_streams
from app.store.timeseries.partial_frames import PartialFrameStore
from app.store.timeseries.readings import (
    FrameBatch,
    LatestFrame,
    Moments,
    Samples,
    SeriesInfo,
    Times,
    Values,
    WriteResult,
)
from app.store.timeseries.rollup_backlog import (
    PLACES,
    Due,
    StaleRange,
    changes_due,
    clear,
    settle,
    stale_days,
    stale_ranges,
)

__all__ = [
    "PLACES",
    "STREAM",
    "Due",
    "FrameBatch",
    "FrameStore",
    "KnownLayout",
    "LatestFrame",
    "LayoutCatalog",
    "Moments",
    "PartialFrameStore",
    "ReadingSource",
    "Samples",
    "SeriesInfo",
    "StaleRange",
    "Times",
    "Values",
    "WriteResult",
    "changes_due",
    "clear",
    "decode_times",
    "decode_values",
    "encode",
    "lock_streams",
    "seal_windows",
    "settle",
    "stale_days",
    "stale_ranges",
]
