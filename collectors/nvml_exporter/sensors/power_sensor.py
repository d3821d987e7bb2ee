"""Published properties of the power sensors of NVIDIA GPUs.

Sources: NVIDIA's reference of nvmlDeviceGetPowerUsage (a mean of 1 s on Ampere and newer, GA100 excepted; the last
value on GA100 and older); Yang, Adámek and Armour, "Part-time Power Measurements: nvidia-smi's Lack of Attention",
arXiv:2312.02741: the sensor of A100 and H100 is updated every 100 ms and sees 25 ms of them.
"""

from __future__ import annotations

import re

from collectors.nvml_exporter.sensors.gpu import Sensor, SensorClass

AMPERE = 7
"""NVML_DEVICE_ARCH_AMPERE, as returned by nvmlDeviceGetArchitecture."""

_UNKNOWN = 0xFFFFFFFF
_QUARTER = re.compile(r"\b(A100|H100)\b")
_GA100 = re.compile(r"\bA(100|800|30)X?\b")
_AVERAGE_MS = 1000


def plain_class(name: str, architecture: int) -> SensorClass:
    """Return the kind of reading that nvmlDeviceGetPowerUsage returns on a board."""
    newer = AMPERE <= architecture < _UNKNOWN and not _is_ga100(name, architecture)
    return SensorClass.AVERAGE if newer else SensorClass.INSTANT


def sensor(kind: SensorClass, name: str) -> Sensor:
    """Return the published properties of the sensor with this kind of reading."""
    if kind is SensorClass.AVERAGE:
        return Sensor(kind, _AVERAGE_MS)
    return Sensor(kind, 25, 100) if _QUARTER.search(name) else Sensor(kind)


def _is_ga100(name: str, architecture: int) -> bool:
    return architecture == AMPERE and bool(_GA100.search(name))
