"""A collector process: takes the devices the server hands out, polls each in a task of its own, delivers what it reads.

No device disturbs another: each has its own task, timeout and back-off. Without the server polling goes on with the
devices handed out last, also after a restart.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import httpx

from collectors.contract import Frame, wall_clock_ms
from collectors.delivery import Delivery, Outbox, ServerClient
from collectors.device import Clock, Note, PolledDevice
from collectors.errors import ConfigError, ServerError
from collectors.polling.drivers import driver_for
from collectors.polling.poller import DriverFactory, FailedPoll, Poller
from collectors.polling.trap_receiver import TrapReceiver, listen

_LOG = logging.getLogger(__name__)
_LEASE = "lease"
_RENEW_S = 10.0
_RETRY_S = 3.0
_HTTP_TIMEOUT_S = 20.0


class Stop(Protocol):
    """An event of asyncio or anyio."""

    async def wait(self) -> object:
        """Return when it is time to stop."""


class OutboxSink:
    """Puts what pollers have into the outbox and wakes delivery."""

    def __init__(self, outbox: Outbox, delivery: Delivery, collector: str, clock: Clock = wall_clock_ms) -> None:
        self._outbox = outbox
        self._delivery = delivery
        self._collector = collector
        self._clock = clock
        self._full = False

    def frames(self, frames: Sequence[Frame]) -> None:
        """Keep frames; the first time the outbox is full is an event."""
        full = self._outbox.put(frames) > 0
        if full and not self._full:
            detail = f"{self._outbox.waiting} frames wait for the server; new ones are turned away"
            _LOG.warning("the outbox is full: %s", detail)
            self._put_event("", Note("outbox_full", detail, "warning"))
        self._full = full
        self._delivery.wake()

    def failure(self, failure: FailedPoll) -> None:
        """Keep a failed poll."""
        body = {"device": failure.device, "collector": self._collector, "t": failure.t_ms}
        more = {"duration_ms": failure.duration_ms, "code": failure.code, "detail": failure.detail}
        self._outbox.put_note("poll", {**body, **more})
        self._delivery.wake()

    def event(self, device: str, note: Note) -> None:
        """Keep an event."""
        self._put_event(device, note)
        self._delivery.wake()

    def _put_event(self, device: str, note: Note) -> None:
        t_ms = self._clock() if note.t_ms is None else note.t_ms
        body = {"t": t_ms, "kind": note.kind, "severity": note.severity, "detail": note.detail}
        about = {name: value for name, value in (("device", device), ("subject", note.subject)) if value}
        self._outbox.put_note("event", body | about)


class Fleet:
    """The tasks of the devices handed out."""

    def __init__(self, sink: OutboxSink, factory: DriverFactory = driver_for, desk: TrapReceiver | None = None) -> None:
        self._sink = sink
        self._factory = factory
        self._desk = desk
        self._tasks: dict[str, tuple[PolledDevice, asyncio.Task[None]]] = {}
        self._pollers: dict[str, Poller] = {}
        self._refused: dict[str, str] = {}

    @property
    def devices(self) -> list[str]:
        """Keys of the devices being polled."""
        return sorted(self._tasks)

    def polling(self) -> dict[str, dict[str, int | None]]:
        """How polling each device goes, as the lease tells it."""
        return {key: {"latency_ms": p.latency_ms, "skipped": p.skipped} for key, p in self._pollers.items()}

    async def take(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Poll exactly these devices: start what is new or changed, stop what is gone."""
        wanted = {device.key: device for row in rows if (device := self._device(row)) is not None}
        for key in [k for k, (device, _) in self._tasks.items() if wanted.get(k) != device]:
            await self._stop(key)
        for key, device in wanted.items():
            if key not in self._tasks or self._tasks[key][1].done():
                poller = self._pollers[key] = Poller(device, self._sink, self._factory)
                self._tasks[key] = (device, asyncio.create_task(poller.run(), name=f"poll {key}"))
        if self._desk is not None:
            await self._desk.set_devices(list(wanted.values()))

    async def stop(self) -> None:
        """Stop polling."""
        for key in list(self._tasks):
            await self._stop(key)

    async def _stop(self, key: str) -> None:
        _, task = self._tasks.pop(key)
        self._pollers.pop(key, None)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    def _device(self, row: Mapping[str, Any]) -> PolledDevice | None:
        """A device of the lease; one that cannot be polled is reported once."""
        key = str(row.get("key"))
        try:
            device = PolledDevice.from_wire(row)
        except (ConfigError, KeyError, ValueError) as error:
            reason = error.explanation if isinstance(error, ConfigError) else repr(error)
            if self._refused.get(key) != reason:
                self._refused[key] = reason
                _LOG.warning("%s cannot be polled: %s", key, reason)
                self._sink.event(key, Note("device_misconfigured", reason, "warning"))
            return None
        self._refused.pop(key, None)
        return device


