"""Build the OIDs of a simulated SNMP device from its profile, for the points of the plant."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from collectors.contract import Quantity
from collectors.profiles import Aside, ProfileColumn, SnmpPoints, SnmpProfile
from collectors.simulator.agents.encoded_point import EncodedPoint, integer
from collectors.simulator.plant import BANK_AMPS

Oid = tuple[int, ...]
_BOUNDS: Mapping[str, tuple[float, float]] = {
    "integer": (-(2.0**31), 2.0**31 - 1),
    "gauge32": (0.0, 2.0**32 - 1),
    "counter32": (0.0, 2.0**32 - 1),
    "counter64": (0.0, 2.0**64 - 1),
}
_DIGITS = {
    Quantity.CURRENT: 3, Quantity.POWER_FACTOR: 2, Quantity.FREQUENCY: 1, Quantity.TEMPERATURE: 1,
}  # fmt: skip
_SYSTEM = (1, 3, 6, 1, 2, 1, 1)
_CARDS = {
    "apc-rpdu2": (
        "1.3.6.1.4.1.318.1.3.4.5",
        "APC Web/SNMP Management Card (MB:v4.1.0 PF:v6.8.0 PN:apc_hw05_aos_680.bin AF1:v6.8.0 "
        "AN1:apc_hw05_rpdu2g_680.bin MN:AP8867 HR:02 SN: SIMULATED MD:01/02/2024)",
        "AP8867",
    ),
    "raritan-px2": ("1.3.6.1.4.1.13742.6", "PX3 040100", "PX3-5902V"),
}
"""sysObjectID, sysDescr and model of the simulated devices, by profile."""


@dataclass(frozen=True)
class Measured:
    """An OID with a measured number."""

    encoded: EncodedPoint
    syntax: str


@dataclass(frozen=True)
class Availability:
    """An OID that reads `equals` while its value is available."""

    encoded: EncodedPoint
    equals: int


Content = Measured | Availability | int | str | Oid


def snmp_table(
    profile: SnmpProfile, points: Iterable[tuple[str, Quantity]], labels: Mapping[str, str], amps: float = 0.0
) -> dict[Oid, Content]:
    """Return the content of every OID.

    `labels` are the configured names of points; `amps` is the rating that the device reports for its inlet. [A]
    """
    have: dict[str, set[Quantity]] = {}
    for point, quantity in points:
        have.setdefault(point, set()).add(quantity)
    table: dict[Oid, Content] = {oid_of(profile.identify.probe[0]): 1}
    for group in profile.points:
        rows = [(point, numbers_of(group.point, point)) for point in have]
        rows = [(point, numbers) for point, numbers in rows if numbers is not None]
        for i, (point, numbers) in enumerate(rows):
            rating = f"{BANK_AMPS if point.startswith('bank') else amps:.0f}A"
            label = labels.get(point, point.replace("/", " ").capitalize())
            row = _Row(group, point, {"row": i + 1, **(numbers or {})}, label, rating)
            table |= dict(row.contents(have[point]))
    return table


def system_group(profile: SnmpProfile, name: str) -> dict[Oid, Content]:
    """Return the system group and the model, which identify the device; the agent adds the uptime."""
    identity = profile.identify
    object_id, description, model = _CARDS.get(profile.name, (identity.sys_object_id[0], profile.family, profile.name))
    table: dict[Oid, Content] = {
        (*_SYSTEM, 1, 0): description,
        (*_SYSTEM, 2, 0): oid_of(object_id),
        (*_SYSTEM, 5, 0): name,
    }
    if identity.model is not None:
        table.setdefault(oid_of(identity.model.oid), model)
    return table


def oid_of(text: str) -> Oid:
    """Convert a dotted OID to a tuple."""
    return tuple(int(part) for part in text.split("."))


def numbers_of(pattern: str, point: str) -> dict[str, int] | None:
    """Return the numbers in a point by a pattern of a profile (omitted ones are 1); None if it does not match."""
    text = re.escape(pattern).replace(r"\[", "(?:").replace(r"\]", ")?")
    match = re.fullmatch(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>\\d+)", text), point)
    return {name: int(number or 1) for name, number in match.groupdict().items()} if match else None


@dataclass(frozen=True)
class _Row:
    """One row of an SNMP table."""

    group: SnmpPoints
    point: str
    numbers: Mapping[str, int]
    label: str
    rating: str

    def contents(self, quantities: Collection[Quantity]) -> Iterator[tuple[Oid, Content]]:
        """Yield the values of the row, with their names, label, digits, availability and rating."""
        taken: dict[str, int] = {}
        for column in self.group.values:
            if column.quantity in quantities and self._fits(column, taken):
                yield from self._measured(column, {**self.numbers, **column.where})

    def _fits(self, column: ProfileColumn, taken: dict[str, int]) -> bool:
        """Return whether the row matches the column's condition; the first column decides what its names read."""
        required = {name: number for name, number in column.where.items() if name in self.group.names}
        return all(taken.setdefault(name, number) == number for name, number in required.items())

    def _measured(self, column: ProfileColumn, numbers: Mapping[str, int]) -> Iterator[tuple[Oid, Content]]:
        group, digits = self.group, _DIGITS.get(column.quantity, 0)
        encoded = integer(self.point, column, _BOUNDS[column.syntax], 0 if group.digits is None else -digits)
        yield self._oid(column.oid, group.index, numbers), Measured(encoded, column.syntax)
        related: list[tuple[Aside | None, Content]] = [
            (group.digits, digits), *((aside, self.label) for aside in group.label), (group.rated_current, self.rating),
            *((aside, numbers[name]) for name, aside in group.names.items()),
        ]  # fmt: skip
        if group.available is not None and group.available.equals:
            related.append((group.available, Availability(encoded, group.available.equals[0])))
        for aside, content in related:
            if aside is not None:
                yield self._oid(aside.oid, aside.index or group.index, numbers), content

    def _oid(self, oid: str, index: Iterable[str], numbers: Mapping[str, int]) -> Oid:
        suffix = tuple(numbers[name] for name in index) if self.group.index else (0,)
        return oid_of(self.group.full(oid)) + suffix
