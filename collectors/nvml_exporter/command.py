"""`wattline nvml-exporter`: run sampler, ring and HTTP server until stopped."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil

from collectors.contract import wall_clock_ms
from collectors.errors import ConfigError
from collectors.nvml_exporter.ring import Ring
from collectors.nvml_exporter.sampler import Sampler
from collectors.nvml_exporter.sampling_thread import SamplingThread
from collectors.nvml_exporter.sensors import GpuLibrary, Nvml, load_pynvml
from collectors.nvml_exporter.server import Exporter, ExporterServer

LEAST_INTERVAL_S = 0.1
ANYWHERE = "0.0.0.0"  # noqa: S104 -- collectors read it over the network; it is read-only
TOKEN = "WATTLINE_EXPORTER_TOKEN"  # noqa: S105 -- the name of the variable
_MOST_ROWS = 100_000
_LOG = logging.getLogger(__name__)


@contextmanager
def exporting(
    library: GpuLibrary | None, host: str, port: int, interval_s: float, keep_minutes: float, token: str = ""
) -> Iterator[tuple[Exporter, int]]:
    """Run the exporter; yield it and its port.

    Raises
    ------
    ConfigError
        The interval is too short, the time to keep is too long or zero, or the address is not available.
    """
    rows = _rows(interval_s, keep_minutes)
    ring = Ring(rows, wall_clock_ms())
    sampler = Sampler(library, ring, interval_s)
    sampling = SamplingThread(sampler.sample, interval_s)
    try:
        server = ExporterServer((host, port), Exporter(sampler, ring, sampling, token))
    except OSError as error:
        raise ConfigError(f"cannot listen on {host}:{port}: {error.strerror}", "choose another --port") from None
    listener = threading.Thread(target=server.serve_forever, args=(0.1,), name="http", daemon=True)
    sampling.start()
    listener.start()
    try:
        yield server.exporter, server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        sampling.stop()
        sampler.close()


def run(host: str, port: int, interval_s: float, keep_minutes: float) -> None:
    """Serve until SIGINT or SIGTERM, also without a driver, which may be loaded later.

    Raises
    ------
    WrongPackage
        nvidia-ml-py is not installed, or another package shadows it.
    ConfigError
    """
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    library = Nvml(load_pynvml())
    with exporting(library, host, port, interval_s, keep_minutes, os.environ.get(TOKEN, "")) as (_, listening):
        _LOG.warning("http://%s:%d/metrics, every %g s, %g minutes kept", host, listening, interval_s, keep_minutes)
        stop.wait()


def _rows(interval_s: float, keep_minutes: float) -> int:
    if not interval_s >= LEAST_INTERVAL_S:
        raise ConfigError(f"--interval {interval_s:g} s is too short", f"the minimum is {LEAST_INTERVAL_S} s")
    rows = ceil(60 * keep_minutes / interval_s) if keep_minutes > 0 else 0
    if not 1 <= rows <= _MOST_ROWS:
        raise ConfigError(f"--keep-minutes {keep_minutes:g} would keep {rows} samples", f"1 to {_MOST_ROWS}")
    return rows
