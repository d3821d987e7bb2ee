"""Logs of `nvidia-smi --query-gpu=timestamp,index,uuid,power.draw,… --format=csv -l 1`, one line per GPU.

Header names carry the unit, `power.draw [W]`; cells too unless `nounits`; `[N/A]` and `[Not Supported]` are missing.
Times are local times of the host. Every GPU becomes a group `gpu-<index>` with its own times.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from app.errors import Invalid
from app.importers.tables import MeterLog, Rows, number, read_table, read_times
from collectors.contract import Quantity, Series

FORMAT = "nvidia-smi"
_COLUMNS = {
    "power.draw": Quantity.POWER,
    "power.draw.instant": Quantity.POWER,
    "power.draw.average": Quantity.POWER,
    "utilization.gpu": Quantity.UTILIZATION,
    "temperature.gpu": Quantity.TEMPERATURE,
    "enforced.power.limit": Quantity.POWER_LIMIT,
    "power.limit": Quantity.POWER_LIMIT,
}
_IDENTITIES = ("index", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "serial", "gpu_serial")


def read_nvidia_smi(text: str, source: str, tz: ZoneInfo) -> list[MeterLog]:
    """Read one log per GPU.

    Raises
    ------
    Invalid
        There is no `timestamp` or `power.draw` column.
    """
    table = read_table(text)
    names = [name.partition(" [")[0].strip() for name in table.rows[0]] if table.rows else []
    if "timestamp" not in names or not any(name.startswith("power.draw") for name in names):
        raise Invalid(
            f"{source}: no timestamp and power.draw column",
            "log with nvidia-smi --query-gpu=timestamp,index,uuid,power.draw,utilization.gpu --format=csv",
            code="no_columns",
        )
    whole = table.rows[1:-1] if table.torn else table.rows[1:]
    body = [row for row in whole if row != table.rows[0]]
    logs = _by_gpu(names, body, source, tz)
    if table.torn and logs:
        logs[-1] = logs[-1].counting({"torn": 1})
    return logs


def _by_gpu(names: Sequence[str], body: Sequence[list[str]], source: str, tz: ZoneInfo) -> list[MeterLog]:
    columns = _columns(names)
    whole = [row for row in body if len(row) == len(names)]
    times = read_times([row[names.index("timestamp")] for row in whole], tz)
    gpus: dict[str, Rows] = {}
    for row, t_ms, reason in zip(whole, times.utc_ms.tolist(), times.reasons, strict=True):
        rows = gpus.setdefault(_identity(names, row), Rows([]))
        if not rows.series:
            rows.series = _series(names, row, columns, len(gpus) - 1)
        if reason is not None:
            rows.reject(reason)
        else:
            rows.add(t_ms, [_cell(row[i]) for i in columns])
    logs = [r.log(source, FORMAT, group=r.series[0].point.replace("/", "-")) for r in gpus.values()]
    if logs:
        logs[0] = logs[0].counting({"unreadable": len(body) - len(whole)})
    return logs


def _columns(names: Sequence[str]) -> dict[int, Quantity]:
    """Return column → quantity, each quantity once: the first in the order of `_COLUMNS`."""
    chosen: dict[Quantity, int] = {}
    for name, quantity in _COLUMNS.items():
        if name in names:
            chosen.setdefault(quantity, list(names).index(name))
    return {i: quantity for quantity, i in chosen.items()}


def _identity(names: Sequence[str], row: Sequence[str]) -> str:
    return next((row[names.index(name)] for name in _IDENTITIES if name in names), "0")


def _series(names: Sequence[str], row: Sequence[str], columns: dict[int, Quantity], place: int) -> tuple[Series, ...]:
    index = row[names.index("index")] if "index" in names else str(place)
    label = next((row[names.index(name)] for name in ("uuid", "gpu_uuid") if name in names), "")
    return tuple(Series(f"gpu/{index}", quantity, label=label) for quantity in columns.values())


def _cell(text: str) -> float:
    found = number(text)
    return math.nan if found is None else found[0]
