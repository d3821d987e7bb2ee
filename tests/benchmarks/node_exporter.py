"""What `wattline nvml-exporter` costs a node, in a process of its own: `python -m tests.benchmarks.node_exporter`.

Eight scripted GPUs below NVIDIA's own nvidia-ml-py: sampling, ring, HTTP and Python's side of every NVML call are real,
the time inside NVML and the driver is not in it. The scripted library is Python too and counted: what is printed is
more than the exporter itself needs, and says nothing about NVML.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

from collectors.contract import wall_clock_ms
from collectors.nvml_exporter.ring import Ring
from collectors.nvml_exporter.sampler import Sampler
from collectors.nvml_exporter.sampling_thread import SamplingThread
from collectors.nvml_exporter.sensors.nvml import Nvml, load_pynvml
from collectors.nvml_exporter.server import Exporter, ExporterServer
from tests.benchmarks.bench import Bench
from tests.benchmarks.report import Section
from tests.nvml_exporter.fake_nvml import Board, Driver, installed

GPUS, KEEP_S, MEASURED_S, POLL_S = 8, 600, 20.0, 10.0


def cpu_s() -> float:
    """CPU time of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def most_memory_b() -> int:
    """The most memory this process has held; getrusage would tell that of the process it came from."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return 1024 * int(line.split()[1])


def measure(interval_s: float) -> dict[str, float]:
    """CPU share at this interval with a full ring and a poll every ten seconds, CPU of one sample, memory."""
    driver = Driver([Board(f"GPU-{n}", processes=[(1000 + n, 0)]) for n in range(GPUS)])
    with installed(driver):
        ring = Ring(round(KEEP_S / interval_s), wall_clock_ms())
        sampler = Sampler(Nvml(load_pynvml()), ring, interval_s)
        before = cpu_s()
        for _ in range(round(KEEP_S / interval_s)):
            sampler.sample()
            driver.calls.clear()
        sample_s = (cpu_s() - before) / round(KEEP_S / interval_s)
        beat = SamplingThread(sampler.sample, interval_s)
        server = ExporterServer(("127.0.0.1", 0), Exporter(sampler, ring, beat))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/samples"
        cursor = json.load(urllib.request.urlopen(url))["head"]
        beat.start()
        before, began = cpu_s(), time.monotonic()
        while time.monotonic() - began < MEASURED_S:
            time.sleep(POLL_S)
            cursor = json.load(urllib.request.urlopen(f"{url}?since={cursor}"))["cursor"]
        share = (cpu_s() - before) / (time.monotonic() - began)
        beat.stop()
        server.shutdown()
        server.server_close()
    return {"share": share, "sample_s": sample_s, "memory_b": most_memory_b()}


def apart(interval_s: float) -> dict[str, float]:
    """`measure` in a fresh process."""
    told = subprocess.run(
        [sys.executable, "-m", __name__, str(interval_s)], check=True, capture_output=True, text=True
    ).stdout
    return dict(json.loads(told))


def run(bench: Bench) -> list[Section]:
    """What it costs a node."""
    section = Section(
        f"nvml-exporter, {GPUS} scripted GPUs, 10 minutes kept", ("interval", "CPU of a core", "per sample", "memory")
    )
    section.notes.append("Polled every 10 s; overhead of the exporter without that of NVML.")
    for interval_s in (0.5,) if bench.quick else (0.5, 0.1):
        found = apart(interval_s)
        section.add(
            f"{interval_s:g} s",
            f"{100 * found['share']:.2f} %",
            f"{1e6 * found['sample_s']:.0f} µs",
            f"{found['memory_b'] / 1e6:.0f} MB",
        )
    return [section]


if __name__ == "__main__":
    print(json.dumps(measure(float(sys.argv[1]) if len(sys.argv) > 1 else 0.5)))
