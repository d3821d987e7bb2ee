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

from tests.torture.rig import Rig

FAULT_S = 10.0
WITHIN_S = 120.0


@dataclass(frozen=True)
class Outcome:
    """What a fault did. `lost`: polls of all devices that have no frame, of those `expected` in the time."""

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


FAULTS = {
    "none, to compare with": nothing,
    "server killed": server_killed,
    "collector killed": collector_killed,
    "server and collector killed": everything_killed,
    "all devices silent": devices_silent,
    "database locked by another process": database_locked,
    "disk full (database and outbox)": disk_full,
    "20 % of datagrams lost, 20 % twice": packets_lost,
}


def suffer(rig, name):
    """Let a fault last, end it, wait for recovery, and compare what is stored with a frame a second."""
    began_s = time.time()
    with FAULTS[name](rig):
        time.sleep(FAULT_S)
    ended_s = time.time()
    recovery_s = rig.until_all_since(round(1000 * ended_s), WITHIN_S)
    time.sleep(10)  # the outbox delivers what it kept
    gaps, doubled = [], 0
    for times in rig.times(round(1000 * (began_s - 5))).values():
        steps = [b - a for a, b in pairwise(times)]
        gaps += [step / 1000 for step in steps]
        doubled += len(times) - len(set(times))
    lost = sum(round(gap) - 1 for gap in gaps if gap > 1.5)
    return Outcome(name, recovery_s, max(gaps), lost, round(sum(gaps)), doubled)


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
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as name,
        small_disk(Path(name), 96) as is_small,
        Rig(Path(name), given.devices) as rig,
    ):
        rig.until_all_since(0, WITHIN_S)
        time.sleep(5)
        print(f"{given.devices} devices every second, each fault for {FAULT_S:g} s")
        print("| fault | recovered after | longest gap | polls missing | twice |\n|---|---|---|---|---|", flush=True)
        for fault in FAULTS:
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
