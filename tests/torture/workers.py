"""The processes that are killed. A batch is acknowledged when its number stands in the writer's ledger."""

import os
from functools import partial
from multiprocessing import parent_process
from pathlib import Path

from app.store.database.engine import open_engine
from app.store.timeseries import chunk_builder as windows
from app.store.timeseries import frame_writer as intake
from app.store.timeseries.codec import window_ms
from app.store.timeseries.compaction import seal
from app.store.timeseries.frames import FrameStore
from tests.torture.plan import FRAMES, T0, batches

WINDOW_FRAMES = 256


def acknowledged(ledger: Path) -> int:
    """How many batches of a writer were acknowledged."""
    return ledger.read_bytes().count(b"\n") if ledger.exists() else 0


def has_parent() -> bool:
    """Whether the test that started this process still runs: no worker outlives it."""
    parent = parent_process()
    return parent is None or parent.is_alive()


def write(url: str, writer: int, ledger: Path) -> None:
    """Deliver batch after batch, beginning with the first that was not acknowledged; every other one is a long run."""
    windows.window_ms = partial(window_ms, frames=WINDOW_FRAMES)
    frames = FrameStore(open_engine(url))
    batch = acknowledged(ledger)
    book = os.open(ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    while has_parent():
        intake.RUN_FRAMES = windows.RUN_FRAMES = FRAMES if batch % 2 else FRAMES + 1
        results = frames.write(batches(writer, batch))
        assert not any(result.conflicts for result in results)
        os.write(book, b"%d\n" % batch)
        batch += 1


def keep_sealing(url: str, ledgers: list[Path]) -> None:
    """Seal without rest, up to a little behind the writers: what comes late then meets a chunk."""
    engine = open_engine(url)
    while has_parent():
        behind = min(acknowledged(ledger) for ledger in ledgers) - 16
        seal(engine, T0 + 20_000 * max(0, behind), WINDOW_FRAMES)
