"""From a scripted GPU into the real server: exporter, collector and server each as they run, over real HTTP."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from app.server.application import create_app
from app.server.serving import Server
from app.services.energy.node_power import read_node_power
from app.services.stores import Stores
from app.settings import Settings
from app.store.facility import Device, Model, Node
from collectors.nvml_exporter.command import exporting
from collectors.nvml_exporter.sensors.nvml import Nvml, load_pynvml
from collectors.polling.runner import collect
from tests.nvml_exporter.fake_nvml import GPU_IS_LOST, Driver, installed
from tests.nvml_exporter.nodes import A, B, board

PATIENCE_S = 40.0
NODE = "n1-exporter"


@contextmanager
def server(engine, folder) -> Iterator[tuple[Stores, str]]:
    """The application behind uvicorn."""
    app = create_app(Settings(data_dir=folder), engine=engine)
    running = Server(app, host="127.0.0.1", port=0)
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        until(lambda: running.started)
        port = running.servers[0].sockets[0].getsockname()[1]
        yield app.state.stores, f"http://127.0.0.1:{port}"
    finally:
        running.should_exit = True
        thread.join()


@contextmanager
def collector(url: str, outbox) -> Iterator[None]:
    stop = asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def work() -> None:
        loops.append(asyncio.get_running_loop())
        await collect(url, None, "west", outbox, stop)

    thread = threading.Thread(target=lambda: asyncio.run(work()))
    thread.start()
    try:
        yield
    finally:
        until(lambda: bool(loops))
        loops[0].call_soon_threadsafe(stop.set)
        thread.join()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


@pytest.fixture
def gpus() -> Iterator[Driver]:
    with installed(Driver([board(A, 400.0), board(B, 300.0)])) as driver:
        yield driver


def stored(stores: Stores, key: str, start_ms: int) -> list[int]:
    samples = stores.frames.read([key], start_ms, start_ms + 3_600_000)[key]
    return [t for t in samples.t_ms.tolist() if t >= start_ms]


def test_every_sample_arrives_though_the_poll_is_ten_times_slower(sqlite_engine, tmp_path, gpus):
    with (
        exporting(Nvml(load_pynvml()), "127.0.0.1", 0, 0.1, 5) as (exporter, port),
        server(sqlite_engine, tmp_path) as (stores, url),
    ):
        address = f"http://127.0.0.1:{port}/metrics"
        exporter_device = Device(
            key=NODE, kind="exporter", node="n1", profile="wattline-nvml", address=address, interval_s=1.0
        )
        stores.facility.upsert([Model(key="m", rated_w=2000.0), Node(key="n1", model="m"), exporter_device])
        start_ms, key = exporter.ring.start_ms, f"{NODE}/gpu/0:power"
        with collector(url, tmp_path / "outbox.sqlite"):
            until(lambda: len(stored(stores, key, start_ms)) >= 25)
            gpus.boards[1].broken = GPU_IS_LOST
            until(
                lambda: [e for e in stores.health.events(None, start_ms, start_ms + 3_600_000) if e.kind == "gpu_lost"]
            )
            last_ms = exporter.ring.last.t_ms
            until(lambda: stored(stores, key, start_ms)[-1] >= last_ms)
        sampled = [row.t_ms for row in exporter.ring.since("", 100_000).rows if row.t_ms <= last_ms]
        assert [t for t in stored(stores, key, start_ms) if t <= last_ms] == sampled
        values = stores.frames.read([key], start_ms, last_ms)[key]
        assert values.v.tolist() == pytest.approx([400.0] * len(values.v))
        assert set(values.moments.tau_ms.tolist()) == {100}
        lost = next(e for e in stores.health.events(None, start_ms, last_ms + 1) if e.kind == "gpu_lost")
        assert (lost.device, lost.severity) == (NODE, "critical")
        assert start_ms < lost.t_ms <= last_ms
        assert max(stored(stores, f"{NODE}/gpu/1:power", start_ms)) < lost.t_ms
        power = read_node_power(stores, "n1", start_ms + 500, start_ms + 1500)
        assert power.source == "components"
        assert power.total.v.tolist() == pytest.approx([700.0] * len(power.total.v))  # the second sensors are not added
        assert power.total.covered_ms > 0
