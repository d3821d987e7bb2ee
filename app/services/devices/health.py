"""Health of devices: last response and failed polls."""

from __future__ import annotations

from collections.abc import Sequence

from app.services.devices.stores import DeviceStores
from app.store.devices import DeviceHealth
from collectors.contract import DAY_MS

WINDOW_MS = DAY_MS


def device_health(stores: DeviceStores, devices: Sequence[str]) -> dict[str, DeviceHealth]:
    """Return the health of each of these devices; failures cover the last 24 hours."""
    known = stores.health.health(stores.now_ms() - WINDOW_MS)
    return {key: known.get(key, DeviceHealth(key)) for key in devices}
