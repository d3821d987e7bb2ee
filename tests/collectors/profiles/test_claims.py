"""docs/supported-devices.md lists the quantities of each profile: an agent with its objects gives every one of them."""

import re
from collections.abc import Iterator

import pytest

from collectors.profiles.registry import catalogue
from collectors.protocols.snmp.plan import make_plan

SNMP = [profile for profile in catalogue().values() if profile.protocol == "snmp"]


def example(pattern: str) -> str:
    """A text that a regular expression of a profile finds."""
    return "".join(_pieces(re._parser.parse(pattern)))


def _pieces(parsed) -> Iterator[str]:
    for kind, value in parsed:
        name = str(kind)
        if name == "LITERAL":
            yield chr(value)
        elif name == "IN":
            yield _member(value)
        elif name == "ANY":
            yield "x"
        elif name == "NOT_LITERAL":
            yield "x" if chr(value) != "x" else "y"
        elif name == "SUBPATTERN":
            yield from _pieces(value[3])
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            yield "".join(_pieces(value[2])) * max(1, value[0])
        elif name == "BRANCH":
            yield from _pieces(value[1][0])


def _member(members) -> str:
    kind, value = members[0]
    if str(kind) == "NEGATE":
        return "x"
    return {"LITERAL": lambda: chr(value), "RANGE": lambda: chr(value[0])}.get(str(kind), lambda: "2")()


def own_objects(profile) -> Iterator[dict[str, dict[str, object]]]:
    """The objects of one row of a value, for each value of a profile: columns by OID."""
    for points in profile.points:
        for value in points.values:
            numbers = {name: value.where.get(name, 2) for name in (*points.index_names, *points.names)}
            parts = {part.removesuffix(":text"): part.endswith(":text") for part in points.index}
            arcs = {name: f"1.{48 + numbers[name]}" if text else str(numbers[name]) for name, text in parts.items()}
            columns: dict[str, dict[str, object]] = {}
            row = ".".join(arcs.values()) or "0"
            columns[points.full(value.oid)] = {row: b"2" if value.syntax == "text" else 2}
            for name, aside in points.names.items():
                own = ".".join(arcs.get(n, str(numbers[n])) for n in aside.index or points.index_names) or "0"
                named = example(aside.pattern).encode() if aside.pattern else numbers[name]
                columns.setdefault(points.full(aside.oid), {})["0" if aside.scalar else own] = named
            for scale in filter(None, (points.digits, points.prefix)):
                own = ".".join(arcs.get(n, str(numbers[n])) for n in scale.index or points.index_names) or "0"
                columns.setdefault(points.full(scale.oid), {})["0" if scale.scalar else own] = (
                    9 if scale.form == "si" else 1
                )
            yield {"value": value, "columns": columns}


@pytest.mark.parametrize("profile", SNMP, ids=lambda profile: profile.name)
def test_every_quantity_that_is_claimed_is_read(profile):
    claimed, read = set(), set()
    for given in own_objects(profile):
        claimed.add(given["value"].quantity)
        plan = make_plan(profile, given["columns"])
        read |= {cell.series.quantity for cells in plan.groups.values() for cell in cells}
    assert claimed - read == set()
