"""Poll schedule, drivers and trap receiver."""

from __future__ import annotations

from collectors.polling.device_policy import DevicePolicy, device_policy
from collectors.polling.drivers import AUTO, driver_for, driver_of, identify
from collectors.polling.leases import LEASE_S
from collectors.polling.runner import collect

__all__ = ["AUTO", "LEASE_S", "DevicePolicy", "collect", "device_policy", "driver_for", "driver_of", "identify"]
