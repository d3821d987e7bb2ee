"""A collector process: leases devices from the server, polls each in its own task, delivers the readings.

Each device has its own task, timeout and back-off, so none delays another.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import httpx

from collectors.delivery import MAX_BYTES, Delivery, Outbox, ServerClient
from collectors.errors import OutboxError, ServerError
from collectors.polling.device_policy import NO_SECRETS, DevicePolicy
from collectors.polling.drivers import driver_for
from collectors.polling.fleet import Fleet
from collectors.polling.leases import LEASE_S, LeaseKeeper
from collectors.polling.outbox_sink import OutboxSink
from collectors.polling.poller import DriverFactory
from collectors.polling.probe_requests import ProbeFunction, ProbeRequests
from collectors.polling.trap_receiver import TrapReceiver, listen

_LOG = logging.getLogger(__name__)
_HTTP_TIMEOUT_S = 20.0
_FAREWELL_S = 2.0
_STOP_SHARE = 0.2


class Stop(Protocol):
    """An event of asyncio or anyio."""

    async def wait(self) -> object:
        """Return on the stop signal."""


async def collect(
    server_url: str,
    token: str | None,
    name: str,
    outbox_path: Path,
    stop: Stop,
    trap_port: int | None = None,
    *,
    lease_s: float = LEASE_S,
    max_bytes: int = MAX_BYTES,
    factory: DriverFactory = driver_for,
    policy: DevicePolicy = NO_SECRETS,
    probe: ProbeFunction | None = None,
) -> None:
    """Collect until `stop` is set.

    Parameters
    ----------
    server_url: the Wattline server, e.g. `http://127.0.0.1:8000`.
    token: its ingest token, if it requires one.
    name: this collector's name, which holds the lease.
    outbox_path: the SQLite file of readings that the server has not acknowledged.
    trap_port: UDP port for notifications of devices; None to receive none.
    lease_s: duration of the lease. max_bytes: largest size of the outbox.
    policy: the devices that may be polled and the secrets that may be sent to them.
    probe: reads a device that an administrator adds; without it such requests stay unanswered.
    """
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    outbox = Outbox(outbox_path, max_bytes)
    policy.check_connections(server_url)
    try:
        async with httpx.AsyncClient(base_url=server_url, headers=headers, timeout=_HTTP_TIMEOUT_S) as client:
            server = ServerClient(client, name, instance=outbox.instance())
            delivery = Delivery(server, outbox)
            sink = OutboxSink(outbox, delivery, name, server_clock=server.clock)
            trap_receiver = TrapReceiver(sink) if trap_port is not None else None
            fleet = Fleet(sink, factory, trap_receiver, stop_s=_STOP_SHARE * lease_s, policy=policy)
            probes = ProbeRequests(server, policy, probe) if probe is not None else None
            port = await listen(trap_receiver, trap_port) if trap_receiver and trap_port is not None else None
            jobs = [stop.wait(), delivery.run(), LeaseKeeper(server, outbox, fleet, sink, lease_s, probes).run()]
            tasks = [asyncio.ensure_future(job) for job in jobs]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                if port is not None:
                    port.close()
                await _shut_down(server, fleet, delivery, probes, tasks)
    finally:
        outbox.close()


async def _shut_down(
    server: ServerClient,
    fleet: Fleet,
    delivery: Delivery,
    probes: ProbeRequests | None,
    tasks: Sequence[asyncio.Future[object]],
) -> None:
    """Stop polling, give the devices back, deliver once more, and raise the error of a task that failed."""
    if probes is not None:
        await probes.stop()
    broken = [task.exception() for task in tasks if task.done() and not task.cancelled()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await fleet.stop()
    try:
        async with asyncio.timeout(_FAREWELL_S):
            await server.release()
            await delivery.flush()
    except (ServerError, OutboxError, TimeoutError):
        _LOG.info("undelivered readings stay in the outbox")
    for error in broken:
        if error is not None:
            raise error
