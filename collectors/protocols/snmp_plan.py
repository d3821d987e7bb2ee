"""From the columns of an agent's tables to the list of objects that a poll asks for. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from collectors.frame import Quantity, Series
from collectors.point_pattern import glob, render
from collectors.points import Aside, Column, SnmpPoints
from collectors.profile import SnmpProfile

Raw = int | float | str | bytes | None
Columns = Mapping[str, Mapping[str, Raw]]
"""Walked columns: OID of the column → index (`1.24`) → cell."""


@dataclass(frozen=True)
class Cell:
    """One value of one row: what to ask for, and how its number reads."""

    series: Series
    column: Column
    oid: str
    exponent: int = 0
    available: str | None = None
    equals: int = 1


@dataclass
class Plan:
    """What one agent has: its cells by group, and what it lacks."""

    groups: dict[str, list[Cell]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def columns_of(profile: SnmpProfile) -> list[str]:
    """Every column that has to be walked to make a plan."""
    wanted: dict[str, None] = {}
    for points in profile.points:
        for oid in [*(value.oid for value in points.values), *(aside.oid for aside in _asides(points))]:
            wanted[points.full(oid)] = None
    return list(wanted)


def make_plan(profile: SnmpProfile, columns: Columns) -> Plan:
    """The cells that exist, in the order of the profile. Two rows of one name: the first one counts."""
    plan = Plan()
    taken: set[str] = set()
    for points in profile.points:
        rows = sorted({row for value in points.values for row in columns.get(points.full(value.oid), {})}, key=_order)
        if not rows:
            plan.missing.append(glob(points.point))
        for row in rows:
            for cell in _cells(profile, points, columns, row):
                if cell.series.key in taken:
                    plan.missing.append(f"{cell.series.key} of a second row {row}")
                    continue
                taken.add(cell.series.key)
                plan.groups.setdefault(points.group, []).append(cell)
    return plan


def _cells(profile: SnmpProfile, points: SnmpPoints, columns: Columns, row: str) -> Iterator[Cell]:
    numbers = _numbers(points, columns, row)
    if numbers is None:
        return
    exponent = _exponent(points, columns, numbers)
    available = _beside(points, points.available, columns, numbers)
    for value in points.values:
        oid = points.full(value.oid)
        matches = all(numbers[name] == wanted for name, wanted in value.where.items())
        if row not in columns.get(oid, {}) or not matches or exponent is None:
            continue
        yield Cell(
            series=_series(profile, points, value, columns, numbers, exponent),
            column=value,
            oid=f"{oid}.{row}",
            exponent=exponent,
            available=available[0] if available else None,
            equals=points.available.equals if points.available else 1,
        )


def _numbers(points: SnmpPoints, columns: Columns, row: str) -> dict[str, int] | None:
    """The numbers of a row by name, from its index and its naming columns; None when one is not told."""
    parts = [int(part) for part in row.split(".")]
    if not points.index:
        return {}
    if len(parts) != len(points.index):
        return None
    numbers = dict(zip(points.index, parts, strict=True))
    for name, aside in points.names.items():
        cell = _beside(points, aside, columns, numbers)
        if cell is None or not isinstance(cell[1], int):
            return None
        numbers[name] = cell[1]
    return numbers


def _beside(
    points: SnmpPoints, aside: Aside | None, columns: Columns, numbers: Mapping[str, int]
) -> tuple[str, Raw] | None:
    """The cell of a column beside the values: its OID and what it read."""
    if aside is None:
        return None
    index = ".".join(str(numbers[name]) for name in aside.index or points.index) or "0"
    oid = points.full(aside.oid)
    cells = columns.get(oid, {})
    return (f"{oid}.{index}", cells[index]) if index in cells else None


def _exponent(points: SnmpPoints, columns: Columns, numbers: Mapping[str, int]) -> int | None:
    """Power of ten of a row; None when the device should tell it and does not (a scale is never assumed)."""
    if points.digits is None:
        return 0
    cell = _beside(points, points.digits, columns, numbers)
    return -cell[1] if cell and isinstance(cell[1], int) else None


def _series(
    profile: SnmpProfile,
    points: SnmpPoints,
    value: Column,
    columns: Columns,
    numbers: Mapping[str, int],
    exponent: int,
) -> Series:
    label = _beside(points, points.label, columns, numbers)
    rated = _beside(points, points.rated_current, columns, numbers) if value.quantity is Quantity.CURRENT else None
    step = value.factor * 10.0**exponent
    return Series(
        point=render(points.point, numbers),
        quantity=value.quantity,
        label=text(label[1]) if label else "",
        resolution=value.resolution or step,
        accuracy_pct=value.accuracy_pct or profile.accuracy_pct,
        counter_bits=value.counter_bits,
        counter_modulus=2.0**value.counter_bits * step if value.counter_bits else None,
        rated=amperes(rated[1]) if rated else None,
    )


def _asides(points: SnmpPoints) -> Iterator[Aside]:
    asides: Sequence[Aside | None] = [points.label, points.digits, points.available, points.rated_current]
    yield from points.names.values()
    yield from (aside for aside in asides if aside is not None)


def _order(row: str) -> tuple[int, ...]:
    return tuple(int(part) for part in row.split("."))


def text(raw: Raw) -> str:
    """A device's text: UTF-8 as far as it goes, without padding."""
    shown = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str("" if raw is None else raw)
    return shown.replace("\0", "").strip()


def amperes(raw: Raw) -> float | None:
    """The number a rating begins with: 32 of `32A`, 16 of `16A`; None when it begins with none."""
    found = re.match(r"\d+(\.\d+)?", text(raw))
    return float(found[0]) if found else None
