"""A job's readings at full resolution as a table: one row per moment, one column per series, streamed by window.

A reading appears only where it was measured, a sum where one of its members was; nothing is filled in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.timeseries import Curve
from app.services.energy import gpu_quantities
from app.services.files import ReadingTable, TableColumn, TableSlice, aligned, in_slices
from app.services.jobs.masking import require_in_full
from app.services.jobs.power import JobPower, divided_nodes, held, job_power, job_window
from app.services.jobs.stores import JobStores
from app.store.jobs import Job
from app.store.timeseries import Times, Values


@dataclass(frozen=True)
class DownloadColumn(TableColumn):
    """One column of a job; `path` finds its curve."""

    path: tuple[str, str, str]


@dataclass(frozen=True)
class DownloadTable(ReadingTable):
    """A job's readings."""

    job: Job


def job_table(stores: JobStores, job: Job, start_ms: int | None = None, end_ms: int | None = None) -> DownloadTable:
    """The readings of a job, or of a stretch of it."""
    require_in_full(job)
    first, last = job_window(stores, job)
    start_ms = first if start_ms is None else max(first, start_ms)
    end_ms = last if end_ms is None else min(last, end_ms)
    columns = _columns(stores, job, start_ms, end_ms)
    return DownloadTable(columns, _slices(stores, job, columns, start_ms, end_ms), job)


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
) -> Iterator[TableSlice]:
    def rows(start_ms: int, end_ms: int, before_ms: int) -> TableSlice:
        power = job_power(stores, job, start_ms, end_ms)
        return aligned([_samples(power, column, start_ms, before_ms) for column in columns])

    return in_slices(rows, start_ms, end_ms)


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
