"""Sample every GPU and RAPL zone, account energy, detect events, and fill the ring.

No fault of a GPU or of the driver ends sampling. An unreadable value is missing in the row; a change is an event.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Sequence

from collectors.contract import wall_clock_ms
from collectors.nvml_exporter.counters import Jobs, SampledGpu, SampledZone, sampled_gpu, sampled_zones
from collectors.nvml_exporter.ring import Ring, Schema
from collectors.nvml_exporter.sensors import (
    DriverGone,
    GpuLibrary,
    GpuLost,
    GpuReading,
    JobOwners,
    LibraryMissing,
    NvmlError,
    Opened,
    Zone,
    zones,
)

_ASK_AGAIN_S = 5.0
_LIST_AGAIN_S = 60.0
_CLOCK_STEP_MS = 1000


class Sampler:
    """Reads `library` and the RAPL zones into `ring`; call `sample` once per interval."""

    def __init__(
        self,
        library: GpuLibrary | None,
        ring: Ring,
        interval_s: float,
        owners: JobOwners | None = None,
        find_zones: Callable[[], Sequence[Zone]] = zones,
        wall: Callable[[], int] = wall_clock_ms,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._library = library
        self._ring = ring
        self._owners = owners or JobOwners()
        self._wall, self._monotonic = wall, monotonic
        self._max_gap_s = max(3 * interval_s, 1.0)
        self._open_at_s = 0.0
        self._is_open = self._was_open = self._missing_reported = False
        self._unreadable: tuple[str, ...] = ()
        self._offset_ms: float | None = None
        self._schema: Schema = ()
        self._pids: set[int] = set()
        self.interval_s = interval_s
        self.driver = ""
        self.gpus: list[SampledGpu] = []
        self.zones: list[SampledZone] = sampled_zones(find_zones, self._max_gap_s)
        self._set_schema()

    @property
    def is_open(self) -> bool:
        """Return whether the driver responds."""
        return self._is_open

    def failures(self) -> dict[str, int]:
        """Return the number of NVML errors that left a value missing, by code."""
        return dict(self._library.failures()) if self._library else {}

    def sample(self) -> None:
        """Take one sample of every GPU and zone."""
        began_ms, began_s = self._wall(), self._monotonic()
        self._keep_open(began_ms, began_s)
        readings = [self._read(sampled, began_ms, began_s) for sampled in self.gpus]
        self._owners.forget_all_but(self._pids)
        self._pids = set()
        counters = [sampled.zone.read_j() for sampled in self.zones]
        t_ms, at_s = (began_ms + self._wall()) // 2, (began_s + self._monotonic()) / 2
        self._check_clock(t_ms, at_s)
        values = array("d")
        for gpu, reading in zip(self.gpus, readings, strict=True):
            self._counted(t_ms, gpu, gpu.take(at_s, reading).event)
            gpu.fill(values)
        for zone, energy_j in zip(self.zones, counters, strict=True):
            event = zone.take(at_s, energy_j).event
            if event and event != "counter_wrapped":
                self._ring.note(t_ms, event, f"{zone.zone.point}: the energy counter jumped", point=zone.zone.point)
            zone.fill(values)
        self._ring.append(t_ms, self._schema, values)

    def close(self) -> None:
        """Release the driver."""
        if self._library is not None and self._is_open:
            self._library.close()
            self._is_open = False

    def _keep_open(self, t_ms: int, now_s: float) -> None:
        if self._library is None or now_s < self._open_at_s or (self._is_open and not self._unreadable):
            return
        self.close()
        self._open_at_s = now_s + _ASK_AGAIN_S
        try:
            opened = self._library.open()
        except NvmlError as error:
            if not self._missing_reported:
                self._ring.note(t_ms, error.code, error.explanation)
            self._missing_reported = True
            self._library.close()
            return
        self._opened(t_ms, now_s, opened)

    def _opened(self, t_ms: int, now_s: float, opened: Opened) -> None:
        """Note the differences to the GPUs known before, and keep the energy accounts of the same boards."""
        if self._was_open and self._missing_reported:
            detail = f"driver {opened.driver} responds again (before: {self.driver}): {len(opened.gpus)} GPUs"
            self._ring.note(t_ms, "driver_reloaded", detail)
        before = {sampled.gpu.uuid: sampled for sampled in self.gpus}
        for uuid, old in before.items():
            if uuid not in {gpu.uuid for gpu in opened.gpus} and not old.lost:
                self._ring.note(
                    t_ms, "gpu_lost", f"{old.point} {uuid} is no longer listed", "critical", old.point, uuid
                )
        for gpu in opened.gpus:
            if self._was_open and (gpu.uuid not in before or before[gpu.uuid].lost):
                detail = f"gpu/{gpu.index} {gpu.uuid} responds"
                self._ring.note(t_ms, "gpu_back", detail, "info", f"gpu/{gpu.index}", gpu.uuid)
        for text in set(opened.unreadable) - set(self._unreadable):
            self._ring.note(t_ms, "gpu_lost", text, "critical")
        self.gpus = [sampled_gpu(gpu, self._max_gap_s, before.get(gpu.uuid)) for gpu in opened.gpus]
        self._unreadable, self.driver = opened.unreadable, opened.driver
        self._open_at_s = now_s + _LIST_AGAIN_S
        self._is_open = self._was_open = True
        self._missing_reported = False
        self._set_schema()

    def _set_schema(self) -> None:
        of_gpus = [column for gpu in self.gpus for column in gpu.columns()]
        schema = (*of_gpus, *(column for zone in self.zones for column in zone.columns()))
        if schema != self._schema:
            self._schema = schema

    def _read(self, sampled: SampledGpu, t_ms: int, now_s: float) -> GpuReading:
        if self._library is None or not self._is_open or (sampled.lost and now_s < sampled.ask_again_s):
            return GpuReading()
        gpu = sampled.gpu
        try:
            reading = self._library.read(gpu)
            self._own(sampled, t_ms)
        except GpuLost as error:
            sampled.ask_again_s = now_s + _ASK_AGAIN_S
            if not sampled.lost:
                sampled.lost = True
                self._ring.note(
                    t_ms, "gpu_lost", f"{sampled.point} {error.explanation}", "critical", sampled.point, gpu.uuid
                )
            return GpuReading()
        except (DriverGone, LibraryMissing) as error:
            self._is_open, self._missing_reported = False, True
            self._open_at_s = now_s + _ASK_AGAIN_S
            self._ring.note(t_ms, "driver_gone", error.explanation, "critical")
            self._library.close()
            return GpuReading()
        if sampled.lost:
            sampled.lost = False
            self._ring.note(t_ms, "gpu_back", f"{sampled.point} {gpu.uuid} responds", "info", sampled.point, gpu.uuid)
        return reading

    def _own(self, sampled: SampledGpu, t_ms: int) -> None:
        """Update the jobs with processes on the GPU; a change is an event."""
        assert self._library is not None
        processes = self._library.processes(sampled.gpu)
        self._pids.update(process.pid for process in processes)
        owned = [(self._owners.job_of(process.pid), process.mig_instance) for process in processes]
        jobs: Jobs = frozenset((job, instance) for job, instance in owned if job is not None)
        if jobs != sampled.jobs:
            sampled.jobs = jobs
            names = tuple(sorted({job for job, _ in jobs}))
            detail = f"{sampled.point} is used by {'Slurm job ' + ', '.join(names) if names else 'no Slurm job'}"
            self._ring.note(t_ms, "gpu_jobs", detail, "info", sampled.point, sampled.gpu.uuid, names)

    def _counted(self, t_ms: int, sampled: SampledGpu, event: str) -> None:
        if event:
            what = {"counter_reset": "went back", "counter_stepped": "jumped", "counter_wrapped": "wrapped"}[event]
            detail = f"{sampled.point}: the energy counter {what}"
            self._ring.note(t_ms, event, detail, "warning", sampled.point, sampled.gpu.uuid)

    def _check_clock(self, t_ms: int, at_s: float) -> None:
        offset_ms = t_ms - 1000 * at_s
        if self._offset_ms is not None and abs(offset_ms - self._offset_ms) > _CLOCK_STEP_MS:
            seconds = (offset_ms - self._offset_ms) / 1000
            self._ring.note(t_ms, "clock_stepped", f"the clock of the node was changed by {seconds:+.1f} s")
        self._offset_ms = offset_ms
