"""Past readings at one-minute intervals, as a collector would have stored them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from collectors.contract import DAY_MS, MINUTE_MS, Layout
from collectors.errors import ServerError
from collectors.simulator.agents import ReportedValues, at_interval, learn
from collectors.simulator.api_client import ApiClient
from collectors.simulator.plant import Floats, Millis, Plant

SLICE_MS = 2 * DAY_MS
_AT_ONCE = 2

Span = tuple[int, int]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class HistorySlice:
    """A span of one device's history that is delivered in one piece: start ≤ t < end. [ms]"""

    device: str
    start_ms: int
    end_ms: int

    @property
    def minutes(self) -> int:
        """Return the maximum number of readings in the slice."""
        return len(minutes(self.start_ms, self.end_ms))


def minutes(start_ms: int, end_ms: int) -> Millis:
    """Return the full minutes t with start_ms ≤ t < end_ms."""
    return np.arange(-(-start_ms // MINUTE_MS) * MINUTE_MS, end_ms, MINUTE_MS, dtype=np.int64)


def holes(stored: Span | None, start_ms: int, end_ms: int) -> list[Span]:
    """Return the parts of the window before the first and after the last stored reading."""
    if stored is None or stored[1] < start_ms:
        return [(start_ms, end_ms)]
    before, after = (start_ms, min(stored[0], end_ms)), (stored[1] + 1, end_ms)
    return [span for span in (before, after) if span[0] < span[1]]


def slices(device: str, lacking: Sequence[Span]) -> Iterator[HistorySlice]:
    """Divide the holes into slices, newest first, so that stored history stays contiguous after an interruption."""
    for start, end in sorted(lacking, reverse=True):
        while end > start:
            begin = max(start, (end - 1) // SLICE_MS * SLICE_MS)
            yield HistorySlice(device, begin, end)
            end = begin


def frames(
    plant: Plant, reported: ReportedValues, device: str, t_ms: Millis, interval_ms: int = MINUTE_MS
) -> Iterator[tuple[Layout, Millis, Floats]]:
    """Yield per group of a device: its layout at that interval, the times it responded, and its rounded values."""
    t_ms = t_ms[plant.answers(device, t_ms)]
    readings = plant.readings(device, t_ms)
    for layout in reported.layouts:
        rows = []
        for series in layout.series:
            key = (series.point, series.quantity)
            rows.append(reported.encoded[key].read_back(readings[key]))
        yield at_interval(layout, interval_ms), t_ms, np.array(rows).T


async def lacking(client: ApiClient, plant: Plant, now_ms: int, days: float) -> list[HistorySlice]:
    """Return the slices of the past days that the server lacks, in delivery order."""
    start_ms = now_ms - round(days * DAY_MS)
    found: list[HistorySlice] = []
    for device in plant.facility.devices:
        found += slices(device, holes(await client.span(device), start_ms, now_ms))
    return sorted(found, key=lambda piece: -piece.start_ms)


async def deliver(
    client: ApiClient, plant: Plant, pieces: Sequence[HistorySlice], now_ms: int, progress: Progress | None = None
) -> int:
    """Deliver slices of history; return the number of readings (times, not values), which `progress` counts too."""
    devices = dict.fromkeys(piece.device for piece in pieces)
    reported = {device: await learn(plant, plant.facility.devices[device], now_ms) for device in devices}
    total, done = sum(piece.minutes for piece in pieces), 0
    lanes = asyncio.Semaphore(_AT_ONCE)

    async def send(piece: HistorySlice) -> None:
        nonlocal done
        async with lanes:
            t_ms = minutes(piece.start_ms, piece.end_ms)
            for layout, times, values in frames(plant, reported[piece.device], piece.device, t_ms):
                if len(times):
                    await client.ingest(layout, times, values)
            done += piece.minutes
            if progress is not None:
                progress(done, total)

    try:
        async with asyncio.TaskGroup() as group:
            for piece in pieces:
                group.create_task(send(piece))
    except* ServerError as failed:
        raise failed.exceptions[0] from None
    return done
