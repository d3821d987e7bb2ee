"""GPU and CPU power sensors of a node."""

from __future__ import annotations

from collectors.nvml_exporter.sensors.errors import DriverGone, GpuLost, LibraryMissing, NvmlError
from collectors.nvml_exporter.sensors.gpu import (
    NAN,
    THROTTLE_REASONS,
    UNITS,
    Gpu,
    GpuLibrary,
    GpuReading,
    Opened,
    Sensor,
    SensorClass,
)
from collectors.nvml_exporter.sensors.job_owner import JobOwners
from collectors.nvml_exporter.sensors.nvml import Nvml, load_pynvml
from collectors.nvml_exporter.sensors.rapl import Zone, zones

__all__ = [
    "NAN",
    "THROTTLE_REASONS",
    "UNITS",
    "DriverGone",
    "Gpu",
    "GpuLibrary",
    "GpuLost",
    "GpuReading",
    "JobOwners",
    "LibraryMissing",
    "Nvml",
    "NvmlError",
    "Opened",
    "Sensor",
    "SensorClass",
    "Zone",
    "load_pynvml",
    "zones",
]
