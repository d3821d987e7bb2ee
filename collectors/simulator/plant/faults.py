"""Faults of the demo, at fixed times: what a dashboard must show when the world misbehaves.

Every four hours (0, 4, 8 … h UTC), from the 10th to the 60th minute, a PDU is silent, the clock of an exporter is
wrong, and a PDU reports that it is near overload. The second feed of one node is always dead, and one rack is always
near its limit (`demo.toml`, racks r10 to r12). None of these racks carries a published run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collectors.contract import HOUR_MS, MINUTE_MS
from collectors.simulator.plant.curve import Millis


@dataclass(frozen=True)
class ScheduledFault:
    """A fault that repeats: from `start_ms` to `end_ms` of every period. [ms]"""

    period_ms: int
    start_ms: int
    end_ms: int

    def at(self, t_ms: Millis) -> NDArray[np.bool_]:
        """Return whether it is present, at every time."""
        inside = np.asarray(t_ms, dtype=np.int64) % self.period_ms
        return (inside >= self.start_ms) & (inside < self.end_ms)

    def starts(self, from_ms: int, to_ms: int) -> Iterator[int]:
        """Yield when it begins inside a window. [ms]"""
        first = -(-(from_ms - self.start_ms) // self.period_ms)
        for i in range(first, (to_ms - self.start_ms) // self.period_ms + 1):
            yield i * self.period_ms + self.start_ms


SHORT = ScheduledFault(HOUR_MS, 40 * MINUTE_MS, 43 * MINUTE_MS)
LONG = ScheduledFault(4 * HOUR_MS, 10 * MINUTE_MS, 60 * MINUTE_MS)
AWAY = {"pdu-r08-b": SHORT, "pdu-r10-b": LONG}
"""Devices that do not respond."""
DEAD_CORDS = {("inf-02", "pdu-r11-b/outlet/5")}
"""Cords of a node (its key, `device/point`) that carry nothing; the others carry its load."""
CLOCKS = {"inf-01-exporter": -7 * MINUTE_MS}
"""By how much the clock of an exporter is wrong during `LONG`. [ms]"""
EVENT_DEVICE, EVENT_PART = "pdu-r12-a", "bank/1"
EVENT_BEGIN, EVENT_END = "near_overload", "near_overload_cleared"


def clock_error_ms(device: str, t_ms: int) -> int:
    """Return by how much the clock of a device is wrong at a time. [ms]"""
    return CLOCKS.get(device, 0) if LONG.at(np.array([t_ms]))[0] else 0


def device_events(from_ms: int, to_ms: int) -> list[dict[str, object]]:
    """Return what devices report in a window, as `POST /api/v1/events` takes it."""
    found: list[tuple[int, str, str, str]] = []
    for start in LONG.starts(from_ms - LONG.period_ms, to_ms):
        found.append((start, EVENT_BEGIN, "warning", "B1 is near its limit"))
        found.append((start + LONG.end_ms - LONG.start_ms, EVENT_END, "info", "B1 is below its limit"))
    return [
        {"t": t, "kind": kind, "device": EVENT_DEVICE, "subject": EVENT_PART, "severity": severity, "detail": detail}
        for t, kind, severity, detail in found
        if from_ms <= t <= to_ms
    ]
