"""Routes of devices, collectors and ingest."""

from __future__ import annotations

from app.api.devices import collectors, devices, ingest
from app.api.devices.ingest_queue import IngestQueue

__all__ = ["IngestQueue", "collectors", "devices", "ingest"]
