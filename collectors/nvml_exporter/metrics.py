"""The content of `/metrics`: the latest reading of every sensor, and metrics of the exporter itself.

A reading older than three intervals is omitted, so that a stale value never looks current.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from collectors.nvml_exporter.counters import SampledGpu, SampledZone
from collectors.nvml_exporter.exposition import Exposition, flags
from collectors.nvml_exporter.ring import Ring
from collectors.nvml_exporter.sampler import Sampler
from collectors.nvml_exporter.sampling_thread import SamplingThread
from collectors.nvml_exporter.sensors import THROTTLE_REASONS, SensorClass

_FRESH_INTERVALS = 3
_LEAST_FRESH_MS = 2000
Labels = Mapping[str, object]
Rows = Iterator[tuple[Labels, float]]

_PLAIN = (
    ("utilization", "utilization_percent", "percent", "Share of the last sample period with a kernel running"),
    ("memory_utilization", "memory_utilization_percent", "percent", "Share of time the memory was read or written"),
    ("temperature", "temperature_celsius", "celsius", "Temperature of the GPU"),
    ("power_limit", "power_limit_watts", "watts", "Power limit in force"),
)


def installed_version() -> str:
    """Return the version of this distribution."""
    try:
        return version("wattline")
    except PackageNotFoundError:
        return "unknown"


def exposition(sampler: Sampler, ring: Ring, sampling: SamplingThread, requests: Mapping[str, int], now_ms: int) -> str:
    """Return the text of `/metrics`."""
    out = Exposition()
    last = ring.last
    oldest_ms = now_ms - max(_LEAST_FRESH_MS, round(1000 * _FRESH_INTERVALS * sampler.interval_s))
    if last is not None and last.t_ms >= oldest_ms:
        _gpus(out, sampler.gpus)
        _zones(out, sampler.zones)
    _itself(out, sampler, ring, sampling, requests)
    return out.text()


def _gpus(out: Exposition, gpus: list[SampledGpu]) -> None:
    about = "GPUs of the node. With MIG, power and energy are those of the whole board"
    out.info("wattline_gpu", about, (_labels(w, name=w.gpu.name, mig=int(w.gpu.mig)) for w in gpus))
    about = "Power of the board [W]; a value covers window_ms and is updated every update_ms, where published"
    out.gauge("wattline_gpu_power_watts", "watts", about, _power(gpus))
    for value, name, unit, about in _PLAIN:
        out.gauge(f"wattline_gpu_{name}", unit, f"{about} [{unit}]", ((_labels(w), _of(w, value)) for w in gpus))
    rates = ((_labels(w, clock=clock), 1e6 * _of(w, f"{clock}_clock")) for w in gpus for clock in ("sm", "memory"))
    out.gauge("wattline_gpu_clock_hertz", "hertz", "Clock rate [Hz]", rates)
    reasons = (
        (_labels(w, reason=reason), on)
        for w in gpus
        for reason, on in flags(w.reading.throttle_reasons, THROTTLE_REASONS)
    )
    out.gauge("wattline_gpu_throttle_reason", "", "1 while this reason limits the clocks", reasons)
    _energy(out, gpus)
    lost = ((_labels(w), float(w.lost)) for w in gpus)
    out.gauge("wattline_gpu_lost", "", "1 while the GPU does not respond", lost)
    jobs = (_labels(w, job=job, mig_instance=part) for w in gpus for job, part in sorted(w.jobs, key=str))
    out.info("wattline_gpu_job", "Slurm jobs with processes on the GPU", jobs)


def _energy(out: Exposition, gpus: list[SampledGpu]) -> None:
    about = "Energy by the counter of the board since the driver was loaded [J]"
    counters = ((_labels(w, sensor=SensorClass.COUNTER.value), w.reading.energy) for w in gpus)
    out.counter("wattline_gpu_energy_joules", "joules", about, counters)
    about = "Energy since the exporter started, by counter and by integral of power, over the same intervals [J]"
    compared = (
        (_labels(w, method=method), energy_j)
        for w in gpus
        for method, energy_j in (("counter", w.account.both_counter_j), ("integral", w.account.both_integral_j))
    )
    out.counter("wattline_gpu_energy_compared_joules", "joules", about, compared)
    differences = ((_labels(w), w.account.difference) for w in gpus)
    about = "(integral - counter) / counter of the energies compared"
    out.gauge("wattline_gpu_energy_difference_ratio", "ratio", about, differences)


def _power(gpus: list[SampledGpu]) -> Rows:
    for w in gpus:
        for value, how in sorted(w.gpu.sensors.items(), key=lambda pair: pair[0], reverse=True):
            labels = _labels(w, sensor=how.kind.value, window_ms=how.window_ms, update_ms=how.update_ms)
            yield labels, _of(w, value)


def _labels(sampled: SampledGpu, **more: object) -> Labels:
    return {"gpu": sampled.gpu.index, "uuid": sampled.gpu.uuid, **more}


def _of(sampled: SampledGpu, value: str) -> float:
    return float(getattr(sampled.reading, value))


def _zones(out: Exposition, zones: list[SampledZone]) -> None:
    for domain, about in (("package", "CPU package by RAPL"), ("dram", "CPU package's memory by RAPL")):
        mine = [w for w in zones if w.zone.point.endswith("/dram") == (domain == "dram")]

        labels = [{"package": w.zone.point.split("/")[1], "sensor": SensorClass.COUNTER.value} for w in mine]
        name = f"wattline_cpu_{domain}"
        powers = zip(labels, (w.power_w for w in mine), strict=True)
        out.gauge(f"{name}_power_watts", "watts", f"Power of a {about}, mean since the last sample [W]", powers)
        energies = zip(labels, (w.account.counter_j for w in mine), strict=True)
        out.counter(f"{name}_energy_joules", "joules", f"Energy of a {about} since the start [J]", energies)


def _itself(
    out: Exposition, sampler: Sampler, ring: Ring, sampling: SamplingThread, requests: Mapping[str, int]
) -> None:
    last = ring.last
    times = os.times()
    out.info("wattline_exporter_build", "This exporter", [{"version": installed_version()}])
    out.gauge("wattline_exporter_driver_up", "", "1 while NVML responds", [({}, float(sampler.is_open))])
    if sampler.driver:
        out.info("wattline_exporter_driver", "The NVIDIA driver", [{"version": sampler.driver}])
    out.gauge("wattline_exporter_interval_seconds", "seconds", "Time between samples", [({}, sampler.interval_s)])
    at_s = last.t_ms / 1000 if last else math.nan
    out.gauge("wattline_exporter_last_sample_timestamp_seconds", "seconds", "Time of the last sample", [({}, at_s)])
    out.gauge("wattline_exporter_ring_rows", "", "Samples in memory", [({}, float(len(ring)))])
    out.counter("wattline_exporter_samples", "", "Samples taken", [({}, float(sampling.samples))])
    out.counter(
        "wattline_exporter_samples_skipped",
        "",
        "Samples skipped because the previous one took too long",
        [({}, float(sampling.skipped))],
    )
    out.counter("wattline_exporter_samples_failed", "", "Samples that failed", [({}, float(sampling.failed))])
    out.counter("wattline_exporter_sampling_seconds", "seconds", "Time spent sampling", [({}, sampling.busy_s)])
    out.counter(
        "wattline_exporter_nvml_errors",
        "",
        "NVML errors that left a value missing",
        (({"code": code}, float(n)) for code, n in sampler.failures().items()),
    )
    out.counter(
        "wattline_exporter_counter_wraps",
        "",
        "Wraps of energy counters",
        (({"point": w.zone.point}, float(w.account.wraps)) for w in sampler.zones),
    )
    out.counter(
        "wattline_exporter_requests",
        "",
        "HTTP requests served",
        (({"path": path}, float(n)) for path, n in requests.items()),
    )
    out.counter(
        "wattline_exporter_cpu_seconds", "seconds", "CPU time of this process", [({}, times.user + times.system)]
    )
    out.gauge("wattline_exporter_resident_memory_bytes", "bytes", "Memory of this process", [({}, _resident_bytes())])


def _resident_bytes() -> float:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return math.nan
    return float(pages * os.sysconf("SC_PAGE_SIZE"))
