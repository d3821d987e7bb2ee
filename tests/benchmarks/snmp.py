"""What polling SNMP costs, from the socket to the acknowledged frame, beside Debian's prometheus-snmp-exporter and
prometheus on the same agents in the same run; and a thousand agents on one collector process.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import uvloop

from app.server.launch import apply_facility
from app.settings import Settings
from app.store.database.engine import migrate, open_engine
from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.profiles.registry import find
from collectors.protocols.snmp.driver import SnmpDriver
from collectors.protocols.snmp.plan import make_plan
from tests.benchmarks.bench import Bench, free_port
from tests.benchmarks.report import Section, times
from tests.collectors.agents import APC

OUTLETS, INTERVAL_S, EVERY_S, TICK_HZ = 24, 10, 5, os.sysconf("SC_CLK_TCK")
UPKEEP_S = 65
"""The minute tier is brought up to date so often."""
COLUMNS = {"current": 6, "power": 7, "energy": 11}
SINGLE = {
    "inlet_power": "4.3.1.5",
    "inlet_apparent_power": "4.3.1.16",
    "inlet_energy": "4.3.1.9",
    "l1_current": "6.3.1.5",
}
WATTLINE = str(Path(sys.executable).with_name("wattline"))


def run(bench: Bench) -> list[Section]:
    """Both tables."""
    return [against_prometheus(bench), many(bench)]


def cpu_s(pid: int) -> float:
    """CPU time of a process, its threads included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK_HZ


def most_memory_mb(pid: int) -> float:
    """The most memory a process has held."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


@contextlib.contextmanager
def process(command: list[str], **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process, stopped at the end."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = subprocess.Popen(command, env=os.environ | environment, **quiet)
    try:
        yield started
    finally:
        started.terminate()
        try:
            started.wait(20)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


@contextlib.contextmanager
def agents() -> Iterator[int]:
    """The agents; yields their port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    command = [sys.executable, "-m", "tests.benchmarks.agents.snmp_agents", str(port), str(OUTLETS)]
    started = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert started.stdout is not None
    started.stdout.readline()
    try:
        yield port
    finally:
        started.kill()
        started.wait()


def hosts(count: int) -> list[str]:
    """Addresses of this machine, one an agent."""
    return [f"127.{1 + n // 62_500}.{n // 250 % 250}.{n % 250 + 1}" for n in range(count)]


@dataclass
class Ours:
    """Server and collector at work."""

    server: int
    collector: int
    database: Path

    def frames(self) -> list[tuple[str, int]]:
        """Device and time of every frame stored so far, of the main group."""
        query = "SELECT device, t_ms FROM frame JOIN stream ON stream.id = stream_id WHERE group_name = 'main'"
        with contextlib.closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            return connection.execute(query).fetchall()

    def devices(self) -> int:
        """How many devices have answered."""
        return len({device for device, _ in self.frames()})


@contextlib.contextmanager
def ours(bench: Bench, port: int, count: int, interval_s: float) -> Iterator[Ours]:
    """A server and a collector that polls so many agents; begins when all have answered."""
    folder = bench.new_folder()
    settings = Settings(data_dir=folder)
    engine = open_engine(settings.database_url)
    migrate(engine)
    engine.dispose()
    lines = ['[site]\nkey = "bench"']
    for n, host in enumerate(hosts(count)):
        where = f'profile = "apc-rpdu2"\naddress = "snmp://{host}:{port}"\ninterval_s = {interval_s}\ntimeout_s = 5'
        lines.append(f"[devices.pdu-{n}]\n{where}")
    facility = folder / "facility.toml"
    facility.write_text("\n".join(lines))
    apply_facility(settings, facility, dry_run=False)
    http = free_port()
    url = f"http://127.0.0.1:{http}"
    told = {"WATTLINE_DATA_DIR": str(folder), "WATTLINE_URL": url}
    with process([WATTLINE, "serve", "--local", "--port", str(http)], **told) as server:
        await_url(f"{url}/healthz", server)
        with process([WATTLINE, "collect"], **told) as collector:
            found = Ours(server.pid, collector.pid, folder / "wattline.db")
            end = time.monotonic() + 60 + count * 0.2
            while found.devices() < count:
                if time.monotonic() > end:
                    raise RuntimeError(f"only {found.devices()} of {count} agents answered")
                time.sleep(1.0)
            yield found


