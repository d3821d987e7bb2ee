"""The readings of a device as rows: its points in groups, and its energy registers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from app.models import TimeMs, sent_as
from app.services.devices import PointReadings, RegisterReading
from app.store.facility import Facility
from collectors.contract import Quantity

_GROUPS: tuple[tuple[str, str], ...] = (
    (r"(unit/\d+/)?(inlet(/\d+)?|total|node|system)", "Whole device"),
    (r"(unit/\d+/)?inlet(/\d+)?/.+", "Lines"),
    (r"(unit/\d+/)?(branch|bank|breaker)/.+", "Branches"),
    (r"(unit/\d+/)?outlet/.+", "Outlets"),
    (r"psu/.+", "Power supplies"),
    (r"gpu/.+", "GPUs"),
    (r"(cpu|package)/.+", "CPU packages"),
    (r"(unit/\d+/)?(probe|sensor)/.+", "Probes"),
)
_OTHER = "Other points"
FEWEST_STEPS = 100
"""Below so many steps of a register, its step alone explains a difference of 1 % and more."""
_NAMES = {"l1": "L1", "l2": "L2", "l3": "L3", "n": "N", "gpu": "GPU", "psu": "PSU", "cpu": "CPU"}


@dataclass(frozen=True)
class PointValue:
    """A quantity at a point; `last`: its last value where it has no current one."""

    quantity: str
    unit: str
    value: float | None
    last: float | None


@dataclass(frozen=True)
class PoweredNode:
    """A node that a point powers."""

    key: str
    label: str


@dataclass(frozen=True)
class PointLimit:
    """The rating of a point, in the unit of the quantity; `share_pct`: how much of it is used now."""

    quantity: str
    unit: str
    value: float
    share_pct: float | None


@dataclass(frozen=True)
class PointRow:
    """A point: its values and their time, its limit, what it powers, its course in the window.

    `main`: quantity of `course`, means of equal steps, null where nothing is covered. `energy_j`: of the covered time.
    """

    point: str
    name: str
    label: str
    values: Sequence[PointValue]
    t_ms: Annotated[TimeMs | None, sent_as("t")]
    is_current: bool
    nodes: Sequence[PoweredNode]
    limit: PointLimit | None
    main: str | None
    course: Sequence[float | None]
    energy_j: float | None
    coverage: float | None


@dataclass(frozen=True)
class PointGroup:
    """Points of one kind, and the quantities that any of them has: name → unit, in the order of columns."""

    name: str
    quantities: Mapping[str, str]
    rows: Sequence[PointRow]


@dataclass(frozen=True)
class RegisterRow:
    """An energy register [J]: its reading, and its increase in the window beside the integral of power.

    `difference_pct`: of the increase from the integral; null unless both cover nearly the same time, and
    that energy is enough steps of the register.
    """

    point: str
    name: str
    value_j: float | None
    t_ms: Annotated[TimeMs | None, sent_as("t")]
    resolution_j: float | None
    counted_j: float | None
    integral_j: float | None
    difference_pct: float | None


def point_groups(points: Sequence[PointReadings], facility: Facility) -> list[PointGroup]:
    """Return the points by kind, the whole device first; kinds without a reading are absent."""
    groups: dict[str, list[PointReadings]] = {name: [] for name in [*(name for _, name in _GROUPS), _OTHER]}
    for point in points:
        groups[_group(point.point)].append(point)
    return [_point_group(name, found, facility) for name, found in groups.items() if found]


def register_rows(registers: Sequence[RegisterReading]) -> list[RegisterRow]:
    """Return the energy registers with their increase in the window."""
    return [
        RegisterRow(
            point=one.point,
            name=point_name(one.point),
            value_j=one.value_j,
            t_ms=one.t_ms or None,
            resolution_j=one.resolution_j,
            counted_j=one.counted_j,
            integral_j=one.integral_j,
            difference_pct=_difference_pct(one),
        )
        for one in registers
    ]


def point_name(point: str) -> str:
    """Return a point as people call it: `outlet/7` is `Outlet 7`, `inlet/l1` is `L1`."""
    parts = point.split("/")
    if len(parts) > 1 and parts[-1] in ("l1", "l2", "l3", "n"):
        before = " ".join(parts[1:-1])
        return f"{_NAMES[parts[-1]]}{f' of inlet {before}' if before else ''}"
    words = [_NAMES.get(part, part) for part in parts]
    text = " ".join(words)
    return text[:1].upper() + text[1:]


def _group(point: str) -> str:
    return next((name for pattern, name in _GROUPS if re.fullmatch(pattern, point)), _OTHER)


def _point_group(name: str, points: Sequence[PointReadings], facility: Facility) -> PointGroup:
    order = list(Quantity)
    units = {r.quantity: r.unit for point in points for r in point.readings if r.quantity is not Quantity.ENERGY}
    quantities = {q.value: units[q] for q in sorted(units, key=order.index)}
    in_order = sorted(points, key=lambda point: [_natural(part) for part in point.point.split("/")])
    return PointGroup(name, quantities, [_row(point, facility) for point in in_order])


def _natural(part: str) -> tuple[int, str]:
    return (int(part), "") if part.isdigit() else (-1, part)


def _row(point: PointReadings, facility: Facility) -> PointRow:
    times = [r.t_ms for r in point.readings]
    current = [r.t_ms for r in point.readings if r.value is not None]
    nodes = [PoweredNode(key, facility.nodes[key].title) for key in point.nodes if key in facility.nodes]
    said = {point_name(point.point).casefold(), *(name.casefold() for node in nodes for name in (node.key, node.label))}
    return PointRow(
        point=point.point,
        name=point_name(point.point),
        label="" if point.label.casefold() in said else point.label,
        values=[PointValue(r.quantity.value, r.unit, r.value, r.last) for r in point.readings],
        t_ms=min(current) if current else max(times, default=None),
        is_current=bool(current),
        nodes=nodes,
        limit=_limit(point),
        main=point.main.value if point.main else None,
        course=[None if math.isnan(v) else v for v in point.course],
        energy_j=point.energy_j,
        coverage=point.coverage,
    )


def _limit(point: PointReadings) -> PointLimit | None:
    if point.limit is None or point.limit_quantity is None:
        return None
    now = next((r for r in point.readings if r.quantity is point.limit_quantity), None)
    if now is None:
        return None
    share = None if now.value is None else 100.0 * now.value / point.limit
    return PointLimit(now.quantity.value, now.unit, point.limit, share)


def _difference_pct(one: RegisterReading) -> float | None:
    if one.counted_j is None or not one.integral_j or one.integral_coverage is None:
        return None
    if one.integral_j < FEWEST_STEPS * (one.resolution_j or 0.0):
        return None
    if abs(one.counted_coverage - one.integral_coverage) > 0.02 or not one.counted_coverage:
        return None
    return 100.0 * (one.counted_j / one.integral_j - 1.0)
