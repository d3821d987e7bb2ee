"""CSV logs with a time column and a power column.

The time column is found by its name (or a date and a clock column), the power column by its unit or name. Units are
read from the header, `Power [kW]`, `watts`, `p_kW`, or from the cells, `431 W`; the default is watts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from app.errors import Invalid
from app.importers.tables import MeterLog, Rows, TextTable, number, power_series, read_table, read_times

FORMAT = "csv"
_HEADER_WITHIN = 50
_TIME = re.compile(r"(date[ _]?time.*|time.*|t|ts|t_?ms|utc|epoch.*|unix.*|.*_at|zeit.*|datum.*)", re.I)
_DATE = re.compile(r"(date|datum|day)", re.I)
_CLOCK = re.compile(r"(time|clock|uhrzeit|zeit)", re.I)
_POWER = re.compile(r"(power|watt|leistung|^p$|^p[ _]|^w$)", re.I)
_NOT_POWER = re.compile(
    r"(factor|limit|cap$|apparent|reactive|energy|hour|[kmM]?wh$|_k?va$|_k?var$|max|min|state)", re.I
)
_TOTAL = re.compile(r"(total|sum|node|system|server|wall|^power|^watts?|^p$)", re.I)
_BRACKETS = re.compile(r"[\[(]\s*([^\])]*?)\s*[\])]")
_SUFFIX = re.compile(r"(?:^|[ _/.-])([mkM]?W|[mk]?w|watts?|kilowatts?|milliwatts?)$", re.I)
_FACTORS = {
    **dict.fromkeys(("w", "watt", "watts"), 1.0),
    **dict.fromkeys(("kw", "kilowatt", "kilowatts"), 1e3),
    **dict.fromkeys(("milliwatt", "milliwatts"), 1e-3),
}


@dataclass(frozen=True)
class _Columns:
    time: tuple[int, ...]
    power: int
    factor: float
    label: str
    body: int


def read_meter_csv(text: str, source: str, tz: ZoneInfo) -> MeterLog:
    """Read the log in `text`.

    Raises
    ------
    Invalid
        There is no time or power column, or several candidates, which are named.
    """
    table = read_table(text)
    columns = _find(table, source)
    body = table.rows[columns.body :]
    rows = Rows([power_series(label=columns.label)])
    if table.torn and body:
        body = body[:-1]
        rows.reject("torn")
    width = max((*columns.time, columns.power)) + 1
    whole = [row for row in body if len(row) >= width]
    rows.rejected["unreadable"] += len(body) - len(whole)
    times = read_times([" ".join(row[i] for i in columns.time) for row in whole], tz)
    for row, t_ms, reason in zip(whole, times.utc_ms.tolist(), times.reasons, strict=True):
        watts = watts_of(row[columns.power], columns.factor, decimal_comma=table.decimal_comma)
        if watts is None or reason is not None:
            rows.reject(reason or "unreadable")
        else:
            rows.add(t_ms, [watts])
    return rows.log(source, FORMAT)


def watts_of(cell: str, factor: float, *, decimal_comma: bool = False) -> float | None:
    """Return the watts of a cell by its own unit or the factor of the column; NaN if missing, None for text."""
    found = number(cell, decimal_comma=decimal_comma)
    if found is None:
        return None
    value, unit = found
    if not unit:
        return value * factor
    own = unit_factor(unit)
    return None if own is None else value * own


def unit_factor(unit: str) -> float | None:
    """Return the watts in one `unit`; None if it is not a unit of real power. `mW` and `MW` differ by case."""
    exact = {"mW": 1e-3, "MW": 1e6}.get(unit)
    return exact if exact is not None else _FACTORS.get(unit.lower())


def _find(table: TextTable, source: str) -> _Columns:
    for at, row in enumerate(table.rows[:_HEADER_WITHIN]):
        time, power = _time_columns(row), _power_columns(row)
        if time and power:
            chosen = _chosen(row, power, source)
            return _Columns(time, chosen, _header_factor(row[chosen], source), row[chosen], at + 1)
    first = table.rows[0] if table.rows else []
    if len(first) == 2 and watts_of(first[1], 1.0, decimal_comma=table.decimal_comma) is not None:
        return _Columns((0,), 1, 1.0, "", 0)
    names = ", ".join(cell for cell in first[:12] if cell.isprintable())
    raise Invalid(
        f"{source}: no time and watts column among {names or 'its lines'}",
        "name them in a header, like time,power_w",
        code="no_columns",
    )


def _time_columns(header: Sequence[str]) -> tuple[int, ...]:
    dates = [i for i, name in enumerate(header) if _DATE.fullmatch(name)]
    clocks = [i for i, name in enumerate(header) if _CLOCK.fullmatch(name)]
    if dates and clocks:
        return dates[0], clocks[0]
    named = [i for i, name in enumerate(header) if _TIME.fullmatch(name)] or dates
    return tuple(named[:1])


def _power_columns(header: Sequence[str]) -> list[int]:
    return [i for i, name in enumerate(header) if not _TIME.fullmatch(name) and _is_power(name)]


def _is_power(name: str) -> bool:
    if _NOT_POWER.search(name):
        return False
    brackets = _BRACKETS.search(name)
    if brackets and brackets[1]:
        return brackets[1].lower() == "mw" or unit_factor(brackets[1]) is not None
    return bool(_SUFFIX.search(name) or _POWER.search(name))


def _chosen(header: Sequence[str], power: Sequence[int], source: str) -> int:
    if len(power) == 1:
        return power[0]
    total = [i for i in power if _TOTAL.search(header[i])]
    if len(total) == 1:
        return total[0]
    raise Invalid(
        f"{source}: several columns may be the power: {', '.join(header[i] for i in power)}",
        "keep one, or rename the right one to total",
        code="several_columns",
    )


def _header_factor(name: str, source: str) -> float:
    match = _BRACKETS.search(name) or _SUFFIX.search(name)
    if match is None or not match[1]:
        return 1.0
    factor = unit_factor(match[1])
    if factor is None:
        raise Invalid(
            f"{source}: {name!r} may mean milliwatts or megawatts", "write the unit as mW or MW", code="ambiguous_unit"
        )
    return factor
