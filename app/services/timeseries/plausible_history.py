"""Rules for impossible readings that need more than one frame: counters, and BMCs of servers that are on."""

from __future__ import annotations

import numpy as np

from app.domain.plausibility import Reasons, RefusalReason
from app.domain.timeseries import BoolArray
from app.services.timeseries.stores import IngestStores
from app.store.facility import Facility
from app.store.timeseries import FrameBatch
from collectors.contract import Quantity

RESTARTS = frozenset({"device_started", "device_restarted"})
_WHOLE = frozenset({"total", "inlet", "node", "system"})


def with_history(
    stores: IngestStores, facility: Facility, batch: FrameBatch, reasons: Reasons | None
) -> Reasons | None:
    """Return why each reading of a batch is refused, uint8[n, m], also by what was seen before and elsewhere."""
    columns, of_counters = stores.counter_watch.judge(batch)
    if of_counters is not None and (of_counters == RefusalReason.COUNTER_DECREASES).any():
        of_counters = _unless_restarted(stores, batch, of_counters)
    found = np.zeros(batch.values.shape, np.uint8) if reasons is None else reasons
    if of_counters is not None:
        block = found[:, columns.columns]
        found[:, columns.columns] = np.where(block > 0, block, of_counters)
    zeros = _zeros_of_running_server(stores, facility, batch)
    if zeros is not None:
        found[zeros & (found == 0)] = RefusalReason.SERVER_IS_ON
    return found if found.any() else None


def _unless_restarted(stores: IngestStores, batch: FrameBatch, reasons: Reasons) -> Reasons:
    """Return the reasons without decreases if the device restarted in that time: its counters begin at 0 again."""
    reach_ms = 10 * batch.layout.max_gap_ms
    events = stores.health.events(batch.layout.device, int(batch.t_ms[0]) - reach_ms, int(batch.t_ms[-1]) + reach_ms)
    if not any(event.kind in RESTARTS for event in events):
        return reasons
    return np.where(reasons == RefusalReason.COUNTER_DECREASES, 0, reasons).astype(np.uint8)


def _zeros_of_running_server(stores: IngestStores, facility: Facility, batch: FrameBatch) -> BoolArray | None:
    """Return where a BMC reports 0 W for a server that is on: bool[n, m]; None if nowhere.

    It is on if another power of the same frame is not 0, or if its exporter, which runs on it, reports at that time.
    """
    device = facility.devices.get(batch.layout.device)
    if device is None or device.kind != "bmc":
        return None
    power = np.array([one.quantity is Quantity.POWER for one in batch.layout.series])
    whole = power & np.array([one.point in _WHOLE for one in batch.layout.series])
    zeros: BoolArray = (batch.values == 0) & whole
    if not zeros.any():
        return None
    is_on: BoolArray = np.any(batch.values[:, power] > 0, axis=1)
    exporters = [one.key for one in facility.devices_of(device.node, "exporter")] if device.node else []
    for frames in stores.frames.latest(exporters).values() if exporters else ():
        for frame in frames:
            is_on |= np.abs(batch.t_ms - frame.t_ms) <= frame.layout.max_gap_ms
    found = zeros & is_on[:, None]
    return found if found.any() else None
