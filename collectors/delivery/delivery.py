"""Deliver layouts, frames, failed polls and events to the server, and lease devices, over HTTP.

While the server is down the outbox keeps everything and delivery retries with growing pauses. Only what the server
rejects for good becomes a dead letter.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import httpx
import orjson

from collectors.contract import Layout, wall_clock_ms
from collectors.delivery.outbox import Batch, NoteKind, Outbox
from collectors.device import Clock
from collectors.errors import ServerDown, ServerRefused

_LOG = logging.getLogger(__name__)
_MAX_FRAMES = 400
_MAX_NOTES = 500
_GATHER_S = 1.0
_IDLE_S = 5.0
_LONGEST_PAUSE_S = 30.0
_BAD_BODY = frozenset({400, 409, 413, 415, 422})
_PARTLY_STORED = frozenset({422, 503})
_INGEST = "/api/v1/ingest"
_PATHS: dict[NoteKind, tuple[str, str]] = {"poll": ("/api/v1/polls", "polls"), "event": ("/api/v1/events", "events")}


class ServerClient:
    """Client of the Wattline server's collector API."""

    def __init__(self, client: httpx.AsyncClient, name: str) -> None:
        self._client = client
        self.name = name

    async def lease(self, polling: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Take or renew this collector's lease and report polling; return its devices and expiry."""
        body = {"now": wall_clock_ms(), "polling": polling}
        return await self.post(f"/api/v1/collectors/{quote(self.name, safe='')}/lease", body)

    async def post(self, path: str, body: Any) -> dict[str, Any]:  # noqa: ANN401 -- any JSON
        """Send JSON, missing values as null.

        Raises
        ------
        ServerDown
            Not reachable, overloaded or broken, or it denies access: the body may be accepted later.
        ServerRefused
            It rejects this body for good.
        """
        return self._result(path, await self._request(path, body))

    async def ingest(self, body: Any) -> dict[str, Any]:  # noqa: ANN401 -- any JSON
        """Deliver readings; return what was stored and rejected, also where the status says that something was.

        Raises
        ------
        ServerDown, ServerRefused
            As `post`; nothing was stored.
        """
        answer = await self._request(_INGEST, body)
        if answer.status_code in _PARTLY_STORED and (report := _report(answer)) is not None:
            return report
        return self._result(_INGEST, answer)

    async def _request(self, path: str, body: Any) -> httpx.Response:  # noqa: ANN401 -- any JSON
        headers = {"Content-Type": "application/json"}
        try:
            return await self._client.post(path, content=orjson.dumps(body), headers=headers)
        except httpx.HTTPError as error:
            raise ServerDown(f"{self._client.base_url} is not reachable: {error or type(error).__name__}") from None

    def _result(self, path: str, answer: httpx.Response) -> dict[str, Any]:
        if answer.is_success:
            found = orjson.loads(answer.content or b"{}")
            return found if isinstance(found, dict) else {}
        detail, code, hint = _problem(answer)
        if answer.status_code in _BAD_BODY:
            raise ServerRefused(detail, hint, code, answer.status_code)
        raise ServerDown(f"{path} answered {answer.status_code}: {detail}", hint, code)


def _report(answer: httpx.Response) -> dict[str, Any] | None:
    """Return the report of an ingest answer; None if the body is something else, e.g. a problem document."""
    try:
        body = orjson.loads(answer.content)
    except orjson.JSONDecodeError:
        return None
    return body if isinstance(body, dict) and isinstance(body.get("rejected"), list) else None


def _problem(answer: httpx.Response) -> tuple[str, str, str]:
    """Return detail, code and hint of a problem response (RFC 9457), as far as it has them."""
    try:
        body = orjson.loads(answer.content)
    except orjson.JSONDecodeError:
        body = {}
    if not isinstance(body, dict):
        body = {}
    detail = str(body.get("detail") or answer.reason_phrase)
    return detail, str(body.get("code") or f"http_{answer.status_code}"), str(body.get("hint") or "")


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
            except ServerDown as error:
                self._is_down(error)
                await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    async def flush(self) -> None:
        """Deliver everything that is in the outbox now.

        Raises
        ------
        ServerDown
            Whatever was not delivered stays in the outbox.
        """
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
                self._dead_letter(batches[0], error.code, error.detail)
                return
            for batch in batches:
                await self._send([batch])
            return
        self._settle(batches, answer.get("rejected") or [])

    def _settle(self, batches: Sequence[Batch], rejected: Sequence[dict[str, Any]]) -> None:
        """Acknowledge stored batches; dead-letter rejected ones, unless the server only lost the layout.

        Raises
        ------
        ServerDown
            Some are to be sent again; they stay in the outbox.
        """
        refused = {int(row["index"]): row for row in rejected}
        taken = [batch for i, batch in enumerate(batches) if i not in refused]
        self._outbox.acknowledge([id_ for batch in taken for id_ in batch.ids])
        self._announced_again -= {batch.layout.hash for batch in taken}
        for i, row in refused.items():
            code, layout = str(row.get("code")), batches[i].layout.hash
            if row.get("retryable"):
                continue
            if code == "unknown_layout" and layout not in self._announced_again:
                self._announced_again.add(layout)
                self._outbox.set_announced([layout], announced=False)
            else:
                self._dead_letter(batches[i], code, str(row.get("detail") or ""))
        if again := [row for row in refused.values() if row.get("retryable")]:
            raise ServerDown(str(again[0].get("detail")), str(again[0].get("hint") or ""), str(again[0].get("code")))

    def _dead_letter(self, batch: Batch, code: str, detail: str) -> None:
        layout = batch.layout
        _LOG.warning("the server rejects %d frames of %s/%s: %s", len(batch.ids), layout.device, layout.group, detail)
        self._outbox.dead_letter(batch.ids, self._clock(), code, detail)

    async def _announced(self, batches: Sequence[Batch]) -> list[Batch]:
        """Announce new layouts; return the batches whose layout the server knows, and dead-letter the others."""
        new = self._outbox.unannounced(batch.layout.hash for batch in batches)
        refused = await self._announce(new) if new else {}
        self._outbox.set_announced((layout.hash for layout in new if layout.hash not in refused), announced=True)
        for batch in batches:
            if (reason := refused.get(batch.layout.hash)) is not None:
                self._dead_letter(batch, reason.code, reason.detail)
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
                    self._outbox.dead_letter_note(note, self._clock(), error.code, error.detail)
        return len(notes) == _MAX_NOTES

    async def _until_woken(self) -> None:
        try:
            async with asyncio.timeout(_IDLE_S):  # wait_for of Python 3.11 may swallow a cancellation
                await self._wake.wait()
        except TimeoutError:
            return
        self._wake.clear()
        await asyncio.sleep(_GATHER_S)

    def _is_down(self, error: ServerDown) -> None:
        if not self.down:
            _LOG.warning("cannot deliver, readings stay in the outbox: %s", error)
        self.down = True

    def _is_back(self) -> None:
        if self.down:
            _LOG.warning("delivering again")
        self.down = False
