"""Logs of MLPerf Training: `node_k.txt` and `sw_k.txt` (power readings) and `result_N.txt` (time of the run).

All are MLLOG lines with epoch milliseconds. A node log holds `power_measurement_start`, `conversion_eff`,
`power_reading` [W] and `power_measurement_stop`; a switch log usually holds a constant estimate instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from app.domain.mlperf import READING, START, STOP, PowerLog
from app.errors import Invalid
from app.importers.mlperf.loadgen import LoadgenEvent, events
from app.importers.tables import MeterLog, Rows, power_series

FORMAT = "mlperf"
_KINDS = {"power_measurement_start": START, "power_reading": READING, "power_measurement_stop": STOP}


@dataclass(frozen=True)
class PowerFile:
    """The log of a node or switch, as rows to store and as the official rule reads it.

    Attributes
    ----------
    interconnect_w: the constant estimate of a switch log [W]; None without one.
    """

    log: MeterLog
    official: PowerLog
    interconnect_w: float | None


@dataclass(frozen=True)
class RunWindow:
    """Time and metadata of a training run."""

    start_ms: int
    stop_ms: int
    benchmark: str
    status: str


def read_power(text: str, source: str) -> PowerFile:
    """Read the log of a node or switch."""
    rows = Rows([power_series()])
    lines = text.count("\n") + (not text.endswith("\n") and bool(text))
    found = list(events(text))
    for event in found:
        if event.key == "power_reading":
            watts = _float(event.value)
            rows.reject("missing") if math.isnan(watts) else rows.add(round(event.t_ms), [watts])
    rows.rejected["unreadable"] += lines - len(found)
    estimate = next((_float(e.value) for e in found if e.key == "interconnect_power_est"), None)
    return PowerFile(rows.log(source, FORMAT), _official(found), estimate)


def read_window(text: str, source: str) -> RunWindow:
    """Return the time of the run: its first run_start and first run_stop.

    Raises
    ------
    Invalid
        The log lacks one of them.
    """
    first: dict[str, LoadgenEvent] = {}
    for event in events(text):
        first.setdefault(event.key, event)
    try:
        start, stop = first["run_start"], first["run_stop"]
    except KeyError as missing:
        raise Invalid(f"{source}: no {missing.args[0]}", "the run did not finish", code="no_window") from None
    status = stop.metadata.get("status", "") if isinstance(stop.metadata, dict) else ""
    benchmark = first["submission_benchmark"].value if "submission_benchmark" in first else ""
    return RunWindow(round(start.t_ms), round(stop.t_ms), str(benchmark), str(status))


def _official(found: Iterable[LoadgenEvent]) -> PowerLog:
    """Return the readings in file order, unfiltered."""
    kept = [e for e in found if e.key in _KINDS and not (e.key == "power_reading" and math.isnan(_float(e.value)))]
    efficiencies = [_float(e.value) for e in found if e.key == "conversion_eff"]
    return PowerLog(
        kind=np.array([_KINDS[e.key] for e in kept], dtype=np.int8),
        t_ms=np.array([e.t_ms for e in kept], dtype=np.float64),
        watts=np.array([_float(e.value) if e.key == "power_reading" else 0.0 for e in kept], dtype=np.float64),
        conversion_eff=efficiencies[-1] if efficiencies else 1.0,
    )


def _float(value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan
    return number if math.isfinite(number) else math.nan
