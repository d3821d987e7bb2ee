"""`make bench`: the time-series table beside a row per sample, in one run on the machine at hand."""

from __future__ import annotations

import os
import platform
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from app.domain.curve import from_samples
from app.domain.energy import energy_j
from app.domain.statistics import statistics as power_statistics
from app.store.chunks import seal
from app.store.engine import migrate, open_engine
from app.store.frames import FrameBatch, FrameStore
from collectors.frame import Layout, Quantity, Series
from tests.benchmarks import node_exporter
from tests.benchmarks.samples import START_MS, frames

N_FRAMES, N_SERIES = 8_640, 200
END_MS = START_MS + 10_000 * N_FRAMES


def seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """Median wall time of `work`."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def row(name: str, value: str, ratio: str = "") -> None:
    """One line of the table."""
    print(f"{name:<58}{value:>16}  {ratio}", flush=True)


def size_of(folder: Path) -> int:
    """Bytes of everything in the folder, journals included."""
    return sum(path.stat().st_size for path in folder.iterdir())


def settle(path: Path) -> None:
    """Give freed pages back and empty the journal, so that sizes compare."""
    connection = sqlite3.connect(path)
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def bench_store(quantum_w: float, folder: Path) -> None:
    """Write a day of one PDU, seal it, read it back; the same into a plain table of samples."""
    samples = N_FRAMES * N_SERIES
    t_ms, values = frames(N_FRAMES, N_SERIES, quantum_w)
    ours, plain = folder / "ours", folder / "plain"
    ours.mkdir()
    plain.mkdir()
    engine = open_engine(f"sqlite:///{ours / 'wattline.db'}")
    migrate(engine)
    store = FrameStore(engine)
    layout = Layout("pdu", "main", 10_000, tuple(Series(f"outlet/{i + 1}", Quantity.POWER) for i in range(N_SERIES)))
    batches = [FrameBatch(layout, t_ms[i : i + 360], values[i : i + 360]) for i in range(0, N_FRAMES, 360)]
    write_s = seconds(lambda: [store.write([batch]) for batch in batches])
    seal_s = seconds(lambda: seal(engine, END_MS + 10**9))
    key = "pdu/outlet/7:power"
    read_s = seconds(lambda: store.read([key], START_MS, END_MS), 15)
    engine.dispose()
    settle(ours / "wattline.db")

    peer = sqlite3.connect(plain / "rows.db")
    peer.execute("PRAGMA journal_mode = WAL")
    peer.execute("CREATE TABLE sample (series INTEGER, t INTEGER, v REAL, PRIMARY KEY (series, t)) WITHOUT ROWID")
    rows = [(s, int(t), float(v)) for s in range(N_SERIES) for t, v in zip(t_ms, values[:, s], strict=True)]
    peer_write_s = seconds(lambda: (peer.executemany("INSERT INTO sample VALUES (?, ?, ?)", rows), peer.commit()))
    query = "SELECT t, v FROM sample WHERE series = 6 ORDER BY t"
    peer_read_s = seconds(lambda: np.array(peer.execute(query).fetchall()), 15)
    peer.close()
    settle(plain / "rows.db")

    ours_b, plain_b = size_of(ours) / samples, size_of(plain) / samples
    print(
        f"\n{N_FRAMES} frames of {N_SERIES} values, steps of {quantum_w:g} W, SQLite; peer: a row per sample in SQLite"
    )
    row(
        "bytes a sample, sealed, everything on disk",
        f"{ours_b:.2f}",
        f"peer {plain_b:.2f}: {plain_b / ours_b:.1f} times ours",
    )
    row(
        "write as frames of 200, 360 a transaction",
        f"{samples / write_s / 1e6:.2f} M/s",
        f"peer, one bulk insert {samples / peer_write_s / 1e6:.2f} M/s",
    )
    row("seal", f"{samples / seal_s / 1e6:.2f} M/s")
    row(
        f"read one series of {N_FRAMES}",
        f"{read_s * 1e3:.2f} ms",
        f"peer {peer_read_s * 1e3:.2f} ms: {peer_read_s / read_s:.1f} times ours",
    )


def bench_domain() -> None:
    """Curve, energy and statistics of 100,000 samples."""
    t_ms, values = frames(100_000, 1, 1.0)
    tau = np.full(len(t_ms), 10_000, np.int64)
    curve = from_samples(t_ms, values[:, 0], tau, 3 * tau)
    end = int(t_ms[-1])
    print("\n100,000 samples of one series")
    row("samples to curve", f"{seconds(lambda: from_samples(t_ms, values[:, 0], tau, 3 * tau), 9) * 1e3:.2f} ms")
    row("energy", f"{seconds(lambda: energy_j(curve, START_MS, end), 9) * 1e3:.2f} ms")
    row(
        "statistics (median, p95, p99, max)",
        f"{seconds(lambda: power_statistics(curve, START_MS, end), 9) * 1e3:.2f} ms",
    )


def bench_exporter() -> None:
    """What the node exporter costs with eight scripted GPUs; see the module."""
    print(f"\nnvml-exporter, {node_exporter.GPUS} scripted GPUs, 10 minutes kept: our overhead, not NVML's")
    for interval_s in (0.5, 0.1):
        found = node_exporter.apart(interval_s)
        row(
            f"CPU of a core, every {interval_s:g} s, polled every 10 s",
            f"{100 * found['share']:.2f} %",
            f"{1e6 * found['sample_s']:.0f} us a sample, {found['memory_b'] / 1e6:.0f} MB",
        )


def main() -> None:
    """Print the table."""
    print(
        f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{time.strftime('%Y-%m-%d')}"
    )
    for quantum_w in (1.0, 0.001):
        with tempfile.TemporaryDirectory() as folder:
            bench_store(quantum_w, Path(folder))
    bench_domain()
    bench_exporter()


if __name__ == "__main__":
    main()