def await_url(url: str, server: subprocess.Popen[bytes] | None = None) -> None:
    """Wait until it answers; a busy machine takes a minute to start a server."""
    end = time.monotonic() + 240
    while time.monotonic() < end:
        if server is not None and server.poll() is not None:
            raise RuntimeError(f"the server of {url} ended with status {server.returncode}")
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2):
            return
        time.sleep(0.05)
    raise RuntimeError(f"nothing answers at {url}")


@dataclass(frozen=True)
class Cost:
    """CPU a value [s] of the two processes of either side: who asks the agents, and who stores."""

    asking: float
    storing: float

    @property
    def together(self) -> float:
        """Both."""
        return self.asking + self.storing


def against_prometheus(bench: Bench) -> Section:
    """CPU a value of both, on the same agents one after the other."""
    counts, length_s = ((10,), 15) if bench.quick else ((40, 200), UPKEEP_S)
    with agents() as port:
        decoding, planning, values = in_process(port)
    section = Section(
        f"SNMP: CPU per value, agents with {values} values every {EVERY_S} s",
        ("", *(f"{count} agents" for count in counts)),
        [
            "From the socket to the acknowledged frame: collector and server, compared with prometheus-snmp-exporter "
            "and prometheus with their default settings, which read the same values of the same agents: the three "
            f"columns of outlets by bulk walks, the other {values - 3 * OUTLETS} by one get. CPU time of the processes "
            f"without the agents, over {length_s} s, which includes a minute of the server's background tasks."
        ],
    )
    ours_, theirs = zip(*(beside_prometheus(bench, count, length_s, values) for count in counts), strict=True)
    rows: dict[str, Callable[[Cost], float]] = {
        "Wattline, collector and server": lambda cost: cost.together,
        "… requests and decoding, without pauses": lambda _: decoding,
        "… planning, once an hour": lambda _: planning,
        "… schedule, waiting, outbox, delivery": lambda cost: max(0.0, cost.asking - decoding - planning),
        "… storing": lambda cost: cost.storing,
    }
    for label, part in rows.items():
        section.add(label, *(us(part(cost)) for cost in ours_))
    if None in theirs:
        section.notes.append("prometheus-snmp-exporter and prometheus are not installed: no comparison.")
        return section
    against = [us(t.together) + times(t.together, o.together) for t, o in zip(theirs, ours_, strict=True)]
    section.add("snmp-exporter and prometheus", *against)
    section.add("… snmp-exporter", *(us(cost.asking) for cost in theirs))
    section.add("… prometheus", *(us(cost.storing) for cost in theirs))
    return section


def beside_prometheus(bench: Bench, count: int, length_s: int, values: int) -> tuple[Cost, Cost | None]:
    """Ours and, where they are installed, theirs, on so many agents."""
    with agents() as port:
        with ours(bench, port, count, EVERY_S) as at_work:
            before = cpu_s(at_work.collector), cpu_s(at_work.server), len(at_work.frames())
            time.sleep(length_s)
            read = (len(at_work.frames()) - before[2]) * values
            used = cpu_s(at_work.collector) - before[0], cpu_s(at_work.server) - before[1]
        return Cost(used[0] / read, used[1] / read), prometheus(bench, port, count, length_s, values)


def us(seconds: float) -> str:
    """`12.3 µs`."""
    return f"{1e6 * seconds:.3g} µs"


def in_process(port: int) -> tuple[float, float, int]:
    """CPU a value of asking and decoding alone, and of planning where a plan lasts an hour; values of an agent."""

    async def measure() -> tuple[float, float, int]:
        device = PolledDevice("pdu", "apc-rpdu2", Address.parse(f"snmp://127.0.0.1:{port}"))
        profile = find("apc-rpdu2")
        assert profile.protocol == "snmp"
        driver = SnmpDriver(device, profile.model_copy(update={"max_packets_s": 1e6}))
        await driver.open()
        polls, began = 200, used_s()
        for _ in range(polls):
            (frame,) = (await driver.read({"main"})).frames
        asking = (used_s() - began) / polls / len(frame.values)
        columns = await driver._scalars() | await driver._columns()
        plans, began = 20, used_s()
        for _ in range(plans):
            make_plan(profile, columns)
        planning = (used_s() - began) / plans / len(frame.values) / (3600 / EVERY_S)
        return asking, planning, len(frame.values)

    return uvloop.run(measure())


