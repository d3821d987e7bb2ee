"""Faults one after the other, and how long each takes to recover from: `python -m tests.torture.chaos`."""

import argparse
import contextlib
import os
import sqlite3
import subprocess
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tests.torture.postgres import Cluster, binaries
from tests.torture.rig import Rig, free_port

FAULT_S = 10.0
WITHIN_S = 120.0


@dataclass(frozen=True)
class Outcome:
    """What a fault did. `lost`: polls of all devices that have no frame, of those `expected` in the time.

    A poll that was stamped with a time before the fault is not lost.
    """

    fault: str
    recovery_s: float
    longest_gap_s: float
    lost: int
    expected: int
    doubled: int


@contextlib.contextmanager
def nothing(_rig):
    yield


@contextlib.contextmanager
def server_killed(rig):
    rig.kill("server")
    yield
    rig.start("server")


@contextlib.contextmanager
def collector_killed(rig):
    rig.kill("collector")
    yield
    rig.start("collector")


@contextlib.contextmanager
def everything_killed(rig):
    for name in ("collector", "server"):
        rig.kill(name)
    yield
    rig.start("server")
    rig.start("collector")


@contextlib.contextmanager
def devices_silent(rig):
    rig.kill("agents")
    yield
    rig.start("agents")


@contextlib.contextmanager
def database_locked(rig):
    connection = sqlite3.connect(rig.database, timeout=30, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    yield
    connection.execute("ROLLBACK")
    connection.close()


@contextlib.contextmanager
def disk_full(rig):
    filler = rig.folder / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(65536))
    yield
    filler.unlink()


@contextlib.contextmanager
def packets_lost(rig):
    rig.losses.write_text("0.2 0.2")
    yield
    rig.losses.write_text("0 0")


def clock(name, offset_s, *replay):
    """A fault: the clock of a process is set, and set right again; what was held back is delivered by an operator."""

    @contextlib.contextmanager
    def stepped(rig):
        rig.set_clock(name, offset_s)
        yield
        rig.set_clock(name, 0)
        time.sleep(5)  # the offset is measured with each renewal of the lease
        rig.replay(*replay)

    return stepped


@contextlib.contextmanager
def postgresql_frozen(rig):
    rig.cluster.freeze()
    yield
    rig.cluster.thaw()


@contextlib.contextmanager
def postgresql_stopped(rig):
    rig.cluster.stop()
    yield
    rig.cluster.start()


FAULTS = {
    "none, to compare with": nothing,
    "server killed": server_killed,
    "collector killed": collector_killed,
    "server and collector killed": everything_killed,
    "all devices silent": devices_silent,
    "database locked by another process": database_locked,
    "disk full (database and outbox)": disk_full,
    "20 % of datagrams lost, 20 % twice": packets_lost,
    "server's clock 120 s ahead": clock("server", 120),
    "server's clock 120 s behind": clock("server", -120),
    "collector's clock 120 s ahead": clock("collector", 120, "--shift"),
    "collector's clock 120 s behind": clock("collector", -120),
}
OF_POSTGRESQL = {
    "none, to compare with": nothing,
    "PostgreSQL frozen (SIGSTOP)": postgresql_frozen,
    "PostgreSQL stopped at once, started": postgresql_stopped,
    "server killed": server_killed,
}
AROUND_MS = 200_000
"""How far a wrong clock stamps readings away from their time, at most."""


def suffer(rig, name):
    """Let a fault last, end it, wait for recovery, and compare what is stored with a frame a second."""
    began_s = time.time()
    before_ms = round(1000 * (began_s - 5))
    earlier = stamped_before(rig, before_ms)
    with (OF_POSTGRESQL if rig.cluster else FAULTS)[name](rig):
        time.sleep(FAULT_S)
    ended_s = time.time()
    recovery_s = rig.until_all_since(round(1000 * ended_s), WITHIN_S)
    time.sleep(10)  # the outbox delivers what it kept
    gaps, doubled = [], 0
    for times in rig.times(before_ms).values():
        steps = [b - a for a, b in pairwise(times)]
        gaps += [step / 1000 for step in steps]
        doubled += len(times) - len(set(times))
    lost = sum(round(gap) - 1 for gap in gaps if gap > 1.5) - (stamped_before(rig, before_ms) - earlier)
    return Outcome(name, recovery_s, max(gaps), lost, round(sum(gaps)), doubled)


def stamped_before(rig, t_ms):
    """Return how many frames have a time shortly before another."""
    return sum(t < t_ms for times in rig.times(t_ms - AROUND_MS).values() for t in times)


@contextlib.contextmanager
def small_disk(folder, megabytes):
    """A file system of its own for the fault of a full disk; only root may make it."""
    if os.geteuid() != 0:
        yield False
        return
    size = f"size={megabytes}m"
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)], capture_output=True)
    try:
        yield made.returncode == 0
    finally:
        if made.returncode == 0:
            subprocess.run(["umount", "-l", str(folder)], check=False)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.torture.chaos")
    parser.add_argument("--devices", type=int, default=20)
    parser.add_argument("--engine", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--only", default="", help="the faults whose name contains this")
    given = parser.parse_args()
    of_postgresql = given.engine == "postgresql"
    if of_postgresql and binaries() is None:
        print("the server of PostgreSQL is not installed")
        return
    with (
        tempfile.TemporaryDirectory() as name,
        small_disk(Path(name), 96) as is_small,
        Cluster(free_port()) if of_postgresql else contextlib.nullcontext() as cluster,
        Rig(Path(name), given.devices, cluster) as rig,
    ):
        rig.until_all_since(0, WITHIN_S)
        time.sleep(5)
        print(f"{given.devices} devices every second, each fault for {FAULT_S:g} s")
        print("| fault | recovered after | longest gap | polls missing | twice |\n|---|---|---|---|---|", flush=True)
        for fault in (name for name in (OF_POSTGRESQL if of_postgresql else FAULTS) if given.only in name):
            print(line(rig, fault, is_small), flush=True)


def line(rig, fault, is_small):
    """The row of a fault in the table."""
    if fault.startswith("disk") and not is_small:
        return f"| {fault} | not run: only root can make a small file system | | | |"
    try:
        o = suffer(rig, fault)
    except AssertionError as problem:
        return f"| {fault} | did not recover: {problem} | | | |"
    return f"| {fault} | {o.recovery_s:.1f} s | {o.longest_gap_s:.1f} s | {o.lost} of {o.expected} | {o.doubled} |"


if __name__ == "__main__":
    main()
