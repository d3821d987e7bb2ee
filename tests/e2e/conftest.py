"""A real server with the demo facility's last day in it, and a real browser.

Everything goes in through the API, as a collector would bring it. No socket leaves 127.0.0.1.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, sync_playwright

from app.server.application import create_app
from app.server.serving import Server
from app.services.access.passwords import hash_password
from app.services.facility.apply_facility import apply_file
from app.services.stores import Stores
from app.settings import Settings
from app.store.access import User
from app.store.database import backup
from app.store.database.engine import migrate, open_engine
from collectors.contract import wall_clock_ms
from collectors.simulator.agents.agents import learn
from collectors.simulator.api_client import ApiClient
from collectors.simulator.history import HistorySlice, deliver
from collectors.simulator.plant.facility_layout import DEMO, read_facility_layout
from collectors.simulator.plant.plant import Plant
from collectors.simulator.scheduler import Scheduler

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium") or "/usr/bin/chromium"
"""The shell is the same engine without the user interface of Chromium, which costs CPU time for each window."""
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
PASSWORD = "correct horse battery"


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
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the last 25 hours of the demo facility, made by the first worker that needs it."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    file = folder / "demo.db"
    with (folder / "demo.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            with _served(tmp_path_factory.mktemp("filling")) as hall:
                apply_file(hall.stores, DEMO)
                aside(_fill(hall.url, hall.plant))
                backup(hall.stores.engine, file)
    return file


@pytest.fixture(scope="session")
def hall(tmp_path_factory: pytest.TempPathFactory, filled: Path) -> Iterator[Hall]:
    """The demo facility with its last 25 hours, one reading a minute, and its jobs."""
    folder = tmp_path_factory.mktemp("e2e")
    shutil.copy(filled, folder / "wattline.db")
    with _served(folder) as found:
        yield found


@pytest.fixture(scope="session")
def researcher(hall: Hall) -> str:
    """An account, also of an administrator, of the user whose job on hgx-01 began first; its password is PASSWORD."""
    jobs = hall.stores.jobs.overlapping(["hgx-01"], 0, 2**52)
    name = min(jobs, key=lambda job: job.start_ms).user
    assert name
    roles = ("researcher", "admin")
    assert hall.stores.users.create(User(name, roles, label="Ada Lovelace", password=hash_password(PASSWORD)))
    return name


@contextmanager
def _served(folder: Path) -> Iterator[Hall]:
    ops = {"name": "ops", "form": "slack", "url": "http://127.0.0.1:1/hook", "level": "crit", "quiet": "22:00-07:00"}
    settings = Settings(data_dir=folder, alert_receivers=[ops])
    engine = open_engine(settings.database_url)
    migrate(engine)
    app = create_app(settings, engine=engine)
    server = Server(app, host="127.0.0.1", port=0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    _wait_for(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield Hall(f"http://127.0.0.1:{port}", app.state.stores, Plant(read_facility_layout()))
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
    """Debian's Chromium, without a profile and without background traffic.

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
