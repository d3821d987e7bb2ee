"""CPU packages and their memory by RAPL; /sys/class/powercap is readable by root only since Linux 5.10.

The counter of a zone is in µJ and wraps at `max_energy_range_uj`, after minutes to hours; power is its slope.
Source: Linux, Documentation/power/powercap/powercap.rst.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from collectors.nvml_exporter.sensors.gpu import NAN

POWERCAP = Path("/sys/class/powercap")
_ZONE = re.compile(r"intel-rapl:(\d+)(:\d+)?")
_PACKAGE = re.compile(r"package-(\d+)(?:-die-0|-die(-\d+))?")
_MICRO = 1e-6


@dataclass(frozen=True)
class Zone:
    """A package (`cpu/0`, its second die `cpu/0-1`) or its memory (`cpu/0/dram`); the counter wraps at `modulus_j`."""

    point: str
    modulus_j: float
    path: Path

    def read_j(self) -> float:
        """Return the counter [J]; NaN if it cannot be read."""
        try:
            return int((self.path / "energy_uj").read_text()) * _MICRO
        except (OSError, ValueError):
            return NAN


def zones(root: Path = POWERCAP) -> Sequence[Zone]:
    """Return the readable zones by package, without domains that contain or are contained in them (cores, platform)."""
    found: dict[str, Zone] = {}
    for path in sorted(root.glob("intel-rapl:*")):
        if _ZONE.fullmatch(path.name) and (zone := _zone(path)) is not None:
            found.setdefault(zone.point, zone)
    return tuple(found[point] for point in sorted(found))


def _zone(path: Path) -> Zone | None:
    try:
        name = (path / "name").read_text().strip()
        parent = path.with_name(":".join(path.name.split(":")[:2]))
        package = _PACKAGE.fullmatch((parent / "name").read_text().strip())
        modulus_j = int((path / "max_energy_range_uj").read_text()) * _MICRO
        int((path / "energy_uj").read_text())
    except (OSError, ValueError):
        return None
    if package is None or not (path == parent or name == "dram"):
        return None
    point = f"cpu/{package[1]}{package[2] or ''}"
    return Zone(point if path == parent else f"{point}/dram", modulus_j, path)
