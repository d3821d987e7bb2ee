"""Retention of readings."""

from __future__ import annotations

from app.services.maintenance.retention import retire
from app.services.maintenance.steady_clock import SteadyClock
from app.services.maintenance.stores import MaintenanceStores

__all__ = ["MaintenanceStores", "SteadyClock", "retire"]