async def collect(
    server_url: str, token: str | None, name: str, outbox_path: Path, stop: Stop, trap_port: int | None = None
) -> None:
    """Collect until `stop` is set.

    Parameters
    ----------
    server_url: the Wattline server, e.g. `http://127.0.0.1:8000`.
    token: its ingest token, if it wants one.
    name: this collector's name; leases go by it.
    outbox_path: the SQLite file that keeps what was read until the server has it.
    trap_port: UDP port for the notifications of devices; None: they are not received.
    """
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    outbox = Outbox(outbox_path)
    try:
        async with httpx.AsyncClient(base_url=server_url, headers=headers, timeout=_HTTP_TIMEOUT_S) as client:
            server = ServerClient(client, name)
            delivery = Delivery(server, outbox)
            sink = OutboxSink(outbox, delivery, name)
            desk = TrapReceiver(sink) if trap_port is not None else None
            fleet = Fleet(sink, desk=desk)
            port = await listen(desk, trap_port) if desk is not None and trap_port is not None else None
            jobs = [stop.wait(), delivery.run(), keep_lease(server, outbox, fleet)]
            tasks = [asyncio.ensure_future(job) for job in jobs]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                if port is not None:
                    port.close()
                await _shut_down(fleet, delivery, tasks)
    finally:
        outbox.close()


async def _shut_down(fleet: Fleet, delivery: Delivery, tasks: Sequence[asyncio.Future[object]]) -> None:
    """Stop polling, deliver once more, let go. A task that broke is heard."""
    await fleet.stop()
    broken = [task.exception() for task in tasks if task.done() and not task.cancelled()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    try:
        async with asyncio.timeout(2.0):
            await delivery.flush()
    except (ServerError, TimeoutError):
        _LOG.info("what could not be delivered stays in the outbox")
    for error in broken:
        if error is not None:
            raise error


async def keep_lease(server: ServerClient, outbox: Outbox, fleet: Fleet) -> None:
    """Take and renew the lease until cancelled. While the server is silent the devices handed out last stay ours."""
    await fleet.take(outbox.kept(_LEASE) or [])
    heard = True
    while True:
        try:
            answer = await server.lease(fleet.polling())
            devices = list(answer.get("devices") or [])
            outbox.keep(_LEASE, devices)
            await fleet.take(devices)
            if not heard:
                _LOG.warning("the server hands out devices again: %d", len(devices))
            heard = True
            await asyncio.sleep(_renew_after_s(answer, wall_clock_ms()))
        except ServerError as error:
            if heard:
                _LOG.warning("no lease, going on with %d devices: %s", len(fleet.devices), error)
            heard = False
            await asyncio.sleep(_RETRY_S * random.uniform(0.5, 1.5))


def _renew_after_s(answer: Mapping[str, Any], now_ms: int) -> float:
    """A third of the time the lease has left, so that two renewals may fail; at most ten seconds, so that a change
    of the facility is seen soon."""
    try:
        until_ms = datetime.fromisoformat(str(answer["until"])).timestamp() * 1000
    except (KeyError, ValueError):
        return _RENEW_S
    return min(max((until_ms - now_ms) / 3000, 1.0), _RENEW_S)
