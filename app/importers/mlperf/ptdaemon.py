"""Logs of the SPEC PTDaemon (`spl.txt`): one line a second from a power analyser with one or more channels.

`Time,07-28-2025 15:17:09.908,Watts,2890.0,Volts,210.1,Amps,4.672,PF,0.98,Mark,…[,Ch1,Watts,…,PF,…]…`. With several
channels `Watts` is their sum, `PF` is ΣW / ΣVA, and `Volts` and `Amps` are means over channels, so only the channels'
own are kept. A missing field is -1, a failed reading -2 in every field.

A total of exactly 0 W is a reading while any channel has voltage (a plugged-in node that is off); otherwise the meter
was not measuring and the row is dropped as `no_voltage`. A channel that never has a value is not connected.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from app.errors import Invalid
from app.importers.tables import MeterLog, Rows, clock_ms, localize
from collectors.contract import Quantity, Series

FORMAT = "spl"
_QUANTITIES = {
    "Watts": Quantity.POWER,
    "Volts": Quantity.VOLTAGE,
    "Amps": Quantity.CURRENT,
    "PF": Quantity.POWER_FACTOR,
}
_SENTINELS = (-1.0, -2.0)
_CHANNEL = re.compile(r"Ch(\d+)")


@dataclass(frozen=True)
class _Shape:
    """Positions of the fields of a line."""

    length: int
    labels: tuple[tuple[int, str], ...]
    values: tuple[int, ...]
    series: tuple[Series, ...]

    def fits(self, fields: Sequence[str]) -> bool:
        return len(fields) == self.length and all(fields[i] == name for i, name in self.labels)


def read_ptdaemon(text: str, source: str, tz: ZoneInfo) -> MeterLog:
    """Read the log in `text`.

    Raises
    ------
    Invalid
        It has no line of PTDaemon.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    shape = _shape(lines, source)
    rows = Rows(shape.series)
    whole = text.endswith("\n")
    naive, values = [], []
    for number, line in enumerate(lines):
        parsed = _row(line.rstrip("\r").split(","), shape)
        if parsed is None or (number == len(lines) - 1 and not whole):
            rows.reject("unreadable" if whole or number < len(lines) - 1 else "torn")
            continue
        naive.append(parsed[0])
        values.append(parsed[1])
    _add(rows, naive, values, tz)
    return _separated(rows.log(source, FORMAT))


def mark_ms(text: str) -> int:
    """Parse a time of PTDaemon or LoadGen, `07-28-2025 15:17:09.908`, as if it were UTC [ms].

    Raises
    ------
    ValueError
        It has another format.
    """
    day, _, clock = text.strip().partition(" ")
    month, date, year = day.split("-")
    hour, minute, rest = clock.split(":")
    second, _, fraction = rest.partition(".")
    ms = round(int(fraction) / 10 ** len(fraction) * 1000) if fraction else 0
    return clock_ms(int(year), int(month), int(date), int(hour), int(minute), int(second), ms)


def raw_watts(text: str, tz: ZoneInfo) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return times [ms] and watts of every line unchanged, with errors, zeros and repeated times."""
    naive, watts = [], []
    for line in text.split("\n"):
        fields = line.split(",")
        if fields[0] == "Time" and len(fields) > 3:
            with contextlib.suppress(ValueError):
                row = mark_ms(fields[1]), float(fields[3])
                naive.append(row[0])
                watts.append(row[1])
    local = localize(np.array(naive, dtype=np.int64), tz)
    good = np.array([reason is None for reason in local.reasons], dtype=np.bool_)
    return local.utc_ms[good], np.array(watts, dtype=np.float64)[good]


def _shape(lines: Sequence[str], source: str) -> _Shape:
    """Return the layout of the most frequent kind of line, so that an incomplete first line has no effect."""
    split = [line.rstrip("\r").split(",") for line in lines]
    good = [fields for fields in split if fields[0] == "Time" and len(fields) > 3 and fields[2] == "Watts"]
    if not good:
        raise Invalid(f"{source}: no line of a PTDaemon log", "its lines begin with Time,<time>,Watts,", code="bad_log")
    length = Counter(len(fields) for fields in good).most_common(1)[0][0]
    fields = next(f for f in good if len(f) == length)
    labels, values, series = [(0, "Time")], [], []
    point, at = "total", 2
    while at < length:
        channel = _CHANNEL.fullmatch(fields[at])
        labels.append((at, fields[at]))
        if channel:
            point = f"ch/{channel[1]}"
        elif fields[at] in _QUANTITIES and at + 1 < length:
            values.append(at + 1)
            series.append(Series(point, _QUANTITIES[fields[at]]))
        at += 1 if channel else 2
    return _Shape(length, tuple(labels), tuple(values), tuple(series))


def _row(fields: Sequence[str], shape: _Shape) -> tuple[int, list[float]] | None:
    if not shape.fits(fields):
        return None
    try:
        return mark_ms(fields[1]), [_value(fields[i]) for i in shape.values]
    except ValueError:
        return None


def _value(text: str) -> float:
    value = float(text)
    return math.nan if value in _SENTINELS or not math.isfinite(value) else value


def _add(rows: Rows, naive: list[int], values: list[list[float]], tz: ZoneInfo) -> None:
    local = localize(np.array(naive, dtype=np.int64), tz)
    power = next(i for i, s in enumerate(rows.series) if s.key == "total:power")
    volts = [i for i, s in enumerate(rows.series) if s.quantity is Quantity.VOLTAGE]
    for t_ms, reason, row in zip(local.utc_ms.tolist(), local.reasons, values, strict=True):
        if reason is not None:
            rows.reject(reason)
        elif math.isnan(row[power]):
            rows.reject("meter_error")
        elif row[power] == 0 and volts and not any(row[i] > 0 for i in volts):
            rows.reject("no_voltage")
        else:
            rows.add(t_ms, row)


def _separated(log: MeterLog) -> MeterLog:
    """Return the log without unconnected channels and, with several channels, without the means over them."""
    points = {c.series.point for c in log.columns}
    wired = {c.series.point for c in log.columns if bool(np.nansum(np.abs(c.values)) > 0)} | {"total"}
    means = {Quantity.VOLTAGE, Quantity.CURRENT} if len(points) > 1 else set()
    return replace(
        log,
        columns=tuple(
            c
            for c in log.columns
            if c.series.point in wired and not (c.series.point == "total" and c.series.quantity in means)
        ),
    )
