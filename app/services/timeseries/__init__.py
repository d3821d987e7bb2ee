"""Ingest of readings, and the latest reading of each series."""

from __future__ import annotations

from app.services.timeseries.counter_watch import CounterWatch
from app.services.timeseries.ingest import Rejection, announce, ingest_arrow, ingest_json
from app.services.timeseries.latest_readings import GRACE_MS, LatestReading, LatestReadings, read_latest
from app.services.timeseries.page_window import asked_window, view_window
from app.services.timeseries.stores import IngestStores

__all__ = [
    "GRACE_MS",
    "CounterWatch",
    "IngestStores",
    "LatestReading",
    "LatestReadings",
    "Rejection",
    "announce",
    "asked_window",
    "ingest_arrow",
    "ingest_json",
    "read_latest",
    "view_window",
]
