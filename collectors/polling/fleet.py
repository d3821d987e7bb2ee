"""The polling tasks of the leased devices."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from collectors.device import Note, PolledDevice
from collectors.errors import ConfigError
from collectors.polling.device_policy import NO_SECRETS, DevicePolicy
from collectors.polling.drivers import driver_for
from collectors.polling.outbox_sink import OutboxSink
from collectors.polling.poller import DriverFactory, Poller
from collectors.polling.trap_receiver import TrapReceiver

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Task:
    device: PolledDevice
    poller: Poller
    task: asyncio.Task[None]


class Fleet:
    """Polling tasks of the leased devices.

    Nothing waits for a poller without a limit: one that ignores its cancellation stores nothing any more, and is
    cancelled again later.
    """

    def __init__(
        self,
        sink: OutboxSink,
        factory: DriverFactory = driver_for,
        trap_receiver: TrapReceiver | None = None,
        stop_s: float = 2.0,
        policy: DevicePolicy = NO_SECRETS,
    ) -> None:
        self._sink = sink
        self._factory = factory
        self._trap_receiver = trap_receiver
        self._stop_s = stop_s
        self._policy = policy
        self._tasks: dict[str, _Task] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._refused: dict[str, str] = {}

    @property
    def devices(self) -> list[str]:
        """Keys of the polled devices."""
        return sorted(self._tasks)

    def polling(self) -> dict[str, dict[str, int | None]]:
        """Return latency and skipped polls of each device, for the lease request."""
        pollers = {key: one.poller for key, one in self._tasks.items()}
        return {key: {"latency_ms": p.latency_ms, "skipped": p.skipped} for key, p in pollers.items()}

    async def take(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Poll exactly these devices: start new and changed ones, stop the others.

        A row may have `from_s` and `until_s`: a device that passes from one collector to another is polled by each only
        on its side of that moment.
        """
        wanted = {device.key: (device, row) for row in rows if (device := self._device(row)) is not None}
        await self._stop([key for key, one in self._tasks.items() if key not in wanted or wanted[key][0] != one.device])
        for key, (device, row) in wanted.items():
            one = self._tasks.get(key)
            if one is None or one.task.done():
                one = self._start(device, row)
            one.poller.fence = row.get("fence")
            one.poller.end_in(row.get("until_s"))
        if self._trap_receiver is not None:
            await self._trap_receiver.set_devices([device for device, _ in wanted.values()])

    async def stop(self) -> None:
        """Stop polling."""
        await self._stop(list(self._tasks))

    def _start(self, device: PolledDevice, row: Mapping[str, Any]) -> _Task:
        start_in_s, check = float(row.get("from_s") or 0.0), self._policy.check_resolved
        poller = Poller(device, self._sink, self._factory, start_in_s=start_in_s, check=check)
        task = asyncio.create_task(poller.run(), name=f"poll {device.key}")
        one = self._tasks[device.key] = _Task(device, poller, task)
        return one

    async def _stop(self, keys: Collection[str]) -> None:
        """Stop pollers, and wait a short time so that their connections are closed."""
        leaving = {self._tasks[key].task for key in keys}
        for key in keys:
            self._tasks.pop(key).poller.stop()
        for task in leaving | self._leaving:
            task.cancel()
        if leaving:
            await asyncio.wait(leaving, timeout=self._stop_s)
        for task in leaving:
            if not task.done():
                _LOG.warning("%s does not stop; what it reads is ignored", task.get_name())
            elif not task.cancelled() and (error := task.exception()) is not None:
                _LOG.warning("%s ended with an error", task.get_name(), exc_info=error)
        self._leaving = {task for task in leaving | self._leaving if not task.done()}

    def _device(self, row: Mapping[str, Any]) -> PolledDevice | None:
        """Return a leased device; report one that cannot be polled, once."""
        key = str(row.get("key"))
        try:
            device = self._policy.admit(PolledDevice.from_wire(row))
        except (ConfigError, KeyError, ValueError) as error:
            reason = error.explanation if isinstance(error, ConfigError) else repr(error)
            if self._refused.get(key) != reason:
                self._refused[key] = reason
                _LOG.warning("%s cannot be polled: %s", key, reason)
                self._sink.event(key, Note("device_misconfigured", reason, "warning"))
            return None
        self._refused.pop(key, None)
        return device
