"""Routes of devices, collectors, probes and ingest."""

from __future__ import annotations

from app.api.devices import collectors, devices, ingest, probes
from app.api.devices.ingest_queue import IngestQueue
from app.api.devices.models import IngestBody

__all__ = ["IngestBody", "IngestQueue", "collectors", "devices", "ingest", "probes"]
