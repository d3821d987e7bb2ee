"""The titles of the facility page as events of live streams, made once for all streams in one time zone."""

from __future__ import annotations

import asyncio
from datetime import tzinfo

import orjson
from fastapi.sse import format_sse_event
from starlette.concurrency import run_in_threadpool

from app.presentation.facility import titles_now
from app.presentation.text import shown_zone
from app.services.live import LiveView, Snapshot


class SharedTitles:
    """What the streams with titles send. Not safe to share between threads: the event loop uses it."""

    def __init__(self, view: LiveView) -> None:
        self._view = view
        self._made: dict[tzinfo, tuple[Snapshot, asyncio.Task[bytes]]] = {}

    async def event(self, now: Snapshot) -> bytes:
        """Return the event with the titles of a snapshot, in the zone of the stream that asks."""
        zone = shown_zone()
        made = self._made.get(zone)
        if made is None or made[0] is not now:
            made = now, asyncio.get_running_loop().create_task(run_in_threadpool(self._titles))
            self._made[zone] = made
        return await asyncio.shield(made[1])

    def _titles(self) -> bytes:
        now, latest = self._view.shown()
        facility = self._view.stores.facility.at(now.t_ms)
        return format_sse_event(event="titles", data_str=orjson.dumps(titles_now(facility, latest, now)).decode())
