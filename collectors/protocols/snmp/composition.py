"""Read generic profiles of standard MIBs beside the profile of a family, each value from one source. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from collectors.contract import Quantity
from collectors.profiles import SnmpProfile
from collectors.protocols.snmp.places import Places, whole_of
from collectors.protocols.snmp.plan import Columns, SnmpCell, SnmpPlan, cell_value, make_plan, raw_of

_STEADY = {Quantity.VOLTAGE, Quantity.FREQUENCY}
"""Quantities that two sources cannot report differently because they are read a second apart."""
_MOST_APART = 2.0


def add_generic(plan: SnmpPlan, generic: Sequence[SnmpProfile], columns: Columns) -> None:
    """Add the values of generic profiles, the more precise first, that no profile before reads; each is a group.

    A quantity of a generic profile that contradicts the same place of the plan is not read at all: some cards serve
    standard objects in tenths.
    """
    for profile in generic:
        own = [cell for cells in make_plan(profile, columns).groups.values() for cell in cells]
        read = [cell for cells in plan.groups.values() for cell in cells]
        doubtful = set(_contradicted(own, read, columns))
        if added := [cell for cell in _unread(own, read, profile) if cell.series.quantity not in doubtful]:
            plan.groups[profile.name] = added


def _unread(own: Sequence[SnmpCell], read: Sequence[SnmpCell], profile: SnmpProfile) -> Iterator[SnmpCell]:
    objects = {cell.oid for cell in read}
    quantities = {cell.series.quantity for cell in read} if profile.identify.breadth > 1 else set()
    known = Places((cell.series.point, cell.series.quantity) for cell in read)
    beside = Places((cell.series.point, cell.series.quantity) for cell in own)
    for cell in own:
        is_read = cell.oid in objects or cell.series.quantity in quantities
        if not is_read and not known.has(cell.series.point, cell.series.quantity, beside):
            yield cell


def _contradicted(own: Sequence[SnmpCell], read: Sequence[SnmpCell], columns: Columns) -> Iterator[Quantity]:
    """Yield quantities whose values differ by more than a factor from every value that is read at the same place."""
    raw = raw_of(columns)
    known: dict[tuple[str, Quantity], list[float]] = {}
    for cell in read:
        known.setdefault(_place(cell), []).append(cell_value(cell, raw))
    for cell in own:
        values = [value for value in known.get(_place(cell), ()) if value > 0]
        value = cell_value(cell, raw)
        is_known = cell.series.quantity in _STEADY and value > 0 and bool(values)
        if is_known and all(abs(math.log(value / other)) > math.log(_MOST_APART) for other in values):
            yield cell.series.quantity


def _place(cell: SnmpCell) -> tuple[str, Quantity]:
    return whole_of(cell.series.point), cell.series.quantity
