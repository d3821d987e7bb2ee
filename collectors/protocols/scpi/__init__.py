"""Bench meters that speak SCPI, over TCP or VXI-11."""

from __future__ import annotations

from collectors.protocols.scpi.driver import ScpiDriver, identify_scpi

__all__ = ["ScpiDriver", "identify_scpi"]
