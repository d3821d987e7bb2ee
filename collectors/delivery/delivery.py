"""Deliver layouts, frames, failed polls and events to the server.

While the server is down the outbox keeps everything and delivery retries with growing pauses. Only what the server
rejects for good becomes a dead letter.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from collectors.contract import AHEAD_MS, Layout, wall_clock_ms
from collectors.delivery.outbox import Batch, NoteKind, Outbox
from collectors.delivery.server_client import ServerClient
from collectors.device import Clock
from collectors.errors import OutboxError, ServerDown, ServerRefused

_LOG = logging.getLogger(__name__)
_MAX_FRAMES = 400
_MAX_NOTES = 500
_MAX_LAYOUTS = 50
_GATHER_S = 1.5
"""One request for what is read within it; a reading is visible well within 2 s after its poll."""
_IDLE_S = 5.0
_LONGEST_PAUSE_S = 30.0
_PATHS: dict[NoteKind, tuple[str, str]] = {"poll": ("/api/v1/polls", "polls"), "event": ("/api/v1/events", "events")}


class Delivery:
    """Delivers an outbox to the server."""

    def __init__(self, server: ServerClient, outbox: Outbox, clock: Clock = wall_clock_ms) -> None:
        self._server = server
        self._outbox = outbox
        self._clock = clock
        self._wake = asyncio.Event()
        self._announced_again: set[str] = set()
        self.down = False

    def wake(self) -> None:
        """Signal that there is something new to deliver."""
        self._wake.set()

    async def run(self) -> None:
        """Deliver until cancelled."""
        pause_s = 1.0
        while True:
            try:
                await self.flush()
                self._is_back()
                pause_s = 1.0
                await self._until_woken()
            except (ServerDown, OutboxError) as error:
                self._is_down(error)
                await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    async def flush(self) -> None:
        """Deliver everything that is in the outbox now.

        Raises
        ------
        ServerDown
            Whatever was not delivered stays in the outbox.
        OutboxError
            The outbox cannot be read or written.
        """
        server = self._server.clock.state()
        self._outbox.resume(*(() if server is None else (server.server_ms + AHEAD_MS,)))
        newest = self._outbox.newest()
        while batches := self._outbox.batches(_MAX_FRAMES, newest):
            await self._send(batches)
        for kind in _PATHS:
            while await self._send_notes(kind):
                pass

    async def _send(self, batches: Sequence[Batch]) -> None:
        """Send one request for many devices; if it is rejected as a whole, one for each."""
        batches = await self._announced(batches)
        if not batches:
            return
        try:
            answer = await self._server.ingest({"batches": [batch.to_wire() for batch in batches]})
        except ServerRefused as error:
            if len(batches) == 1:
                self._dead_letter(batches[0], batches[0].ids, error.code, error.detail)
                return
            for batch in batches:
                await self._send([batch])
            return
        self._settle(batches, answer.get("rejected") or [])

    def _settle(self, batches: Sequence[Batch], rejected: Sequence[dict[str, Any]]) -> None:
        """Acknowledge what was stored; dead-letter what was rejected, unless it is to be sent again.

        Raises
        ------
        ServerDown
            Some are to be sent again; they stay in the outbox.
        """
        refused: dict[int, set[int]] = defaultdict(set)
        for row in rejected:
            refused[int(row["index"])] |= set(_part(batches[int(row["index"])], row))
        self._outbox.acknowledge([id_ for i, batch in enumerate(batches) for id_ in batch.ids if id_ not in refused[i]])
        self._announced_again -= {batch.layout.hash for i, batch in enumerate(batches) if not refused[i]}
        for row in rejected:
            self._reject(batches[int(row["index"])], row)
        if again := [row for row in rejected if row.get("retryable")]:
            raise ServerDown(str(again[0].get("detail")), str(again[0].get("hint") or ""), str(again[0].get("code")))

    def _reject(self, batch: Batch, row: Mapping[str, Any]) -> None:
        """Decide about the part of a batch that was not stored."""
        code, layout = str(row.get("code")), batch.layout.hash
        if row.get("retryable"):
            return
        if code == "future_time":
            ids = _part(batch, row)
            _LOG.info("%d frames of %s are sent again later: %s", len(ids), batch.layout.device, row.get("detail"))
            self._outbox.postpone(ids)
        elif code == "unknown_layout" and layout not in self._announced_again:
            self._announced_again.add(layout)
            self._outbox.set_announced([layout], announced=False)
        else:
            self._dead_letter(batch, _part(batch, row), code, str(row.get("detail") or ""))

    def _dead_letter(self, batch: Batch, ids: Sequence[int], code: str, detail: str) -> None:
        layout = batch.layout
        _LOG.warning("the server rejects %d frames of %s/%s: %s", len(ids), layout.device, layout.group, detail)
        self._outbox.dead.reject(ids, self._clock(), code, detail)

    async def _announced(self, batches: Sequence[Batch]) -> list[Batch]:
        """Announce new layouts, some at a time; return the batches whose layout the server knows, and dead-letter the
        others."""
        new = self._outbox.unannounced(batch.layout.hash for batch in batches)
        refused: dict[str, ServerRefused] = {}
        for start in range(0, len(new), _MAX_LAYOUTS):
            some = new[start : start + _MAX_LAYOUTS]
            refused |= await self._announce(some)
            self._outbox.set_announced((layout.hash for layout in some if layout.hash not in refused), announced=True)
        for batch in batches:
            if (reason := refused.get(batch.layout.hash)) is not None:
                self._dead_letter(batch, batch.ids, reason.code, reason.detail)
        return [batch for batch in batches if batch.layout.hash not in refused]

    async def _announce(self, layouts: Sequence[Layout]) -> dict[str, ServerRefused]:
        """Announce layouts; return the errors of those rejected, by hash. If the request is rejected as a whole, each
        layout is announced alone."""
        try:
            answer = await self._server.post("/api/v1/layouts", {"layouts": [layout.to_wire() for layout in layouts]})
        except ServerRefused as error:
            if len(layouts) == 1:
                return {layouts[0].hash: error}
            return {key: why for layout in layouts for key, why in (await self._announce([layout])).items()}
        return {
            layouts[int(row["index"])].hash: ServerRefused(str(row.get("detail")), "", str(row.get("code")))
            for row in answer.get("rejected") or []
        }

    async def _send_notes(self, kind: NoteKind) -> bool:
        path, field = _PATHS[kind]
        notes = self._outbox.notes(kind, _MAX_NOTES)
        if not notes:
            return False
        try:
            await self._server.post(path, {field: [note.body for note in notes]})
            self._outbox.drop_notes(note.id for note in notes)
        except ServerRefused:
            for note in notes:
                try:
                    await self._server.post(path, {field: [note.body]})
                    self._outbox.drop_notes([note.id])
                except ServerRefused as error:
                    self._outbox.dead.reject_note(note.id, self._clock(), error.code, error.detail)
        return len(notes) == _MAX_NOTES

    async def _until_woken(self) -> None:
        try:
            async with asyncio.timeout(_IDLE_S):  # wait_for of Python 3.11 may swallow a cancellation
                await self._wake.wait()
        except TimeoutError:
            return
        self._wake.clear()
        await asyncio.sleep(_GATHER_S)

    def _is_down(self, error: ServerDown | OutboxError) -> None:
        if not self.down:
            _LOG.warning("cannot deliver, readings stay in the outbox: %s", error.explanation)
        self.down = True

    def _is_back(self) -> None:
        if self.down:
            _LOG.warning("delivering again")
        self.down = False


def _part(batch: Batch, row: Mapping[str, Any]) -> list[int]:
    """Return the ids of the frames that a rejection is about: those in its range of times, or all without one."""
    first_ms, last_ms = row.get("t"), row.get("t_last")
    if first_ms is None or last_ms is None:
        return list(batch.ids)
    return [id_ for id_, t_ms in zip(batch.ids, batch.t_ms, strict=True) if first_ms <= t_ms <= last_ms]
