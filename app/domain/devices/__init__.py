"""Reachability of devices."""

from __future__ import annotations

from app.domain.devices.polling_outages import Stretch, covered_ms, outages

__all__ = ["Stretch", "covered_ms", "outages"]
