"""Ingest a small number of requests at a time; the others wait for a moment or are to come back (503)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from app.errors import Unavailable

AT_ONCE = 4
MOST_WAITING = 32
MOST_WAITING_BYTES = 256 * 2**20
LONGEST_WAIT_S = 5.0


class IngestQueue:
    """The requests of this process that deliver readings, limited in number and bytes. Used by one event loop."""

    def __init__(self, max_body_bytes: int) -> None:
        self._max_body_bytes = max_body_bytes
        self._most_bytes = max(MOST_WAITING_BYTES, max_body_bytes)
        self._requests = self._bytes = self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def place(self, announced_bytes: int | None) -> AsyncIterator[None]:
        """Hold a place while a request is received and ingested; without announced bytes it may have the largest body.

        Raises
        ------
        Unavailable
            All places are taken.
        """
        size = self._max_body_bytes if announced_bytes is None else announced_bytes
        if self._requests >= MOST_WAITING or self._bytes + size > self._most_bytes:
            raise _busy(f"{self._requests} deliveries of readings with {self._bytes} bytes are waiting")
        self._requests, self._bytes = self._requests + 1, self._bytes + size
        try:
            yield
        finally:
            self._requests, self._bytes = self._requests - 1, self._bytes - size

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until fewer than `AT_ONCE` requests are ingested, in order of arrival.

        Raises
        ------
        Unavailable
            It takes too long.
        """
        if self._running >= AT_ONCE:
            await self._wait()
        else:
            self._running += 1
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            async with asyncio.timeout(LONGEST_WAIT_S):
                await waiter
        except BaseException as error:
            if waiter.done() and not waiter.cancelled():
                self._pass_on()  # the turn came in the same moment
            else:
                with suppress(ValueError):
                    self._waiting.remove(waiter)
            if isinstance(error, TimeoutError):
                raise _busy(f"no turn within {LONGEST_WAIT_S:g} s") from None
            raise

    def _pass_on(self) -> None:
        """Give the turn to the next one that waits."""
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
        self._running -= 1


def _busy(detail: str) -> Unavailable:
    return Unavailable(detail, "send the same again in a moment", code="ingest_busy")
