"""State of each sampled device: a GPU with its energy account and jobs, a CPU package or its memory."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from collectors.nvml_exporter.energy import EnergyAccount, Increment
from collectors.nvml_exporter.ring import SampleColumn
from collectors.nvml_exporter.sensors import NAN, UNITS, Gpu, GpuReading, Sensor, SensorClass, Zone

NVML_MODULUS_J = 2**64 / 1000
"""The energy counter of a GPU is an unsigned long long in mJ (nvml.h)."""
_MOST_GPU_W = 3000.0
_MOST_CPU_W = 2000.0

Jobs = frozenset[tuple[str, int | None]]
"""Slurm job ids, each with the MIG instance it uses."""


@dataclass
class SampledGpu:
    """A GPU that is sampled."""

    gpu: Gpu
    account: EnergyAccount
    lost: bool = False
    ask_again_s: float = 0.0
    jobs: Jobs = frozenset()
    reading: GpuReading = field(default_factory=GpuReading)

    def __post_init__(self) -> None:
        self._offered = [i for i, value in enumerate(GpuReading._fields) if value in self.gpu.offered]

    @property
    def point(self) -> str:
        """Return the point, such as `gpu/0`."""
        return f"gpu/{self.gpu.index}"

    @property
    def power_w(self) -> float:
        """Return the power to integrate: the mean over 1 s if offered, because it covers all of the time."""
        return self.reading.power_average if "power_average" in self.gpu.offered else self.reading.power_instant

    def columns(self) -> Sequence[SampleColumn]:
        """Return its columns of a row."""
        return [self._column(GpuReading._fields[i]) for i in self._offered] + [self._column("energy_integral")]

    def fill(self, values: array[float]) -> None:
        """Append the last reading to a row."""
        values.extend([self.reading[i] for i in self._offered])
        values.append(self.account.integral_j)

    def take(self, at_s: float, reading: GpuReading) -> Increment:
        """Store a reading and account its energy."""
        self.reading = reading
        limit_w = _MOST_GPU_W if math.isnan(reading.power_limit) else reading.power_limit
        return self.account.add(at_s, self.power_w, reading.energy, limit_w)

    def _column(self, value: str) -> SampleColumn:
        sensor = self.gpu.sensors.get(value)
        if value == "energy":
            sensor = Sensor(SensorClass.COUNTER)
        unit, modulus = UNITS.get(value, "J"), NVML_MODULUS_J if value == "energy" else None
        if sensor is None:
            return SampleColumn(self.point, self.gpu.uuid, value, unit, modulus=modulus)
        return SampleColumn(
            self.point, self.gpu.uuid, value, unit, sensor.kind.value, sensor.window_ms, sensor.update_ms, modulus
        )


@dataclass
class SampledZone:
    """A RAPL zone that is sampled; its power is the slope of its counter since the previous sample."""

    zone: Zone
    account: EnergyAccount
    energy_j: float = NAN
    power_w: float = NAN
    at_s: float = NAN

    def columns(self) -> Sequence[SampleColumn]:
        """Return its columns of a row."""
        counter = SensorClass.COUNTER.value
        return [
            SampleColumn(self.zone.point, "", "power", "W", counter),
            SampleColumn(self.zone.point, "", "energy", "J", counter, modulus=self.zone.modulus_j),
        ]

    def fill(self, values: array[float]) -> None:
        """Append the last reading to a row."""
        values.extend((self.power_w, self.energy_j))

    def take(self, at_s: float, energy_j: float) -> Increment:
        """Store a reading and account its energy; wraps are normal and counted."""
        gained = self.account.add(at_s, NAN, energy_j, _MOST_CPU_W)
        elapsed_s = at_s - self.at_s
        self.power_w = gained.energy_j / elapsed_s if elapsed_s > 0 else NAN
        self.energy_j = energy_j
        if not math.isnan(energy_j):
            self.at_s = at_s
        return gained


def sampled_gpu(gpu: Gpu, max_gap_s: float, old: SampledGpu | None) -> SampledGpu:
    """Return the state of a GPU; one sampled before keeps its account with the last counter reading."""
    if old is None:
        return SampledGpu(gpu, EnergyAccount(NVML_MODULUS_J, max_gap_s))
    return SampledGpu(gpu, old.account, jobs=old.jobs)


def sampled_zones(zones: Callable[[], Sequence[Zone]], max_gap_s: float) -> list[SampledZone]:
    """Return the state of every readable zone."""
    return [SampledZone(zone, EnergyAccount(zone.modulus_j, max_gap_s)) for zone in zones()]
