"""Redfish services: BMCs, power shelves and rack PDUs."""

from __future__ import annotations

from collectors.protocols.redfish.client import NotAService
from collectors.protocols.redfish.driver import RedfishDriver, identify_redfish

__all__ = ["NotAService", "RedfishDriver", "identify_redfish"]
