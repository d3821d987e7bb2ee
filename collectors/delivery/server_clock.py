"""The server's clock as a collector knows it, and steps of the collector's own clock.

Each lease answer has the server's time. Between answers it is extrapolated by the monotonic clock, which no one sets:
so the offset of the wall clock is known at any time, whatever happens to the wall clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from collectors.contract import AHEAD_MS, monotonic_ms, wall_clock_ms

STEP_MS = 1000
"""A smaller change between wall clock and monotonic clock is the work of a time service, not a step."""


@dataclass(frozen=True)
class ClockState:
    """A moment by the collector's clock and by the server's."""

    wall_ms: int
    server_ms: int

    @property
    def offset_ms(self) -> int:
        """Clock of the collector minus clock of the server."""
        return self.wall_ms - self.server_ms

    @property
    def is_ahead(self) -> bool:
        """Whether the server would take readings of now for readings from the future."""
        return self.offset_ms > AHEAD_MS


@dataclass
class _Unplaced:
    """Frames that were stored before the offset was known: the wall clock was `base_ms` ahead of the monotonic one."""

    first_id: int
    last_id: int
    base_ms: int


class ServerClock:
    """Measures the offset of the collector's clock. `round_trip_ms`: duration of the last measurement."""

    def __init__(self, wall: Callable[[], int] = wall_clock_ms, monotonic: Callable[[], int] = monotonic_ms) -> None:
        self._wall = wall
        self._monotonic = monotonic
        self._base_ms = wall() - monotonic()
        self._server_base_ms: int | None = None
        self._unplaced: list[_Unplaced] = []
        self.round_trip_ms: int | None = None

    def monotonic_ms(self) -> int:
        """Return the monotonic clock [ms]."""
        return self._monotonic()

    def observe(self, server_ms: int, sent_ms: int, received_ms: int) -> None:
        """Learn the server's time from an answer; when the request was sent and the answer received [monotonic ms]."""
        self.round_trip_ms = received_ms - sent_ms
        self._server_base_ms = server_ms - (sent_ms + received_ms) // 2

    def state(self) -> ClockState | None:
        """Return both clocks now; None before the first answer."""
        if self._server_base_ms is None:
            return None
        return ClockState(self._wall(), self._server_base_ms + self._monotonic())

    def step_ms(self) -> int:
        """Return by how much the collector's clock was set since the last call; 0 if it was not."""
        base_ms = self._wall() - self._monotonic()
        step_ms, self._base_ms = base_ms - self._base_ms, base_ms
        return step_ms if abs(step_ms) > STEP_MS else 0

    def remember(self, first_id: int, last_id: int) -> None:
        """Remember frames that are stored now, before the offset is known."""
        base_ms = self._wall() - self._monotonic()
        last = self._unplaced[-1] if self._unplaced else None
        if last is not None and abs(last.base_ms - base_ms) <= STEP_MS:
            last.last_id = last_id
        else:
            self._unplaced.append(_Unplaced(first_id, last_id, base_ms))

    def placed(self) -> list[tuple[int, int, ClockState]]:
        """Return and forget the remembered ranges of frames, with the clocks while they were read."""
        server_base_ms, now_ms = self._server_base_ms, self._monotonic()
        if server_base_ms is None or not self._unplaced:
            return []
        unplaced, self._unplaced = self._unplaced, []
        return [(u.first_id, u.last_id, ClockState(u.base_ms + now_ms, server_base_ms + now_ms)) for u in unplaced]
