"""The simulated facility as a pure function of time."""

from __future__ import annotations

from collectors.simulator.plant.accelerators import working
from collectors.simulator.plant.curve import ANCHOR_MS, Floats, Millis
from collectors.simulator.plant.facility_layout import DEMO, LayoutDevice, read_facility_layout
from collectors.simulator.plant.faults import clock_error_ms, device_events
from collectors.simulator.plant.meters import BANK_AMPS, Readings
from collectors.simulator.plant.plant import Plant
from collectors.simulator.plant.schedule import Occurrence, occurrences

__all__ = [
    "ANCHOR_MS",
    "BANK_AMPS",
    "DEMO",
    "Floats",
    "LayoutDevice",
    "Millis",
    "Occurrence",
    "Plant",
    "Readings",
    "clock_error_ms",
    "device_events",
    "occurrences",
    "read_facility_layout",
    "working",
]
