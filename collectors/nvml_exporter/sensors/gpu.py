"""What the exporter knows of a GPU: its identity, its power sensors, one reading; and the seam to what reads it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol

NAN = math.nan


class SensorClass(StrEnum):
    """What a power reading is: the sensor's last value, a mean over a window, or the slope of an energy counter."""

    INSTANT = "instant"
    AVERAGE = "average"
    COUNTER = "counter"


@dataclass(frozen=True, slots=True)
class Sensor:
    """How a power sensor works. `window_ms`: the time one value covers; `update_ms`: how often it changes.

    None where nobody has published it.
    """

    kind: SensorClass
    window_ms: int | None = None
    update_ms: int | None = None


class GpuReading(NamedTuple):
    """One moment of one GPU, in base units; NaN is missing."""

    power_instant: float = NAN
    power_average: float = NAN
    energy: float = NAN
    utilization: float = NAN
    memory_utilization: float = NAN
    temperature: float = NAN
    sm_clock: float = NAN
    memory_clock: float = NAN
    throttle_reasons: float = NAN
    power_limit: float = NAN


UNITS: Mapping[str, str] = {
    "power_instant": "W",
    "power_average": "W",
    "energy": "J",
    "utilization": "%",
    "memory_utilization": "%",
    "temperature": "°C",
    "sm_clock": "MHz",
    "memory_clock": "MHz",
    "throttle_reasons": "bits",
    "power_limit": "W",
}
"""Unit of each value of a reading."""

THROTTLE_REASONS: Mapping[str, int] = {
    "gpu_idle": 0x1,
    "applications_clocks_setting": 0x2,
    "sw_power_cap": 0x4,
    "hw_slowdown": 0x8,
    "sync_boost": 0x10,
    "sw_thermal_slowdown": 0x20,
    "hw_thermal_slowdown": 0x40,
    "hw_power_brake_slowdown": 0x80,
    "display_clock_setting": 0x100,
}
"""The bits of `throttle_reasons`, as in nvml.h (nvmlClocksEventReason…)."""


@dataclass(frozen=True)
class Gpu:
    """One board. Its UUID is its identity; the index may change with the next driver load.

    `offered`: the values of a reading that this board, driver and mode have at all. `sensors`: by value.
    In MIG mode power and energy are those of the whole board.
    """

    index: int
    uuid: str
    name: str = ""
    mig: bool = False
    offered: frozenset[str] = frozenset(GpuReading._fields)
    sensors: Mapping[str, Sensor] = field(default_factory=dict)


@dataclass(frozen=True)
class Process:
    """A process that holds a GPU, or a MIG instance of it."""

    pid: int
    mig_instance: int | None = None


@dataclass(frozen=True)
class Opened:
    """What was found: the driver's version, the GPUs, and what was said of GPUs that could not be opened."""

    driver: str
    gpus: tuple[Gpu, ...]
    unreadable: tuple[str, ...] = ()


class GpuLibrary(Protocol):
    """The seam to NVML. Every method raises only errors of `errors.py`."""

    def open(self) -> Opened:
        """Connect to the driver and list the GPUs; again after `close`."""

    def read(self, gpu: Gpu) -> GpuReading:
        """Ask one GPU; what it does not say is NaN. Raises GpuLost, DriverGone."""

    def processes(self, gpu: Gpu) -> Sequence[Process]:
        """The processes that compute on a GPU. Raises GpuLost, DriverGone."""

    def failures(self) -> Mapping[str, int]:
        """How often which error left a value missing, since the start."""

    def close(self) -> None:
        """Let go of the driver; never raises."""
