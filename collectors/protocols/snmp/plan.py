"""Derive the objects that a poll requests from the columns of an agent's tables. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan

from collectors.contract import COUNTERS, NAN, Quantity, Series
from collectors.device import clipped
from collectors.profiles import Aside, Available, Digits, ProfileColumn, SnmpPoints, SnmpProfile, decode, glob, render
from collectors.protocols.snmp.raw_values import Raw, leading, number_of, power_of_ten, text

Columns = Mapping[str, Mapping[str, Raw]]
"""Walked columns: OID of the column → index (`1.24`) → cell."""
Numbers = dict[str, int | str]
"""Parts of a row's name: numbers, and texts of the index."""


MOST_DIGITS = 12
"""Largest plausible power of ten; a row that reports a larger one is skipped."""


@dataclass(frozen=True)
class SnmpCell:
    """One value of one row: its object and how to decode it."""

    series: Series
    column: ProfileColumn
    oid: str
    exponent: int = 0
    available: str | None = None
    condition: Available | None = None


@dataclass
class SnmpPlan:
    """Cells of one agent by group, and what it lacks."""

    groups: dict[str, list[SnmpCell]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def objects(self) -> dict[str, list[str]]:
        """Return the objects to request, each once: OIDs by group."""
        return {
            group: list(dict.fromkeys(oid for cell in cells for oid in (cell.oid, cell.available) if oid))
            for group, cells in self.groups.items()
        }


def columns_of(profile: SnmpProfile) -> list[str]:
    """Return the columns to walk for a plan."""
    return [oid for oid, is_scalar in _objects(profile).items() if not is_scalar]


def scalars_of(profile: SnmpProfile) -> list[str]:
    """Return the objects with one instance to read for a plan."""
    return [oid for oid, is_scalar in _objects(profile).items() if is_scalar]


def _objects(profile: SnmpProfile) -> dict[str, bool]:
    """Return the objects that a profile names, and whether each is a scalar."""
    found: dict[str, bool] = {}
    for points in profile.points:
        found |= {points.full(value.oid): not points.index for value in points.values}
        found |= {points.full(aside.oid): aside.scalar or not points.index for aside in points.asides().values()}
    return found


def make_plan(profile: SnmpProfile, columns: Columns) -> SnmpPlan:
    """Return the cells that exist, in the order of the profile. Of two rows with one name the first is read.

    A fallback is also read if the object before it exists but has no value, such as 65535 of a card that does not
    measure.
    """
    plan = SnmpPlan()
    raw = raw_of(columns)
    taken: dict[str, tuple[str, SnmpCell]] = {}
    for points in profile.points:
        rows = _rows(points, columns)
        if not rows:
            plan.missing.append(glob(points.point))
        for row in rows:
            for cell in _cells(profile, points, columns, row):
                before = taken.get(cell.series.key)
                if before and not cell.column.fallback:
                    plan.missing.append(f"{cell.series.key} of a second row {row}")
                    continue
                if before and not (isnan(cell_value(before[1], raw)) and not isnan(cell_value(cell, raw))):
                    continue
                if before:
                    plan.groups[before[0]].remove(before[1])
                taken[cell.series.key] = (points.group, cell)
                plan.groups.setdefault(points.group, []).append(cell)
    plan.groups = {group: cells for group, cells in plan.groups.items() if cells}
    return plan


def raw_of(columns: Columns) -> dict[str, Raw]:
    """Return walked columns as objects by their OID."""
    return {f"{column}.{row}": value for column, cells in columns.items() for row, value in cells.items()}


def cell_value(cell: SnmpCell, raw: Mapping[str, Raw]) -> float:
    """Return the value of a cell [base unit]; NaN when it is absent, not available or not a number."""
    number = number_of(raw.get(cell.oid), cell.column)
    if number is None:
        return NAN
    if cell.available and cell.condition and not cell.condition.accepts(raw.get(cell.available)):
        return NAN
    return decode(cell.column, number, cell.exponent)


def _rows(points: SnmpPoints, columns: Columns) -> list[str]:
    """Return the indexes of the rows with a value, in order."""
    return sorted({row for value in points.values for row in columns.get(points.full(value.oid), {})}, key=_order)


def _cells(profile: SnmpProfile, points: SnmpPoints, columns: Columns, row: str) -> Iterator[SnmpCell]:
    numbers = _numbers(points, columns, row)
    if numbers is None:
        return
    exponent = _exponent(points, columns, numbers)
    for value in points.values:
        oid = points.full(value.oid)
        matches = all(numbers[name] == wanted for name, wanted in value.where.items())
        if row not in columns.get(oid, {}) or not matches or exponent is None:
            continue
        condition = value.available or points.available
        available = _beside(points, condition, columns, numbers)
        yield SnmpCell(
            series=_series(profile, points, value, columns, numbers, exponent),
            column=value,
            oid=f"{oid}.{row}",
            exponent=exponent,
            available=available[0] if available else None,
            condition=condition,
        )


def _numbers(points: SnmpPoints, columns: Columns, row: str) -> Numbers | None:
    """Return the numbers of a row by name, from its index and naming columns; None when one is missing."""
    numbers = _index(points, [int(part) for part in row.split(".")]) if points.index else {}
    if numbers is None:
        return None
    for name, aside in points.names.items():
        cell = _beside(points, aside, columns, numbers)
        number = None if cell is None else _named(aside, cell[1])
        if number is None:
            return None
        numbers[name] = number
    if any(numbers[name] in skipped for name, skipped in points.skip.items()):
        return None
    return None if _is_beyond(points, columns, numbers) else numbers


def _is_beyond(points: SnmpPoints, columns: Columns, numbers: Numbers) -> bool:
    """Return whether a number of a row is above the count that the device reports."""
    for name, aside in points.count.items():
        cell = _beside(points, aside, columns, numbers)
        count, number = cell[1] if cell else None, numbers[name]
        if isinstance(count, int) and isinstance(number, int) and number > count:
            return True
    return False


def _index(points: SnmpPoints, parts: Sequence[int]) -> Numbers | None:
    """Return the parts of a row's index by name; None when their count differs from the profile."""
    numbers: Numbers = {}
    at = 0
    for part, name in zip(points.index, points.index_names, strict=True):
        if at >= len(parts):
            return None
        length = parts[at] if part != name else 0
        numbers[name] = parts[at] if part == name else _IndexText(parts[at : at + 1 + length])
        at += 1 + length
    return numbers if at == len(parts) else None


class _IndexText(str):
    """A text in an index as a part of a path; `sub_ids` is its form in the OID."""

    sub_ids: tuple[int, ...]

    def __new__(cls, parts: Sequence[int]) -> _IndexText:
        letters = bytes(part & 0xFF for part in parts[1:]).decode("latin-1")
        found = super().__new__(cls, re.sub(r"[^A-Za-z0-9.-]", "-", letters))
        found.sub_ids = tuple(parts)
        return found


def _named(aside: Aside, raw: Raw) -> int | None:
    """Return the number that a naming column gives a row; None without one."""
    if aside.pattern is None:
        return raw if isinstance(raw, int) else None
    found = re.search(aside.pattern, text(raw))
    if found is None:
        return None
    return int(found[1]) if found.groups() else 1


def _beside(points: SnmpPoints, aside: Aside | None, columns: Columns, numbers: Numbers) -> tuple[str, Raw] | None:
    """Return OID and content of a cell that describes the values."""
    if aside is None:
        return None
    parts = (numbers[name] for name in aside.index or points.index_names)
    index = ".".join(str(n) for part in parts for n in (part.sub_ids if isinstance(part, _IndexText) else [part]))
    index = "0" if aside.scalar else index or "0"
    oid = points.full(aside.oid)
    cells = columns.get(oid, {})
    return (f"{oid}.{index}", cells[index]) if index in cells else None


def _exponent(points: SnmpPoints, columns: Columns, numbers: Numbers) -> int | None:
    """Return the power of ten of a row; None when the device should report it and does not, or it is implausible: a
    scale is never assumed."""
    exponent = 0
    for scale in (points.digits, points.prefix):
        if scale is None:
            continue
        cell = _beside(points, scale, columns, numbers)
        part = _power(scale, cell[1]) if cell and isinstance(cell[1], int) else None
        if part is None:
            return None
        exponent += part
    return exponent if abs(exponent) <= MOST_DIGITS else None


def _power(scale: Digits, number: int) -> int | None:
    """Return the power of ten that a number means in the device's form."""
    if scale.form in ("digits", "exponent"):
        return number if scale.form == "exponent" else -number
    if scale.form == "si":
        return 3 * (number - 9)
    power = power_of_ten(number)
    return -power if power is not None and scale.form == "divisor" else power


def _series(
    profile: SnmpProfile,
    points: SnmpPoints,
    value: ProfileColumn,
    columns: Columns,
    numbers: Numbers,
    exponent: int,
) -> Series:
    labels = (_beside(points, aside, columns, numbers) for aside in points.label)
    rating = _rating(points, columns, numbers) if value.quantity is Quantity.CURRENT else None
    step = value.factor * 10.0**exponent
    return Series(
        point=render(points.point, numbers),
        quantity=value.quantity,
        label=clipped(next((shown for cell in labels if cell and (shown := text(cell[1]))), "")),
        resolution=value.resolution or step,
        accuracy_pct=_accuracy_pct(points, columns, numbers) or profile.limit_pct(value),
        accuracy_abs=_tolerance(points, value, columns, numbers, step) or value.limit_abs,
        signed=value.signed,
        counter_bits=value.counter_bits,
        counter_modulus=2.0**value.counter_bits * step if value.counter_bits else None,
        rated=rating,
    )


def _rating(points: SnmpPoints, columns: Columns, numbers: Numbers) -> float | None:
    """Return the rated current [A]; None when the device does not report it."""
    cell = _beside(points, points.rated_current, columns, numbers)
    number = leading(cell[1]) if cell else None
    return number * points.rated_current.scale if number and number > 0 and points.rated_current else None


def _accuracy_pct(points: SnmpPoints, columns: Columns, numbers: Numbers) -> float | None:
    """Return the limit of error that the device states of a row [% of reading]; None without one."""
    cell = _beside(points, points.accuracy, columns, numbers)
    number = cell[1] if cell else None
    return number * points.accuracy.scale if isinstance(number, int) and number > 0 and points.accuracy else None


def _tolerance(
    points: SnmpPoints, value: ProfileColumn, columns: Columns, numbers: Numbers, step: float
) -> float | None:
    """Return the constant part of that limit [base unit]; None without one, or of a counter."""
    cell = _beside(points, points.tolerance, columns, numbers)
    number = cell[1] if cell else None
    if points.tolerance is None or not isinstance(number, int) or number <= 0 or value.quantity in COUNTERS:
        return None
    return float(number * step * 10.0**-points.tolerance.more_digits)


def _order(row: str) -> tuple[int, ...]:
    return tuple(int(part) for part in row.split("."))
