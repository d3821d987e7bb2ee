"""A job's readings at full resolution as a table: one row per moment, one column per series, streamed by window.

A reading appears only where it was measured, a sum where one of its members was; nothing is filled in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.timeseries import Curve
from app.services.energy import gpu_quantities
from app.services.jobs.power import JobPower, divided_nodes, held, job_power, job_window
from app.services.jobs.stores import JobStores
from app.store.jobs import Job
from app.store.timeseries import Times, Values
from collectors.contract import DAY_MS

ROWS_PER_SLICE = 20_000
_LONGEST_SLICE_MS = DAY_MS
_SHORTEST_SLICE_MS = 60_000


@dataclass(frozen=True)
class DownloadColumn:
    """One column: `title` names the thing and the unit, `path` finds its curve; `unit` as people write it."""

    title: str
    unit: str
    path: tuple[str, str, str]


@dataclass(frozen=True)
class DownloadSlice:
    """Rows of a stretch of time: t int64[n] [ms] rising, values float64[n, columns], NaN = missing."""

    t_ms: Times
    values: Values


@dataclass(frozen=True)
class DownloadTable:
    """A job's readings: its columns, and its rows slice by slice, each read in a short transaction of its own."""

    job: Job
    columns: Sequence[DownloadColumn]
    slices: Iterator[DownloadSlice]


def job_table(stores: JobStores, job: Job, start_ms: int | None = None, end_ms: int | None = None) -> DownloadTable:
    """The readings of a job, or of a stretch of it."""
    first, last = job_window(stores, job)
    start_ms = first if start_ms is None else max(first, start_ms)
    end_ms = last if end_ms is None else min(last, end_ms)
    columns = _columns(stores, job, start_ms, end_ms)
    return DownloadTable(job, columns, _slices(stores, job, columns, start_ms, end_ms))


def _columns(stores: JobStores, job: Job, start_ms: int, end_ms: int) -> list[DownloadColumn]:
    columns = [DownloadColumn("total power_w", "W", ("total", "", ""))] if len(job.nodes) > 1 else []
    divided = divided_nodes(stores, job)
    for part in job.nodes:
        node, (begin, end) = part.node, held(part, start_ms, end_ms)
        if node in divided:
            columns.append(DownloadColumn(f"{node} share power_w", "W", ("share", node, "")))
        columns.append(DownloadColumn(f"{node} power_w", "W", ("node", node, "")))
        feeds = dict.fromkeys(feed.key for feed in stores.facility.feeds(node, begin, end))
        columns += [DownloadColumn(f"{node} {key} power_w", "W", ("feed", node, key)) for key in feeds]
        columns += [
            DownloadColumn(f"{node} {point} power_w", "W", ("gpu", node, point))
            if quantity == "power"
            else DownloadColumn(f"{node} {point} utilization_pct", "%", ("utilization", node, point))
            for point, quantity in gpu_quantities(stores, node, begin)
        ]
    return list(dict.fromkeys(columns))


def _slices(
    stores: JobStores, job: Job, columns: Sequence[DownloadColumn], start_ms: int, end_ms: int
) -> Iterator[DownloadSlice]:
    at, length = start_ms, _SHORTEST_SLICE_MS
    while at < end_ms:
        until = min(at + length, end_ms)
        last = until == end_ms
        rows = _rows(job_power(stores, job, at, until), columns, at, until + int(last))
        yield rows
        density = max(len(rows.t_ms), 1) / (until - at)
        length = int(min(max(ROWS_PER_SLICE / density, _SHORTEST_SLICE_MS), _LONGEST_SLICE_MS, 8 * length))
        at = until


def _rows(power: JobPower, columns: Sequence[DownloadColumn], start_ms: int, before_ms: int) -> DownloadSlice:
    found = [_samples(power, column, start_ms, before_ms) for column in columns]
    t_ms = np.unique(np.concatenate([t for t, _ in found])) if found else np.empty(0, np.int64)
    values = np.full((len(t_ms), len(columns)), np.nan)
    for i, (t, v) in enumerate(found):
        values[np.searchsorted(t_ms, t), i] = v
    return DownloadSlice(t_ms, values)


def _samples(power: JobPower, column: DownloadColumn, start_ms: int, before_ms: int) -> tuple[Times, Values]:
    """What was measured in [start, before)."""
    found = [_measured(curve, max(a, start_ms), min(b, before_ms)) for curve, a, b in _curves(power, column)]
    if not found:
        return np.empty(0, np.int64), np.empty(0)
    t, v = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    t, first = np.unique(t, return_index=True)
    return t, v[first]


def _measured(curve: Curve, start_ms: int, before_ms: int) -> tuple[Times, Values]:
    inside = curve.is_sample & (curve.t_ms >= start_ms) & (curve.t_ms < before_ms)
    return curve.t_ms[inside], curve.v[inside]


def _curves(power: JobPower, column: DownloadColumn) -> Iterator[tuple[Curve, int, int]]:
    """The curves behind a column, and from when until when they belong to the job."""
    kind, node, key = column.path
    if kind == "total":
        yield power.total, power.start_ms, power.end_ms + 1
    for part in power.parts:
        if part.power.node == node:
            group = {
                "share": {"": part.own},
                "node": {"": part.power.total},
                "feed": part.power.feeds,
                "gpu": part.power.gpus,
                "utilization": part.power.gpu_utilization,
            }[kind]
            if key in group:
                yield group[key], part.power.start_ms, part.power.end_ms + 1
