"""A node to sample by hand: scripted boards, a clock that a test moves, files like those of /proc and /sys."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from collectors.nvml_exporter.ring import ExporterEvent, Ring
from collectors.nvml_exporter.sampler import Sampler
from collectors.nvml_exporter.sampling_thread import SamplingThread
from collectors.nvml_exporter.sensors.job_owner import JobOwners
from collectors.nvml_exporter.sensors.nvml import Nvml, load_pynvml
from collectors.nvml_exporter.sensors.rapl import zones
from collectors.nvml_exporter.server import Exporter, ExporterServer
from tests.nvml_exporter.fake_nvml import AVERAGE, ENERGY, INSTANT, Board, Driver

START_MS = 1_795_000_000_000
A, B = "GPU-a0000000", "GPU-b0000000"


@dataclass
class Time:
    """Wall and monotonic clock, moved together."""

    wall_ms: int = START_MS
    monotonic_s: float = 100.0

    def wall(self) -> int:
        return self.wall_ms

    def monotonic(self) -> float:
        return self.monotonic_s

    def pass_s(self, seconds: float) -> None:
        self.wall_ms += round(1000 * seconds)
        self.monotonic_s += seconds


@dataclass
class Node:
    """A node with `boards`, sampled every half second; `step` lets time pass and samples."""

    driver: Driver
    folder: Path
    rows: int = 500
    time: Time = field(default_factory=Time)
    library: bool = True

    def __post_init__(self) -> None:
        self.ring = Ring(self.rows, START_MS)
        self.sampler = Sampler(
            Nvml(load_pynvml()) if self.library else None,
            self.ring,
            0.5,
            JobOwners(self.folder / "proc"),
            lambda: zones(self.folder / "powercap"),
            self.time.wall,
            self.time.monotonic,
        )

    def step(self, times: int = 1, watts: float = 0.0, seconds: float = 0.5) -> None:
        """Samples, `seconds` after the one before; `watts` is what every counter gains meanwhile."""
        for _ in range(times):
            self.time.pass_s(seconds)
            for board in self.driver.boards:
                if ENERGY in board.fields:
                    board.fields[ENERGY] += round(1000 * watts * seconds)
            self.sampler.sample()

    def value(self, name: str) -> float:
        """A value of the newest row, by column name; NaN when there is no such column."""
        row = self.ring.last
        assert row is not None
        found = [v for column, v in zip(row.schema, row.values, strict=True) if column.name == name]
        return found[0] if found else math.nan

    def events(self) -> Sequence[ExporterEvent]:
        return self.ring.since("", 10_000).events

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events()]


def board(uuid: str = A, watts: float = 400.0, **more: object) -> Board:
    """An H100 that draws `watts`, by both sensors."""
    fields = {INSTANT: round(1000 * watts), AVERAGE: round(1000 * watts), ENERGY: 1_000_000}
    return Board(uuid, **{"fields": fields, **more})


def process(folder: Path, pid: int, cgroup: str) -> None:
    path = folder / "proc" / str(pid)
    path.mkdir(parents=True, exist_ok=True)
    (path / "cgroup").write_text(cgroup)


def zone(folder: Path, name: str, domain: str, energy_uj: int, range_uj: int = 262_143_328_850) -> Path:
    path = folder / "powercap" / name
    path.mkdir(parents=True, exist_ok=True)
    (path / "name").write_text(f"{domain}\n")
    (path / "energy_uj").write_text(f"{energy_uj}\n")
    (path / "max_energy_range_uj").write_text(f"{range_uj}\n")
    return path


@contextmanager
def serving(node: Node, token: str = "") -> Iterator[str]:
    """The node's exporter over HTTP, on the node's own clock; yields its URL."""
    sampling = SamplingThread(node.sampler.sample, 0.5)
    server = ExporterServer(("127.0.0.1", 0), Exporter(node.sampler, node.ring, sampling, token, node.time.wall))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
