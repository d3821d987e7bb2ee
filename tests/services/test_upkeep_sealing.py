from pathlib import Path

import numpy as np

from app.services.context import open_context
from app.services.upkeep import Upkeep, seal_rested
from app.settings import Settings
from app.store.engine import Engine
from app.store.frames import FrameBatch
from collectors.frame import Layout, Quantity, Series

WEEK_MS = 7 * 86_400_000
LAYOUT = Layout("pdu", "main", 60_000, (Series("inlet", Quantity.POWER),))


def test_what_is_settled_is_sealed_and_reads_the_same(engine: Engine, tmp_path: Path) -> None:
    context = open_context(Settings(data_dir=tmp_path), lambda: 3 * WEEK_MS, engine)
    t_ms = np.array([0, 60_000, 3 * WEEK_MS - 60_000], dtype=np.int64)
    context.frames.write([FrameBatch(LAYOUT, t_ms, np.array([[100.0], [200.0], [300.0]]))])
    assert seal_rested(context) == 2
    assert seal_rested(context) == 0
    samples = context.frames.read(["pdu/inlet:power"], 0, 3 * WEEK_MS)["pdu/inlet:power"]
    assert samples.t_ms.tolist() == t_ms.tolist()
    assert samples.v.tolist() == [100.0, 200.0, 300.0]


def test_the_thread_ends_when_the_server_stops(sqlite_engine: Engine, tmp_path: Path) -> None:
    context = open_context(Settings(data_dir=tmp_path), lambda: 0, sqlite_engine)
    upkeep = Upkeep(context)
    upkeep.start()
    context.stopping.set()
    upkeep.join()
