"""One sample after the other: asks every GPU and zone, books energy, notices what happens, fills the ring.

Nothing that a GPU or the driver does ends it. What cannot be read is missing in the row; what happened is an event.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Sequence

from collectors.contract import wall_clock_ms
from collectors.nvml_exporter.counters import Jobs, WatchedGpu, WatchedZone, watch_gpu, watch_zones
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
_LOOK_AGAIN_S = 60.0
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
        self._is_open = self._was_open = self._told_missing = False
        self._unreadable: tuple[str, ...] = ()
        self._offset_ms: float | None = None
        self._schema: Schema = ()
        self._pids: set[int] = set()
        self.interval_s = interval_s
        self.driver = ""
        self.gpus: list[WatchedGpu] = []
        self.zones: list[WatchedZone] = watch_zones(find_zones, self._max_gap_s)
        self._set_schema()

    @property
    def is_open(self) -> bool:
        """Whether the driver answers."""
        return self._is_open

    def failures(self) -> dict[str, int]:
        """NVML errors that left a value missing, by code."""
        return dict(self._library.failures()) if self._library else {}

    def sample(self) -> None:
        """Take one sample of everything."""
        began_ms, began_s = self._wall(), self._monotonic()
        self._keep_open(began_ms, began_s)
        readings = [self._read(watched, began_ms, began_s) for watched in self.gpus]
        self._owners.forget_all_but(self._pids)
        self._pids = set()
        counters = [watched.zone.read_j() for watched in self.zones]
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
        """Let go of the driver."""
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
            if not self._told_missing:
                self._ring.note(t_ms, error.code, error.told)
            self._told_missing = True
            self._library.close()
            return
        self._opened(t_ms, now_s, opened)

    def _opened(self, t_ms: int, now_s: float, opened: Opened) -> None:
        """Compare with what was there before, say what is different, go on with the accounts of the same boards."""
        if self._was_open and self._told_missing:
            detail = f"driver {opened.driver} answers again (it was {self.driver}): {len(opened.gpus)} GPUs"
            self._ring.note(t_ms, "driver_reloaded", detail)
        before = {watched.gpu.uuid: watched for watched in self.gpus}
        for uuid, old in before.items():
            if uuid not in {gpu.uuid for gpu in opened.gpus} and not old.lost:
                self._ring.note(
                    t_ms, "gpu_lost", f"{old.point} {uuid} is not listed any more", "critical", old.point, uuid
                )
        for gpu in opened.gpus:
            if self._was_open and (gpu.uuid not in before or before[gpu.uuid].lost):
                detail = f"gpu/{gpu.index} {gpu.uuid} answers"
                self._ring.note(t_ms, "gpu_back", detail, "info", f"gpu/{gpu.index}", gpu.uuid)
        for text in set(opened.unreadable) - set(self._unreadable):
            self._ring.note(t_ms, "gpu_lost", text, "critical")
        self.gpus = [watch_gpu(gpu, self._max_gap_s, before.get(gpu.uuid)) for gpu in opened.gpus]
        self._unreadable, self.driver = opened.unreadable, opened.driver
        self._open_at_s = now_s + _LOOK_AGAIN_S
        self._is_open = self._was_open = True
        self._told_missing = False
        self._set_schema()

    def _set_schema(self) -> None:
        of_gpus = [column for gpu in self.gpus for column in gpu.columns()]
        schema = (*of_gpus, *(column for zone in self.zones for column in zone.columns()))
        if schema != self._schema:
            self._schema = schema

    def _read(self, watched: WatchedGpu, t_ms: int, now_s: float) -> GpuReading:
        if self._library is None or not self._is_open or (watched.lost and now_s < watched.ask_again_s):
            return GpuReading()
        gpu = watched.gpu
        try:
            reading = self._library.read(gpu)
            self._own(watched, t_ms)
        except GpuLost as error:
            watched.ask_again_s = now_s + _ASK_AGAIN_S
            if not watched.lost:
                watched.lost = True
                self._ring.note(t_ms, "gpu_lost", f"{watched.point} {error.told}", "critical", watched.point, gpu.uuid)
            return GpuReading()
        except (DriverGone, LibraryMissing) as error:
            self._is_open, self._told_missing = False, True
            self._open_at_s = now_s + _ASK_AGAIN_S
            self._ring.note(t_ms, "driver_gone", error.told, "critical")
            self._library.close()
            return GpuReading()
        if watched.lost:
            watched.lost = False
            self._ring.note(t_ms, "gpu_back", f"{watched.point} {gpu.uuid} answers", "info", watched.point, gpu.uuid)
        return reading

    def _own(self, watched: WatchedGpu, t_ms: int) -> None:
        """Whose processes compute on the GPU; a change is an event."""
        assert self._library is not None
        processes = self._library.processes(watched.gpu)
        self._pids.update(process.pid for process in processes)
        owned = [(self._owners.job_of(process.pid), process.mig_instance) for process in processes]
        jobs: Jobs = frozenset((job, instance) for job, instance in owned if job is not None)
        if jobs != watched.jobs:
            watched.jobs = jobs
            names = tuple(sorted({job for job, _ in jobs}))
            detail = f"{watched.point} is held by {'Slurm job ' + ', '.join(names) if names else 'no Slurm job'}"
            self._ring.note(t_ms, "gpu_jobs", detail, "info", watched.point, watched.gpu.uuid, names)

    def _counted(self, t_ms: int, watched: WatchedGpu, event: str) -> None:
        if event:
            what = {"counter_reset": "went back", "counter_stepped": "jumped", "counter_wrapped": "wrapped"}[event]
            detail = f"{watched.point}: the energy counter {what}"
            self._ring.note(t_ms, event, detail, "warning", watched.point, watched.gpu.uuid)

    def _check_clock(self, t_ms: int, at_s: float) -> None:
        offset_ms = t_ms - 1000 * at_s
        if self._offset_ms is not None and abs(offset_ms - self._offset_ms) > _CLOCK_STEP_MS:
            seconds = (offset_ms - self._offset_ms) / 1000
            self._ring.note(t_ms, "clock_stepped", f"the node's clock was set by {seconds:+.1f} s")
        self._offset_ms = offset_ms
