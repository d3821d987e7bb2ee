"""A collector process: leases devices from the server, polls each in its own task, delivers the readings.

Each device has its own task, timeout and back-off, so none delays another. While the server is down, the last leased
devices are polled on, even after a restart.
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
        """Return on the stop signal."""


class OutboxSink:
    """Puts results of pollers into the outbox and wakes delivery."""

    def __init__(self, outbox: Outbox, delivery: Delivery, collector: str, clock: Clock = wall_clock_ms) -> None:
        self._outbox = outbox
        self._delivery = delivery
        self._collector = collector
        self._clock = clock
        self._full = False

    def frames(self, frames: Sequence[Frame]) -> None:
        """Store frames; record an event when the outbox becomes full."""
        full = self._outbox.put(frames) > 0
        if full and not self._full:
            detail = f"{self._outbox.waiting} frames wait for the server; new ones are dropped"
            _LOG.warning("the outbox is full: %s", detail)
            self._put_event("", Note("outbox_full", detail, "warning"))
        self._full = full
        self._delivery.wake()

    def failure(self, failure: FailedPoll) -> None:
        """Store a failed poll."""
        body = {"device": failure.device, "collector": self._collector, "t": failure.t_ms}
        more = {"duration_ms": failure.duration_ms, "code": failure.code, "detail": failure.detail}
        self._outbox.put_note("poll", {**body, **more})
        self._delivery.wake()

    def event(self, device: str, note: Note) -> None:
        """Store an event."""
        self._put_event(device, note)
        self._delivery.wake()

    def _put_event(self, device: str, note: Note) -> None:
        t_ms = self._clock() if note.t_ms is None else note.t_ms
        body = {"t": t_ms, "kind": note.kind, "severity": note.severity, "detail": note.detail}
        about = {name: value for name, value in (("device", device), ("subject", note.subject)) if value}
        self._outbox.put_note("event", body | about)


class Fleet:
    """Polling tasks of the leased devices."""

    def __init__(
        self, sink: OutboxSink, factory: DriverFactory = driver_for, trap_receiver: TrapReceiver | None = None
    ) -> None:
        self._sink = sink
        self._factory = factory
        self._trap_receiver = trap_receiver
        self._tasks: dict[str, tuple[PolledDevice, asyncio.Task[None]]] = {}
        self._pollers: dict[str, Poller] = {}
        self._refused: dict[str, str] = {}

    @property
    def devices(self) -> list[str]:
        """Keys of the polled devices."""
        return sorted(self._tasks)

    def polling(self) -> dict[str, dict[str, int | None]]:
        """Return latency and skipped polls of each device, for the lease request."""
        return {key: {"latency_ms": p.latency_ms, "skipped": p.skipped} for key, p in self._pollers.items()}

    async def take(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Poll exactly these devices: start new and changed ones, stop the others."""
        wanted = {device.key: device for row in rows if (device := self._device(row)) is not None}
        for key in [k for k, (device, _) in self._tasks.items() if wanted.get(k) != device]:
            await self._stop(key)
        for key, device in wanted.items():
            if key not in self._tasks or self._tasks[key][1].done():
                poller = self._pollers[key] = Poller(device, self._sink, self._factory)
                self._tasks[key] = (device, asyncio.create_task(poller.run(), name=f"poll {key}"))
        if self._trap_receiver is not None:
            await self._trap_receiver.set_devices(list(wanted.values()))

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
        """Return a leased device; report one that cannot be polled, once."""
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
    token: its ingest token, if it requires one.
    name: this collector's name, which holds the lease.
    outbox_path: the SQLite file of readings that the server has not acknowledged.
    trap_port: UDP port for notifications of devices; None to receive none.
    """
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    outbox = Outbox(outbox_path)
    try:
        async with httpx.AsyncClient(base_url=server_url, headers=headers, timeout=_HTTP_TIMEOUT_S) as client:
            server = ServerClient(client, name)
            delivery = Delivery(server, outbox)
            sink = OutboxSink(outbox, delivery, name)
            trap_receiver = TrapReceiver(sink) if trap_port is not None else None
            fleet = Fleet(sink, trap_receiver=trap_receiver)
            port = (
                await listen(trap_receiver, trap_port) if trap_receiver is not None and trap_port is not None else None
            )
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
    """Stop polling, deliver once more, and raise the error of a task that failed."""
    await fleet.stop()
    broken = [task.exception() for task in tasks if task.done() and not task.cancelled()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    try:
        async with asyncio.timeout(2.0):
            await delivery.flush()
    except (ServerError, TimeoutError):
        _LOG.info("undelivered readings stay in the outbox")
    for error in broken:
        if error is not None:
            raise error


async def keep_lease(server: ServerClient, outbox: Outbox, fleet: Fleet) -> None:
    """Take and renew the lease until cancelled. While the server is down the last leased devices are kept."""
    await fleet.take(outbox.kept(_LEASE) or [])
    leased = True
    while True:
        try:
            answer = await server.lease(fleet.polling())
            devices = list(answer.get("devices") or [])
            outbox.keep(_LEASE, devices)
            await fleet.take(devices)
            if not leased:
                _LOG.warning("lease renewed: %d devices", len(devices))
            leased = True
            await asyncio.sleep(_renew_after_s(answer, wall_clock_ms()))
        except ServerError as error:
            if leased:
                _LOG.warning("cannot renew the lease, still polling %d devices: %s", len(fleet.devices), error)
            leased = False
            await asyncio.sleep(_RETRY_S * random.uniform(0.5, 1.5))


def _renew_after_s(answer: Mapping[str, Any], now_ms: int) -> float:
    """Return a third of the remaining lease, so that two renewals may fail; at most ten seconds, so that changes of the
    facility take effect soon."""
    try:
        until_ms = datetime.fromisoformat(str(answer["until"])).timestamp() * 1000
    except (KeyError, ValueError):
        return _RENEW_S
    return min(max((until_ms - now_ms) / 3000, 1.0), _RENEW_S)
