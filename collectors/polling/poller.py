"""Poll one device.

Polls are aligned to the interval without drift, each device at its own phase so that they are spread over time. A poll
that takes longer than its interval skips and counts the ones it missed. A failing device is polled with growing pauses;
after a few failures in a row it is reported lost, and back when it answers.
"""

from __future__ import annotations

import asyncio
import logging
import random
import zlib
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol

from collectors.contract import Frame, wall_clock_ms
from collectors.device import LONGEST_DETAIL, MOST_SERIES, Buffered, Clock, Driver, Note, Poll, PolledDevice, clipped
from collectors.errors import AccessDenied, BadAnswer, CollectorError, OurFault, Unreachable
from collectors.polling.drivers import driver_for

_LOG = logging.getLogger(__name__)
LOST_AFTER = 3
_SET_BACK_MS = 1000  # a sleep that ends so long before its end was overtaken by a clock that was set back
_LONGEST_PAUSE_S = 60.0
_REFUSED_PAUSE_S = 300.0  # many BMCs lock an account after a few wrong passwords
_OPEN_LIMIT_S = 60.0
_LATENCIES = 31

Sleep = Callable[[float], Awaitable[None]]
DriverFactory = Callable[[PolledDevice], Awaitable[Driver]]


@dataclass(frozen=True)
class FailedPoll:
    """A poll without a reading. A long detail is cut."""

    device: str
    t_ms: int
    duration_ms: int
    code: str
    detail: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", clipped(self.detail, LONGEST_DETAIL))


class Sink(Protocol):
    """Receiver of a poller's results."""

    def frames(self, frames: Sequence[Frame]) -> None:
        """Store frames."""

    def failure(self, failure: FailedPoll) -> None:
        """Store a failed poll."""

    def event(self, device: str, note: Note) -> None:
        """Store an event of a device."""


