"""Poll one device.

Polls are scheduled by the monotonic clock and stamped by the wall clock, so that a wall clock that is set delays no
poll. They are aligned to the interval without drift, each device at its own phase so that they are spread over time. A
poll that takes longer than its interval skips and counts the ones it missed. A failing device is polled with growing
pauses; after a few failures in a row it is reported lost, and back when it answers.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
import zlib
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol

from collectors.contract import Frame, ScheduleClock, wall_clock_ms
from collectors.device import LONGEST_DETAIL, Buffered, Clock, Driver, Note, Poll, PolledDevice, clipped
from collectors.errors import AccessDenied, CollectorError, OurFault, OutboxError, Unreachable
from collectors.polling.drivers import driver_for
from collectors.polling.series_limit import SeriesLimit

_LOG = logging.getLogger(__name__)
LOST_AFTER = 3
_LONGEST_PAUSE_S = 60.0
_REFUSED_PAUSE_S = 300.0  # many BMCs lock an account after a few wrong passwords
_OPEN_LIMIT_S = 60.0
_LATENCIES = 31

Sleep = Callable[[float], Awaitable[None]]
DriverFactory = Callable[[PolledDevice], Awaitable[Driver]]
Check = Callable[[PolledDevice], Awaitable[None]]


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

    def frames(self, frames: Sequence[Frame], fence: int | None = None) -> None:
        """Store frames polled under a lease with this fencing number; raise `OutboxError` if they cannot be stored."""

    def failure(self, failure: FailedPoll) -> None:
        """Store a failed poll."""

    def event(self, device: str, note: Note) -> None:
        """Store an event of a device."""


class Poller:
    """Polls one device; `polls`, `failures` and `skipped` are counted from the start.

    `fence`: fencing number of the lease. `check` is called before each connection. After `stop` nothing is stored any
    more, even if a driver goes on.
    """

    def __init__(
        self,
        device: PolledDevice,
        sink: Sink,
        factory: DriverFactory = driver_for,
        clock: Clock = wall_clock_ms,
        sleep: Sleep = asyncio.sleep,
        schedule: Clock | None = None,
        start_in_s: float = 0.0,
        check: Check | None = None,
    ) -> None:
        self._device = device
        self._sink = sink
        self._factory = factory
        self._check = check
        self._clock = clock
        self._sleep = sleep
        self._schedule = schedule or ScheduleClock()
        self._start_ms = self._schedule() + round(1000 * start_in_s)
        self._follows = start_in_s > 0
        self._end_ms = math.inf
        self._stopped = False
        self._not_stored = 0
        self.fence: int | None = None
        self._driver: Driver | None = None
        self._buffered: Buffered | None = None
        self._is_open = False
        self._turns: dict[str, int] = {}
        self._failed_in_a_row = 0
        self._limit = SeriesLimit(device.key)
        self._refused = False
        self._took_ms: deque[int] = deque(maxlen=_LATENCIES)
        self.lost = False
        self.polls = self.failures = self.skipped = 0

    @property
    def latency_ms(self) -> int | None:
        """Median duration of the last polls; None before the first."""
        return round(median(self._took_ms)) if self._took_ms else None

    def end_in(self, seconds: float | None) -> None:
        """Start no poll from then on; None to go on without end."""
        self._end_ms = math.inf if seconds is None else self._schedule() + 1000 * seconds

    def stop(self) -> None:
        """Store nothing from now on and end after the present poll, even if a driver swallows the cancellation."""
        self._stopped = True

    async def run(self) -> None:
        """Poll until stopped or cancelled."""
        try:
            tick_ms = self._next_tick(max(self._start_ms, self._schedule()) - 1)
            while True:
                while (early_ms := tick_ms - self._schedule()) > 0:  # a sleep may end a millisecond early
                    await self._sleep(early_ms / 1000)
                if self._stopped or tick_ms >= self._end_ms:
                    return
                await self.poll(tick_ms)
                tick_ms = self._after(tick_ms)
        finally:
            await self._close()

    async def poll(self, tick_ms: int) -> None:
        """Poll once; raises nothing but CancelledError."""
        start_ms, start = self._clock(), self._schedule()
        self.polls += 1
        try:
            poll = await self._ask(tick_ms)
        except CollectorError as error:
            await self._failed(start_ms, self._schedule() - start, error)
        except TimeoutError:
            late = Unreachable("the poll took too long and was cancelled")
            await self._failed(start_ms, self._schedule() - start, late)
        except Exception as error:
            if not self._failed_in_a_row:
                _LOG.exception("%s: internal error in a poll", self._device.key)
            await self._failed(start_ms, self._schedule() - start, OurFault(repr(error)))
        else:
            self._took_ms.append(self._schedule() - start)
            self._answered(poll)

    async def _ask(self, tick_ms: int) -> Poll:
        if self._check is not None and not self._is_open:
            async with asyncio.timeout(_OPEN_LIMIT_S):
                await self._check(self._device)
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
        self._limit.check(self._driver.layouts(), self._clock())
        return poll

    def _due(self, driver: Driver, tick_ms: int) -> set[str]:
        """Return the groups that are due: each once per its interval, by whichever collector polled before."""
        if self._follows:
            before_ms = tick_ms - self.interval_ms
            self._turns = {layout.group: before_ms // layout.interval_ms for layout in driver.layouts()}
            self._follows = False
        due = set()
        for layout in driver.layouts():
            turn = tick_ms // layout.interval_ms
            if self._turns.get(layout.group) != turn:
                self._turns[layout.group] = turn
                due.add(layout.group)
        return due

    def _answered(self, poll: Poll) -> None:
        if self._stopped:
            return
        self._failed_in_a_row = 0
        if self.lost:
            self.lost = False
            _LOG.warning("%s is back", self._device.key)
            self._sink.event(self._device.key, Note("device_back", f"{self._device.key} responds again"))
        for note in poll.notes:
            self._sink.event(self._device.key, note)
        if poll.frames:
            self._store(poll.frames)

    def _store(self, frames: Sequence[Frame]) -> None:
        """Store frames; if that is not possible, poll with pauses until it is."""
        try:
            self._sink.frames(frames, self.fence)
        except OutboxError as error:
            if not self._not_stored:
                _LOG.warning("%s: readings cannot be stored: %s", self._device.key, error.explanation)
            self._not_stored += 1
        else:
            self._not_stored = 0

    async def _failed(self, start_ms: int, duration_ms: int, error: CollectorError) -> None:
        if self._stopped:
            return
        self.failures += 1
        self._failed_in_a_row += 1
        self._refused = isinstance(error, AccessDenied) and (not error.retryable or self._failed_in_a_row >= LOST_AFTER)
        self._turns.clear()
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
        now_ms = self._schedule()
        if self._failed_in_a_row or self._not_stored:
            return self._next_tick(now_ms + round(1000 * self._pause_s()))
        following = self._next_tick(now_ms)
        missed = (following - tick_ms) // self.interval_ms - 1
        if missed > 0:
            self.skipped += missed
            detail = f"the poll took {now_ms - tick_ms} ms, {missed} were skipped"
            began_ms = self._clock() - (now_ms - tick_ms)
            self._sink.failure(FailedPoll(self._device.key, began_ms, now_ms - tick_ms, "overrun", detail))
        return following

    def _pause_s(self) -> float:
        """Return the pause after a failure: 0, 1, 3, 7 … intervals, at most a minute, ± a quarter; five minutes after
        refused credentials."""
        interval_s = self.interval_ms / 1000
        in_a_row = max(self._failed_in_a_row, self._not_stored)
        intervals = (1 << min(in_a_row - 1, 16)) - 1
        pause_s = min(intervals * interval_s, max(_LONGEST_PAUSE_S, interval_s))
        if self._refused and self._failed_in_a_row:
            pause_s = _REFUSED_PAUSE_S
        return pause_s * random.uniform(0.75, 1.25)