def used_s() -> float:
    """CPU time of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def prometheus(bench: Bench, port: int, count: int, length_s: float, values: int) -> Cost | None:
    """CPU a value of exporter and server; None where they are not installed."""
    exporter, server = shutil.which("prometheus-snmp-exporter"), shutil.which("prometheus")
    if exporter is None or server is None:
        print("  no prometheus-snmp-exporter or no prometheus here: apt-get install them to compare", flush=True)
        return None
    folder, asked, answering = bench.new_folder(), free_port(), free_port()
    entry = f"{APC}.9.4.3.1"
    objects = {f"outlet_{name}": f"{entry}.{column}" for name, column in COLUMNS.items()}
    objects |= {name: f"{APC}.{column}" for name, column in SINGLE.items()}
    metrics = "".join(
        f"  - name: {name}\n    oid: {oid}\n    type: gauge\n    help: {name}\n"
        f"    indexes:\n    - labelname: number\n      type: gauge\n"
        for name, oid in objects.items()
    )
    walked = "".join(f"  - {entry}.{column}\n" for column in COLUMNS.values())
    asked_for = "".join(f"  - {APC}.{column}.1\n" for column in SINGLE.values())
    (folder / "snmp.yml").write_text(
        f"pdu:\n  walk:\n{walked}  get:\n{asked_for}  metrics:\n{metrics}  version: 2\n  max_repetitions: 25\n"
    )
    targets = ", ".join(f'"{host}:{port}"' for host in hosts(count))
    (folder / "prometheus.yml").write_text(
        f"global: {{scrape_interval: {EVERY_S}s}}\nscrape_configs:\n- job_name: snmp\n  metrics_path: /snmp\n"
        f"  params: {{module: [pdu]}}\n  static_configs: [{{targets: [{targets}]}}]\n  relabel_configs:\n"
        "  - {source_labels: [__address__], target_label: __param_target}\n"
        "  - {source_labels: [__param_target], target_label: instance}\n"
        f"  - {{target_label: __address__, replacement: '127.0.0.1:{asked}'}}\n"
    )
    first = [exporter, f"--config.file={folder / 'snmp.yml'}", f"--web.listen-address=127.0.0.1:{asked}"]
    second = [
        server, f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{answering}",
    ]  # fmt: skip
    with process(first) as one, process(second) as two:
        await_url(f"http://127.0.0.1:{answering}/-/ready")
        time.sleep(2 * EVERY_S)
        before = cpu_s(one.pid), cpu_s(two.pid), appended(answering)
        time.sleep(length_s)
        after = cpu_s(one.pid), cpu_s(two.pid), appended(answering)
    read = (after[2] - before[2]) * values / (values + SCRAPE_EXTRAS)
    return Cost((after[0] - before[0]) / read, (after[1] - before[1]) / read)


SCRAPE_EXTRAS = 10
"""Samples of a scrape that are no values of the device: five of the exporter's own, five of Prometheus'."""


def appended(port: int) -> float:
    """Samples that Prometheus has stored since it started."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    return sum(
        float(line.split()[-1]) for line in lines if line.startswith("prometheus_tsdb_head_samples_appended_total")
    )


def many(bench: Bench) -> Section:
    """A thousand agents on one collector process."""
    count, length_s = (100, 20) if bench.quick else (1000, 120)
    section = Section(
        f"SNMP: {count} agents every {INTERVAL_S} s on one collector process",
        ("", "measured", "goal"),
        ["Lateness: from the scheduled time of a poll to the middle of its answers, for every stored frame."],
    )
    with agents() as port, ours(bench, port, count, INTERVAL_S) as at_work:
        before, began_ms = cpu_s(at_work.collector), time.time_ns() // 1_000_000
        time.sleep(length_s)
        used = (cpu_s(at_work.collector) - before) / length_s
        memory_mb = most_memory_mb(at_work.collector)
        time.sleep(2.0)
        frames = [(device, t) for device, t in at_work.frames() if t >= began_ms]
    late_ms = np.array([(t - zlib.crc32(device.encode())) % (1000 * INTERVAL_S) for device, t in frames], float)
    expected = count * length_s / INTERVAL_S
    section.add("CPU of one core", f"{100 * used:.1f} %", "< 60 %")
    section.add("memory, at most", f"{memory_mb:.0f} MB", "< 250 MB")
    section.add("lateness, median", f"{np.median(late_ms):.0f} ms")
    section.add("lateness, p99", f"{np.quantile(late_ms, 0.99):.0f} ms", "< 1000 ms")
    section.add("frames delivered", f"{len(frames)} of {expected:.0f} due")
    return section