class Poller:
    """Polls one device; `polls`, `failures` and `skipped` are counted from the start."""

    def __init__(
        self,
        device: PolledDevice,
        sink: Sink,
        factory: DriverFactory = driver_for,
        clock: Clock = wall_clock_ms,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._device = device
        self._sink = sink
        self._factory = factory
        self._clock = clock
        self._sleep = sleep
        self._driver: Driver | None = None
        self._buffered: Buffered | None = None
        self._is_open = False
        self._turns: dict[str, int] = {}
        self._failed_in_a_row = 0
        self._refused = False
        self._took_ms: deque[int] = deque(maxlen=_LATENCIES)
        self.lost = False
        self.polls = self.failures = self.skipped = 0

    @property
    def latency_ms(self) -> int | None:
        """Median duration of the last polls; None before the first."""
        return round(median(self._took_ms)) if self._took_ms else None

    async def run(self) -> None:
        """Poll until cancelled."""
        try:
            tick_ms = self._next_tick(self._clock())
            while True:
                tick_ms = await self._until(tick_ms)
                await self.poll(tick_ms)
                tick_ms = self._after(tick_ms)
        finally:
            await self._close()

    async def _until(self, tick_ms: int) -> int:
        """Wait for a tick and return it; if the clock was set back meanwhile, the tick that is due by it now."""
        has_slept = False
        while (early_ms := tick_ms - self._clock()) > 0:  # a sleep may end a millisecond early
            if has_slept and early_ms > _SET_BACK_MS:
                return self._next_tick(self._clock() - self.interval_ms)
            await self._sleep(early_ms / 1000)
            has_slept = True
        return tick_ms

    async def poll(self, tick_ms: int) -> None:
        """Poll once; raises nothing but CancelledError."""
        start_ms = self._clock()
        self.polls += 1
        try:
            poll = await self._ask(tick_ms)
        except CollectorError as error:
            await self._failed(start_ms, error)
        except TimeoutError:
            await self._failed(start_ms, Unreachable("the poll took too long and was cancelled"))
        except Exception as error:
            if not self._failed_in_a_row:
                _LOG.exception("%s: internal error in a poll", self._device.key)
            await self._failed(start_ms, OurFault(repr(error)))
        else:
            self._took_ms.append(max(0, self._clock() - start_ms))
            self._answered(poll)

    async def _ask(self, tick_ms: int) -> Poll:
        if self._driver is None:
            async with asyncio.timeout(_OPEN_LIMIT_S):
                self._driver = await self._factory(self._device)
                self._buffered = self._driver if isinstance(self._driver, Buffered) else None
        if not self._is_open:
            async with asyncio.timeout(_OPEN_LIMIT_S):
                await self._driver.open()
            self._is_open = True
        groups = self._due(self._driver, tick_ms)
        async with asyncio.timeout(max(_OPEN_LIMIT_S, self._device.interval_s)):
            poll = await self._driver.read(groups)
        _check_series(self._device.key, self._driver)
        return poll

    def _due(self, driver: Driver, tick_ms: int) -> set[str]:
        """Return the groups that are due: each once per its interval."""
        due = set()
        for layout in driver.layouts():
            turn = tick_ms // layout.interval_ms
            if self._turns.get(layout.group) != turn:
                self._turns[layout.group] = turn
                due.add(layout.group)
        return due

    def _answered(self, poll: Poll) -> None:
        self._failed_in_a_row = 0
        if self.lost:
            self.lost = False
            _LOG.warning("%s is back", self._device.key)
            self._sink.event(self._device.key, Note("device_back", f"{self._device.key} answers again"))
        for note in poll.notes:
            self._sink.event(self._device.key, note)
        if poll.frames:
            self._sink.frames(poll.frames)

    async def _failed(self, start_ms: int, error: CollectorError) -> None:
        self.failures += 1
        self._failed_in_a_row += 1
        self._refused = isinstance(error, AccessDenied)
        self._turns.clear()
        duration_ms = max(0, self._clock() - start_ms)
        self._sink.failure(FailedPoll(self._device.key, start_ms, duration_ms, error.code, error.detail))
        if not self.lost and (self._failed_in_a_row >= LOST_AFTER or not error.retryable):
            self.lost = True
            _LOG.warning("%s is lost: %s", self._device.key, clipped(error.explanation, LONGEST_DETAIL))
            self._sink.event(self._device.key, Note("device_lost", error.explanation, "warning"))
        await self._close()

    async def _close(self) -> None:
        if self._driver is not None and self._is_open:
            self._is_open = False
            await self._driver.close()

    @property
    def interval_ms(self) -> int:
        """Time between two polls: the shortest interval of the device's groups, or the facility's."""
        if self._buffered is not None:
            return self._buffered.poll_ms
        intervals = [layout.interval_ms for layout in self._driver.layouts()] if self._driver else []
        return min(intervals, default=round(self._device.interval_s * 1000))

    def _next_tick(self, after_ms: int) -> int:
        """Return the first tick of this device after a time."""
        phase = zlib.crc32(self._device.key.encode()) % self.interval_ms
        return after_ms - (after_ms - phase) % self.interval_ms + self.interval_ms

    def _after(self, tick_ms: int) -> int:
        """Return the next tick; skip and count those that passed while polling."""
        now_ms = self._clock()
        if self._failed_in_a_row:
            return self._next_tick(now_ms + round(1000 * self._pause_s()))
        following = self._next_tick(now_ms)
        missed = (following - tick_ms) // self.interval_ms - 1
        if missed > 0:
            self.skipped += missed
            detail = f"the poll took {now_ms - tick_ms} ms, {missed} were skipped"
            self._sink.failure(FailedPoll(self._device.key, tick_ms, now_ms - tick_ms, "overrun", detail))
        return following

    def _pause_s(self) -> float:
        """Return the pause after a failure: 0, 1, 3, 7 … intervals, at most a minute, ± a quarter; five minutes after
        refused credentials."""
        interval_s = self.interval_ms / 1000
        intervals = (1 << min(self._failed_in_a_row - 1, 16)) - 1
        pause_s = min(intervals * interval_s, max(_LONGEST_PAUSE_S, interval_s))
        if self._refused:
            pause_s = _REFUSED_PAUSE_S
        return pause_s * random.uniform(0.75, 1.25)


def _check_series(device: str, driver: Driver) -> None:
    """Refuse a device with more series than any has: each costs memory and disk on the server."""
    count = sum(len(layout.series) for layout in driver.layouts())
    if count > MOST_SERIES:
        detail = f"{device} has {count} series, {MOST_SERIES} at most are read"
        raise BadAnswer(detail, "use a profile that reads less of it", "too_many_series")
