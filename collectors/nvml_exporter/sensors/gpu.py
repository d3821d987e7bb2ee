"""Identity, power sensors and reading of a GPU, and the interface of a library that reads it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol

NAN = math.nan


class SensorClass(StrEnum):
    """Kind of a power reading: last value of the sensor, mean over a window, or slope of an energy counter."""

    INSTANT = "instant"
    AVERAGE = "average"
    COUNTER = "counter"


@dataclass(frozen=True, slots=True)
class Sensor:
    """Properties of a power sensor. `window_ms`: the time one value covers; `update_ms`: its update interval.

    None if not published.
    """

    kind: SensorClass
    window_ms: int | None = None
    update_ms: int | None = None


class GpuReading(NamedTuple):
    """One reading of a GPU; NaN is missing. Units: see UNITS."""

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
"""Unit of each field of a reading."""

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
    """One GPU board, identified by its UUID; the index may change when the driver is loaded again.

    `offered`: the fields of a reading that this board, driver and mode provide. `sensors`: by field.
    In MIG mode, power and energy are those of the whole board.
    """

    index: int
    uuid: str
    name: str = ""
    mig: bool = False
    offered: frozenset[str] = frozenset(GpuReading._fields)
    sensors: Mapping[str, Sensor] = field(default_factory=dict)


@dataclass(frozen=True)
class Process:
    """A process that uses a GPU or one of its MIG instances."""

    pid: int
    mig_instance: int | None = None


@dataclass(frozen=True)
class Opened:
    """Driver version, GPUs, and error messages of GPUs that could not be opened."""

    driver: str
    gpus: tuple[Gpu, ...]
    unreadable: tuple[str, ...] = ()


class GpuLibrary(Protocol):
    """Interface to NVML. Methods raise only errors of `errors.py`."""

    def open(self) -> Opened:
        """Connect to the driver and list the GPUs; may be called again after `close`."""

    def read(self, gpu: Gpu) -> GpuReading:
        """Read one GPU; missing values are NaN. Raises GpuLost, DriverGone."""

    def processes(self, gpu: Gpu) -> Sequence[Process]:
        """Return the compute processes of a GPU. Raises GpuLost, DriverGone."""

    def failures(self) -> Mapping[str, int]:
        """Return the number of errors that left a value missing, by code, since the start."""

    def close(self) -> None:
        """Release the driver; never raises."""
