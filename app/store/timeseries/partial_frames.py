"""Readings as far as the machines that hold them respond, for pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

import numpy as np

from app.store.database import PartialReads, reading
from app.store.timeseries.described_series import described, newest_layouts
from app.store.timeseries.frame_times import FIRST, LAST, FrameEnd, delivered_steps, ends_of, merged_steps, streams_of
from app.store.timeseries.frames import FrameStore
from app.store.timeseries.readings import LatestFrame, Samples, SeriesInfo
from app.store.timeseries.samples import joined

T = TypeVar("T")
_STREAMS = "frame"
"""All tables of streams are stored like this one."""


class PartialFrameStore(FrameStore):
    """Readings without those on machines that do not respond; `reads.unread` names the devices of these.

    Everything that a page reads is read in part; the rest fails as in `FrameStore`. Of one request, not shared.
    """

    def __init__(self, whole: FrameStore, reads: PartialReads) -> None:
        super().__init__(whole.engine, catalog=whole.catalog)
        self._reads = reads

    def read(self, keys: Sequence[str], start_ms: int, end_ms: int) -> dict[str, Samples]:
        """Return the samples of series that can be read; a stream that cannot adds none."""
        devices = list(dict.fromkeys(key.partition("/")[0] for key in keys))
        parts, _ = self._each(devices, lambda streams: self._read(keys, start_ms, end_ms, streams))
        found = {key: [part[key] for part in parts if len(part[key])] for key in keys}
        return {key: joined(samples, start_ms, end_ms) for key, samples in found.items()}

    def series(self, device: str | Collection[str] | None = None) -> list[SeriesInfo]:
        """Return all series: layouts are on every machine; the last announced one of an unread stream describes it."""
        devices = [device] if isinstance(device, str) else None if device is None else list(device)
        with reading(self.engine) as connection:
            layouts = self.catalog.of_devices(connection, devices)
        parts, _ = self._each(devices, self._newest_layouts)
        return described(layouts, set().union(*parts))

    def latest(self, devices: Sequence[str] | None = None) -> dict[str, list[LatestFrame]]:
        """Return the newest frame of each stream; of one that cannot be read a frame without values."""
        parts, lost = self._each(devices, lambda streams: self._latest(devices, streams))
        found: dict[str, list[LatestFrame]] = defaultdict(list)
        with reading(self.engine) as connection:
            layouts = {known.stream_id: known.layout for known in self.catalog.of_devices(connection, devices)}
        for layout in (layouts[stream_id] for stream_id in lost if stream_id in layouts):
            values = np.full(len(layout.series), np.nan)
            found[layout.device].append(LatestFrame(layout, 0, values, 0, is_read=False))
        for part in parts:  # last: of a series in several streams the last one counts
            for device, frames in part.items():
                found[device] += frames
        return dict(found)

    def delivered(
        self, devices: Sequence[str], start_ms: int, end_ms: int, step_ms: int
    ) -> dict[str, list[tuple[int, int]]]:
        """Return by device when it delivered frames that can be read."""

        def read(streams: list[int]) -> dict[str, list[tuple[int, int]]]:
            with reading(self.engine) as connection:
                return delivered_steps(connection, devices, start_ms, end_ms, step_ms, streams)

        return merged_steps(self._each(devices, read)[0])

    def span(self, device: str | Collection[str]) -> tuple[int, int] | None:
        """Return the first and last moment of frames that can be read."""
        devices = [device] if isinstance(device, str) else sorted(device)
        found = [t_ms for _, t_ms in self._ends(devices, (*FIRST, *LAST))]
        return (min(found), max(found)) if found else None

    def first_ms(self, devices: Collection[str]) -> dict[str, int]:
        """Return by device the moment of its first frame that can be read."""
        found: dict[str, int] = {}
        for device, t_ms in self._ends(sorted(devices), FIRST):
            found[device] = min(t_ms, found.get(device, t_ms))
        return found

    def _ends(self, devices: Sequence[str], ends: Sequence[FrameEnd]) -> list[tuple[str, int]]:
        def read(streams: list[int]) -> dict[str, list[int]]:
            with reading(self.engine) as connection:
                return ends_of(connection, devices, ends, streams)

        parts, _ = self._each(devices, read)
        return [(device, t_ms) for part in parts for device, times in part.items() for t_ms in times]

    def _newest_layouts(self, streams: list[int]) -> set[int]:
        with reading(self.engine) as connection:
            return newest_layouts(connection, streams)

    def _each(self, devices: Sequence[str] | None, read: Callable[[list[int]], T]) -> tuple[list[T], list[int]]:
        """Read the streams of devices on each machine; return the results and the streams that cannot be read."""
        with reading(self.engine) as connection:
            streams = streams_of(connection, devices)
        found, lost = self._reads.each(_STREAMS, streams, read)
        self._reads.unread.devices.update(streams[stream_id] for stream_id in lost)
        return found, lost
