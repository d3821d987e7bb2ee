"""The demo facility as one process: agents on their sockets, the past week, and the batch scheduler."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from pathlib import Path

from collectors.contract import DAY_MS, wall_clock_ms
from collectors.errors import ServerDown
from collectors.simulator.agents import AgentSet
from collectors.simulator.api_client import ApiClient
from collectors.simulator.history import Progress, deliver, lacking
from collectors.simulator.plant import DEMO, Plant, read_hall
from collectors.simulator.scheduler import Scheduler

_STEP_S = 5.0
_log = logging.getLogger(__name__)


async def simulate(
    server_url: str,
    token: str | None,
    stop: asyncio.Event,
    history_days: float = 7,
    progress: Progress | None = None,
    hall_file: Path = DEMO,
) -> None:
    """Run the demo facility until `stop` is set.

    What the server lacks is found out before the agents answer their first poll: a live reading would hide that
    the time since the last one is missing. `progress` is called with readings delivered and readings in all.

    Raises
    ------
    ServerError
        The server does not take the history or the jobs.
    """
    plant = Plant(read_hall(hall_file))
    client = ApiClient(server_url, token)
    agents = AgentSet(plant, wall_clock_ms)
    try:
        if not await _until_ready(client, stop):
            return
        start_ms = wall_clock_ms()
        pieces = await lacking(client, plant, start_ms, history_days)
        await agents.start()
        if await _unless_stopped(stop, deliver(client, plant, pieces, start_ms, progress)):
            await _follow(Scheduler(client, plant, start_ms - round(history_days * DAY_MS)), stop)
    finally:
        await agents.stop()
        await client.close()


async def _until_ready(client: ApiClient, stop: asyncio.Event) -> bool:
    """Wait for the server; false when told to stop first."""
    while not stop.is_set():
        if await client.ready():
            return True
        await _pause(stop, 0.3)
    return False


async def _unless_stopped(stop: asyncio.Event, work: Coroutine[None, None, object]) -> bool:
    """Do some work; false when told to stop before it was done, and then it is given up."""
    task, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    await asyncio.wait({task, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if task.done():
        task.result()
        return True
    task.cancel()
    await asyncio.wait({task})
    return False


async def _follow(scheduler: Scheduler, stop: asyncio.Event) -> None:
    """Play the scheduler in live time; a server that is away for a while is waited for."""
    await scheduler.load()
    reachable = True
    while not stop.is_set():
        try:
            await scheduler.advance(wall_clock_ms())
            reachable = True
        except ServerDown as error:
            if reachable:
                _log.warning("the server does not answer (%s); jobs wait", error)
            reachable = False
        await _pause(stop, _STEP_S)


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return
