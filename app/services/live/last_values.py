"""Last values of series whose newest frame has none: the device responds, but one of its points does not."""

from __future__ import annotations

from app.domain.energy import LAST_KNOWN_MS
from app.services.energy import INLET
from app.services.live.power_now import LastValues
from app.services.live.stores import LiveStores
from app.services.timeseries import LatestReading, LatestReadings
from app.store.facility import Facility
from collectors.contract import Quantity


def last_values(stores: LiveStores, facility: Facility, latest: LatestReadings, now_ms: int) -> LastValues:
    """Return the last value of each such series that measures a node or a rack; they are read once in a while."""
    without = latest.without_value(Quantity.POWER)
    if not without:
        return {}
    cords = {feed.key for node in facility.nodes for feed in facility.powering(node)}
    keys = [r.key for r in without if _is_member(r, facility, cords)]
    known = {key: stores.last_values.get(key, now_ms) for key in keys}
    unread = [key for key, found in known.items() if found is None]
    if unread:
        for key, samples in stores.frames.read(unread, now_ms - LAST_KNOWN_MS, now_ms).items():
            last = (float(samples.v[-1]), int(samples.t_ms[-1])) if len(samples) else None
            stores.last_values.put(key, last, now_ms)
            known[key] = (last,)
    return {key.rpartition(":")[0]: found[0] for key, found in known.items() if found and found[0] is not None}


def _is_member(reading: LatestReading, facility: Facility, cords: set[str]) -> bool:
    device = facility.devices.get(reading.device)
    if device is None:
        return False
    return (
        f"{reading.device}/{reading.series.point}" in cords
        or device.kind == "bmc"
        or INLET.fullmatch(reading.series.point) is not None
    )
