"""A real server with the demo facility's last day in it, and a real browser.

Everything goes in through the API, as a collector would bring it. No socket leaves 127.0.0.1.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, sync_playwright

from app.server.application import create_app
from app.server.serving import Server
from app.services.facility.apply_facility import apply_file
from app.services.stores import Stores
from app.settings import Settings
from app.store.database.engine import migrate, open_engine
from collectors.contract import wall_clock_ms
from collectors.simulator.agents.agents import learn
from collectors.simulator.api_client import ApiClient
from collectors.simulator.history import HistorySlice, deliver
from collectors.simulator.plant.facility_layout import DEMO, read_facility_layout
from collectors.simulator.plant.plant import Plant
from collectors.simulator.scheduler import Scheduler
from tests.paths import ROOT

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-features=PreloadTopChromeWebUI",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DAY_MS = 86_400_000
PATIENCE_S = 30.0


def aside(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end in a thread of its own: playwright keeps a loop running in ours."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


@dataclass(frozen=True)
class Hall:
    """A running server and the plant that fills it."""

    url: str
    stores: Stores
    plant: Plant

    def poll(self, device: str) -> None:
        """Deliver what a device reads now, as a live poll would."""
        aside(self._poll(device))

    async def _poll(self, device: str) -> None:
        now = wall_clock_ms()
        learned = await learn(self.plant, self.plant.facility.devices[device], now)
        readings = self.plant.readings(device, np.array([now], np.int64))
        client = ApiClient(self.url)
        for layout in learned.layouts:
            row = [
                learned.encoded[s.point, s.quantity].read_back(readings[s.point, s.quantity])[0] for s in layout.series
            ]
            await client.ingest(layout, np.array([now], np.int64), np.array([row]))
        await client.close()


@pytest.fixture(scope="session")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """The demo facility with its last 25 hours, one reading a minute, and its jobs."""
    ops = {"name": "ops", "form": "slack", "url": "http://127.0.0.1:1/hook", "level": "crit", "quiet": "22:00-07:00"}
    settings = Settings(data_dir=tmp_path_factory.mktemp("e2e"), alert_receivers=[ops])
    engine = open_engine(settings.database_url)
    migrate(engine)
    app = create_app(settings, engine=engine)
    server = Server(app, host="127.0.0.1", port=0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    _wait_for(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    plant = Plant(read_facility_layout())
    apply_file(app.state.stores, DEMO)
    aside(_fill(f"http://127.0.0.1:{port}", plant))
    yield Hall(f"http://127.0.0.1:{port}", app.state.stores, plant)
    server.should_exit = True
    thread.join(PATIENCE_S)
    engine.dispose()


async def _fill(url: str, plant: Plant) -> None:
    now = wall_clock_ms()
    start = now - 25 * DAY_MS // 24
    client = ApiClient(url)
    await deliver(client, plant, [HistorySlice(device, start, now) for device in plant.facility.devices], now)
    scheduler = Scheduler(client, plant, start)
    await scheduler.load()
    await scheduler.advance(now)
    await client.close()


def _wait_for(ready) -> None:
    end = time.monotonic() + PATIENCE_S
    while not ready():
        if time.monotonic() > end:
            pytest.fail("the server did not start")
        time.sleep(0.02)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium, without a profile and without background traffic.

    For a module, not for the session: while playwright is open its loop runs in this thread, and no async test can.
    """
    if not Path(CHROMIUM).exists():
        reason = f"no chromium at {CHROMIUM}: install it to see the pages tested"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield found
        found.close()


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where the pictures go: to be opened, not compared."""
    folder = Path(os.environ.get("WATTLINE_SCREENSHOTS") or ROOT / "var" / "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
