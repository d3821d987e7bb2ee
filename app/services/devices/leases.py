"""Device leases: assign devices to collectors for a limited time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.services.devices.stores import DeviceStores
from app.store.devices import Polling
from app.store.facility import Auth, Device

DEFAULT_INTERVAL_S = 10.0
DEFAULT_TIMEOUT_S = 3.0


@dataclass(frozen=True)
class LeasedDevice:
    """A device and references to its credentials."""

    device: Device
    auth: Auth | None


def lease(
    stores: DeviceStores,
    collector: str,
    for_ms: int,
    reported: Mapping[str, Polling] | None = None,
    collector_now_ms: int | None = None,
) -> tuple[int, list[LeasedDevice]]:
    """Lease or renew devices that no other collector polls; return the end of the lease [ms] and the devices.

    Parameters
    ----------
    reported: polling statistics of the collector, by device.
    """
    now_ms = stores.now_ms()
    facility = stores.facility.at(now_ms)
    wanted = [key for key, device in facility.devices.items() if device.address]
    offset_ms = None if collector_now_ms is None else collector_now_ms - now_ms
    granted = stores.health.lease(collector, wanted, now_ms, now_ms + for_ms, reported, offset_ms)
    devices = [facility.devices[key] for key in granted]
    return now_ms + for_ms, [LeasedDevice(d, facility.auths.get(d.auth) if d.auth else None) for d in devices]
