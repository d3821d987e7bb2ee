"""CSV files of Yokogawa WT power analysers and their viewer.

A preamble names the instrument; the header then has `Date` and `Time` (some models also `Millisecond`) and one column
per measurement, `Urms-1`, `I-E2`, `P-1`, `P-SIGMA`, `LAMBDA-1`, with or without a unit. An element becomes `ch/<n>`,
the sum over elements (Σ, ΣA) `total`. With one element that is the total; with several and no sum stored, the total
is their sum. Overrange and errors are written as text and read as missing.

Source: file format in the WT300E, WT1800E and WTViewerE user's manuals (data sheet only, no recorded file).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import numpy as np

from app.errors import Invalid
from app.importers.tables import LogColumn, MeterLog, Rows, number, power_series, read_table, read_times
from collectors.contract import Quantity, Series, to_base

FORMAT = "yokogawa"
_NAME = re.compile(
    r"(U|Urms|Umn|Udc|I|Irms|Imn|Idc|P|S|Q|LAMBDA|λ|PF|FREQU|FU|FREQI)"
    r"[- _]?(?:E)?(\d|SIGMA[AB]?|SIGM[AB]?|Σ[AB]?|SUM|TOTAL)\s*(?:[\[(]\s*([A-Za-z]+)\s*[\])])?",
    re.I,
)
_QUANTITIES = {
    "u": Quantity.VOLTAGE,
    "i": Quantity.CURRENT,
    "p": Quantity.POWER,
    "s": Quantity.APPARENT_POWER,
    "q": Quantity.REACTIVE_POWER,
    "l": Quantity.POWER_FACTOR,
    "λ": Quantity.POWER_FACTOR,
    "f": Quantity.FREQUENCY,
}
_MODEL = re.compile(r"\b(WT\d{3,4}[A-Z]*)\b")


@dataclass(frozen=True)
class _Field:
    column: int
    series: Series
    factor: float


def read_yokogawa(text: str, source: str, tz: ZoneInfo) -> MeterLog:
    """Read the log in `text`.

    Raises
    ------
    Invalid
        There is no header with a date, a time and a power column.
    ContractError
        The unit of a column does not fit its quantity.
    """
    table = read_table(text)
    at = next((i for i, row in enumerate(table.rows) if _is_header(row)), None)
    if at is None:
        raise Invalid(
            f"{source}: no header with Date, Time and a P column", "store P as numeric data", code="no_columns"
        )
    names = [name.lower().rstrip(".") for name in table.rows[at]]
    fields = _fields(table.rows[at])
    body = table.rows[at + 1 : -1] if table.torn else table.rows[at + 1 :]
    rows = Rows([field.series for field in fields])
    rows.rejected["torn"] += int(table.torn)
    whole = [row for row in body if len(row) >= len(names)]
    rows.rejected["unreadable"] += len(body) - len(whole)
    times = read_times([_time(names, row) for row in whole], tz)
    for row, t_ms, reason in zip(whole, times.utc_ms.tolist(), times.reasons, strict=True):
        if reason is None:
            rows.add(t_ms, [_value(row[f.column], f.factor) for f in fields])
        else:
            rows.reject(reason)
    model = _MODEL.search("\n".join(" ".join(row) for row in table.rows[:at]))
    return _with_total(rows.log(source, FORMAT, meter=model[1] if model else ""))


def _is_header(row: Sequence[str]) -> bool:
    names = {name.lower() for name in row}
    return {"date", "time"} <= names and any(f.series.quantity is Quantity.POWER for f in _fields(row))


def _fields(header: Sequence[str]) -> list[_Field]:
    found: dict[str, _Field] = {}
    for column, name in enumerate(header):
        match = _NAME.fullmatch(name)
        if match is None:
            continue
        quantity = _QUANTITIES["l" if match[1].lower() == "pf" else match[1][0].lower()]
        series = Series(f"ch/{match[2]}" if match[2].isdigit() else "total", quantity)
        found.setdefault(series.key, _Field(column, series, to_base(quantity, match[3] or series.unit)))
    return list(found.values())


def _time(names: Sequence[str], row: Sequence[str]) -> str:
    clock = row[names.index("time")]
    if "millisecond" in names and "." not in clock:
        clock = f"{clock}.{row[names.index('millisecond')].zfill(3)}"
    return f"{row[names.index('date')]} {clock}"


def _value(cell: str, factor: float) -> float:
    found = number(cell)
    return math.nan if found is None else found[0] * factor


def _with_total(log: MeterLog) -> MeterLog:
    if log.power_w is not None:
        return log
    elements = [c.values for c in log.columns if c.series.quantity is Quantity.POWER]
    total = LogColumn(power_series(), np.sum(elements, axis=0))
    return log.with_column(total)
