"""Delimited text, timestamps and what every meter log has in common."""

from __future__ import annotations

from app.importers.tables.meter_log import REASONS, LogColumn, MeterLog, Rows, plausible, power_series
from app.importers.tables.steps import read_steps
from app.importers.tables.table import TextTable, decode, number, read_table
from app.importers.tables.times import clock_ms, localize, offsets, read_times, rfc3339, zone

__all__ = [
    "REASONS",
    "LogColumn",
    "MeterLog",
    "Rows",
    "TextTable",
    "clock_ms",
    "decode",
    "localize",
    "number",
    "offsets",
    "plausible",
    "power_series",
    "read_steps",
    "read_table",
    "read_times",
    "rfc3339",
    "zone",
]
