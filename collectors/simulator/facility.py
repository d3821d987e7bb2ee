"""The demo facility in one process: agents on their sockets, history of the past week, and the batch scheduler."""

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
from collectors.simulator.plant import DEMO, Plant, read_facility_layout
from collectors.simulator.scheduler import Scheduler

_STEP_S = 5.0
_log = logging.getLogger(__name__)


async def simulate(
    server_url: str,
    token: str | None,
    stop: asyncio.Event,
    history_days: float = 7,
    progress: Progress | None = None,
    facility_file: Path = DEMO,
) -> None:
    """Run the demo facility until `stop` is set.

    The missing history is determined before the agents answer their first poll, because a live reading would hide
    the gap since the last stored one. `progress` is called with the number of delivered readings and the total.

    Raises
    ------
    ServerError
        The server rejects the history or the jobs.
    """
    plant = Plant(read_facility_layout(facility_file))
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
    """Wait until the server is ready; return false if `stop` is set first."""
    while not stop.is_set():
        if await client.ready():
            return True
        await _pause(stop, 0.3)
    return False


async def _unless_stopped(stop: asyncio.Event, work: Coroutine[None, None, object]) -> bool:
    """Await `work`; return false and cancel it if `stop` is set first."""
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
    """Run the scheduler in real time; retry while the server is unreachable."""
    await scheduler.load()
    reachable = True
    while not stop.is_set():
        try:
            await scheduler.advance(wall_clock_ms())
            reachable = True
        except ServerDown as error:
            if reachable:
                _log.warning("server not reachable (%s); jobs are delayed", error)
            reachable = False
        await _pause(stop, _STEP_S)


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return
