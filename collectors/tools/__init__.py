"""Interactive tools: probe, discover and record devices, guess registers."""

from __future__ import annotations

from collectors.tools.discover_devices import addresses, discover, facility_toml
from collectors.tools.objects import ObjectExploration, explore_objects
from collectors.tools.probe_device import ProbeReport, probe
from collectors.tools.record_device import record
from collectors.tools.register_guess import RegisterReport, probe_register
from collectors.tools.registers import RegisterExploration, explore_registers

__all__ = [
    "ObjectExploration",
    "ProbeReport",
    "RegisterExploration",
    "RegisterReport",
    "addresses",
    "discover",
    "explore_objects",
    "explore_registers",
    "facility_toml",
    "probe",
    "probe_register",
    "record",
]
