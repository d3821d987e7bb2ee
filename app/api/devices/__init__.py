"""Routes of devices, collectors and ingest."""

from __future__ import annotations

from app.api.devices import collectors, devices, ingest

__all__ = ["collectors", "devices", "ingest"]
