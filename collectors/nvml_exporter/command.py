"""`wattline nvml-exporter`: puts sampler, ring and HTTP together and runs until it is told to stop."""

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
ANYWHERE = "0.0.0.0"  # noqa: S104 -- it is read over the network, and changes nothing
TOKEN = "WATTLINE_EXPORTER_TOKEN"  # noqa: S105 -- the name of the variable
_MOST_ROWS = 100_000
_LOG = logging.getLogger(__name__)


@contextmanager
def exporting(
    library: GpuLibrary | None, host: str, port: int, interval_s: float, keep_minutes: float, token: str = ""
) -> Iterator[tuple[Exporter, int]]:
    """The exporter at work; yields it and its port.

    Raises
    ------
    ConfigError
        Too short an interval, too long or no time to keep, an address that cannot be listened on.
    """
    rows = _rows(interval_s, keep_minutes)
    ring = Ring(rows, wall_clock_ms())
    sampler = Sampler(library, ring, interval_s)
    beat = SamplingThread(sampler.sample, interval_s)
    try:
        server = ExporterServer((host, port), Exporter(sampler, ring, beat, token))
    except OSError as error:
        raise ConfigError(f"cannot listen on {host}:{port}: {error.strerror}", "choose another --port") from None
    listener = threading.Thread(target=server.serve_forever, args=(0.1,), name="http", daemon=True)
    beat.start()
    listener.start()
    try:
        yield server.exporter, server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        beat.stop()
        sampler.close()


def run(host: str, port: int, interval_s: float, keep_minutes: float) -> None:
    """Serve until SIGINT or SIGTERM. A node without a driver is served too: the driver may come later.

    Raises
    ------
    WrongPackage
        nvidia-ml-py is missing, or another package stands in its place.
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
        raise ConfigError(f"--interval {interval_s:g} s is too short", f"the least is {LEAST_INTERVAL_S} s")
    rows = ceil(60 * keep_minutes / interval_s) if keep_minutes > 0 else 0
    if not 1 <= rows <= _MOST_ROWS:
        raise ConfigError(f"--keep-minutes {keep_minutes:g} would keep {rows} samples", f"1 to {_MOST_ROWS}")
    return rows
