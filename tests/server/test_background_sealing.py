from pathlib import Path

import numpy as np

from app.server.background_tasks import BackgroundTasks, seal_rested
from app.services.stores import open_stores
from app.settings import Settings
from app.store.database.engine import Engine
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series

WEEK_MS = 7 * 86_400_000
LAYOUT = Layout("pdu", "main", 60_000, (Series("inlet", Quantity.POWER),))


def test_what_is_settled_is_sealed_and_reads_the_same(engine: Engine, tmp_path: Path) -> None:
    stores = open_stores(Settings(data_dir=tmp_path), lambda: 3 * WEEK_MS, engine)
    t_ms = np.array([0, 60_000, 3 * WEEK_MS - 60_000], dtype=np.int64)
    stores.frames.write([FrameBatch(LAYOUT, t_ms, np.array([[100.0], [200.0], [300.0]]))])
    assert seal_rested(stores) == 2
    assert seal_rested(stores) == 0
    samples = stores.frames.read(["pdu/inlet:power"], 0, 3 * WEEK_MS)["pdu/inlet:power"]
    assert samples.t_ms.tolist() == t_ms.tolist()
    assert samples.v.tolist() == [100.0, 200.0, 300.0]


def test_the_thread_ends_when_the_server_stops(sqlite_engine: Engine, tmp_path: Path) -> None:
    stores = open_stores(Settings(data_dir=tmp_path), lambda: 0, sqlite_engine)
    tasks = BackgroundTasks(stores)
    tasks.start()
    stores.stopping.set()
    tasks.join()
