"""The events of live streams, made once a second for all streams with the same filter."""

from __future__ import annotations

import asyncio

import orjson
from fastapi.sse import format_sse_event
from starlette.concurrency import run_in_threadpool

from app.services.live import LiveFilter, LiveView, Snapshot

EVERY_S = 1.0
_STEP_S = 0.1


class SharedEvents:
    """What the streams of this process send. Not safe to share between threads: the event loop uses it."""

    def __init__(self, view: LiveView) -> None:
        self._view = view
        self._second: asyncio.Task[Snapshot | None] | None = None
        self._made: dict[LiveFilter, tuple[Snapshot, Snapshot, bytes]] = {}

    async def first(self) -> Snapshot:
        """Return the latest snapshot."""
        return await run_in_threadpool(self._view.snapshot)

    async def following(self) -> Snapshot | None:
        """Wait for the snapshot of the next second, the same for all that wait; None when the server stops."""
        loop = asyncio.get_running_loop()
        if self._second is None or self._second.done() or self._second.get_loop() is not loop:
            self._second = loop.create_task(self._after_a_second())
        return await asyncio.shield(self._second)

    async def _after_a_second(self) -> Snapshot | None:
        stopping = self._view.stores.stopping
        for _ in range(round(EVERY_S / _STEP_S)):
            if stopping.is_set():
                return None
            await asyncio.sleep(_STEP_S)
        self._made.clear()
        return None if stopping.is_set() else await self.first()

    def update(self, sent: Snapshot, now: Snapshot, which: LiveFilter) -> bytes:
        """Return the event with what changed between two snapshots; empty where nothing did."""
        made = self._made.get(which)
        if made is None or made[0] is not sent or made[1] is not now:
            news = now.only(which).since(sent.only(which))
            made = sent, now, b"" if news.is_empty else event("update", news)
            self._made[which] = made
        return made[2]


def event(name: str, snapshot: Snapshot) -> bytes:
    """Return a snapshot as an event."""
    return format_sse_event(event=name, id=str(snapshot.t_ms), data_str=orjson.dumps(snapshot.to_wire()).decode())
