"""How devices are: when each last answered, and how often it did not."""

from __future__ import annotations

from collections.abc import Sequence

from app.services.context import Context
from app.store.health import DeviceHealth

WINDOW_MS = 24 * 3_600_000


def device_health(context: Context, devices: Sequence[str]) -> dict[str, DeviceHealth]:
    """The health of each of these devices; failures are those of the last 24 hours."""
    known = context.health.health(context.now_ms() - WINDOW_MS)
    return {key: known.get(key, DeviceHealth(key)) for key in devices}
