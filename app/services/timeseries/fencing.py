"""Readings of a collector whose lease has passed on fill gaps only, so that no device is counted twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.domain.devices import in_gaps
from app.services.timeseries.stores import IngestStores
from app.store.timeseries import FrameBatch


def fill_gaps_only(stores: IngestStores, batches: dict[int, FrameBatch]) -> int:
    """Remove from batches what was polled under a lease that passed on and is stored already; return how many frames.

    Frames without a fencing number are not judged.
    """
    fenced = {i: batch for i, batch in batches.items() if batch.fence is not None}
    if not fenced:
        return 0
    present = stores.leases.fences(sorted({b.layout.device for b in fenced.values()}), stores.now_ms())
    removed = 0
    for i, batch in fenced.items():
        if batch.fence is not None and batch.fence < present.get(batch.layout.device, 0) and len(batch.t_ms):
            batches[i] = _gaps_of(stores, batch)
            removed += len(batch.t_ms) - len(batches[i].t_ms)
    return removed


def _gaps_of(stores: IngestStores, batch: FrameBatch) -> FrameBatch:
    """Return the readings of a batch that lie in gaps of what is stored, series by series."""
    device, tau_ms = batch.layout.device, batch.layout.interval_ms
    keys = [f"{device}/{series.key}" for series in batch.layout.series]
    stored = stores.frames.read(keys, int(batch.t_ms[0]) - tau_ms, int(batch.t_ms[-1]) + tau_ms)
    new = np.stack([in_gaps(batch.t_ms, stored[key].t_ms, tau_ms) for key in keys], axis=1)
    values = np.where(new, batch.values, np.nan)
    kept = np.isfinite(values).any(axis=1) | new.all(axis=1)
    return replace(batch, t_ms=batch.t_ms[kept], values=values[kept])
